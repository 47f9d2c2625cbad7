// Elements of prime fields for tests: uniform, extreme, and mixtures of extreme limbs.
#pragma once

#include <random>
#include <vector>

#include "field/fp.h"
#include "tests/gen/seed.h"

namespace cuzk::test {

/// Uniform below `bound`.
template <std::size_t N> BigInt<N> random_below(const BigInt<N>& bound, std::mt19937_64& random) {
  BigInt<N> value;
  do {
    const unsigned unused = BigInt<N>::bits - bound.bit_length();
    for (u64& limb : value.limb) limb = random();
    value = value.shifted_right(unused);
  } while (!(value < bound));
  return value;
}

template <class F> F uniform_element(std::mt19937_64& random) {
  return F::from_montgomery(random_below(F::modulus, random));
}

/// Memory forms (Montgomery limbs) at the edges: 0, 1, 2, p-1, p-2, (p-1)/2, (p+1)/2, R, R^2, and the numbers below p
/// whose low k limbs are all ones.
template <class F> std::vector<F> edge_elements() {
  using Repr = typename F::Repr;
  using Constants = typename F::Constants;
  const Repr one = Repr::from_u64(1);
  Repr half_up = Constants::half, p_minus_2 = Constants::p_minus_1;
  half_up.add(one);
  p_minus_2.sub(one);
  std::vector<Repr> forms{Repr::zero(),    one,     Repr::from_u64(2), Constants::p_minus_1, p_minus_2,
                          Constants::half, half_up, Constants::r,      Constants::r2,        Constants::r3};
  for (std::size_t k = 1; k < F::limbs; ++k) {
    Repr ones{};
    for (std::size_t i = 0; i < k; ++i) ones.limb[i] = ~u64{0};
    forms.push_back(ones);
    Repr high = F::modulus;  // the largest below p with k low limbs of ones
    for (std::size_t i = 0; i < k; ++i) high.limb[i] = ~u64{0};
    Repr step{};
    step.limb[k] = 1;
    if (!(high < F::modulus)) high.sub(step);
    forms.push_back(high);
  }
  std::vector<F> elements;
  for (const Repr& form : forms) elements.push_back(F::from_montgomery(form));
  return elements;
}

/// Uniform, or an edge, or limbs that are random, 0, all ones or those of p.
template <class F> F biased_element(std::mt19937_64& random) {
  const u64 choice = random() % 4;
  if (choice < 2) return uniform_element<F>(random);
  if (choice == 2) {
    static const std::vector<F> edges = edge_elements<F>();
    return edges[random() % edges.size()];
  }
  typename F::Repr form;
  for (;;) {
    for (std::size_t i = 0; i < F::limbs; ++i) {
      const u64 limbs[] = {random(), 0, ~u64{0}, F::modulus.limb[i], F::modulus.limb[i] - 1};
      form.limb[i] = limbs[random() % 5];
    }
    if (form < F::modulus) return F::from_montgomery(form);
  }
}

}  // namespace cuzk::test
