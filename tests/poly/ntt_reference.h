// Slow twins of the transforms.
#pragma once

#include <random>
#include <span>
#include <vector>

#include "tests/gen/field_values.h"

namespace cuzk::test {

template <class F> std::vector<F> random_elements(std::size_t count, std::mt19937_64& random) {
  std::vector<F> v(count);
  for (F& x : v) x = biased_element<F>(random);
  return v;
}

/// A(x) by Horner's rule.
template <class F> F evaluate(std::span<const F> coefficients, const F& x) {
  F value = F::zero();
  for (std::size_t i = coefficients.size(); i-- > 0;) value = value * x + coefficients[i];
  return value;
}

/// A(shift omega^j) for j < coefficients.size(); quadratic.
template <class F>
std::vector<F> naive_values(const std::vector<F>& coefficients, const F& omega, const F& shift = F::one()) {
  std::vector<F> values;
  F x = shift;
  for (std::size_t j = 0; j < coefficients.size(); ++j, x = x * omega)
    values.push_back(evaluate(std::span<const F>(coefficients), x));
  return values;
}

}  // namespace cuzk::test
