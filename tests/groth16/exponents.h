// Keys and proofs in the exponent: the discrete logarithms of all points of a key and of a proof, computed from the
// definitions by slow independent means (Lagrange polynomials by their products, no transforms, no setup code).
#pragma once

#include "groth16/setup.h"
#include "tests/gen/circuits.h"

namespace cuzk::test {

/// prod_{j != i} (x - w^j)/(w^i - w^j) for i < size, w a primitive root of order `size`.
template <class Fr> std::vector<Fr> slow_lagrange(const Fr& w, std::size_t size, const Fr& x) {
  std::vector<Fr> points = {Fr::one()};
  while (points.size() < size) points.push_back(points.back() * w);
  std::vector<Fr> values;
  for (std::size_t i = 0; i < size; ++i) {
    Fr numerator = Fr::one();
    Fr denominator = Fr::one();
    for (std::size_t j = 0; j < size; ++j) {
      if (j == i) continue;
      numerator *= x - points[j];
      denominator *= points[i] - points[j];
    }
    values.push_back(numerator * denominator.inverse());
  }
  return values;
}

template <class Fr> struct KeyExponents {
  std::size_t domain_size = 2;
  std::vector<Fr> a, b, l, h, ic;
};

template <class Fr>
KeyExponents<Fr> slow_key(const r1cs::RowCircuit<Fr>& circuit, const groth16::TrapdoorValues<Fr>& t,
                          groth16::QuotientBasis basis, RootFamily roots) {
  KeyExponents<Fr> key;
  unsigned log_size = 1;
  for (; key.domain_size < circuit.num_constraints() + circuit.num_inputs(); key.domain_size *= 2) ++log_size;
  const std::size_t n = key.domain_size;
  const auto lagrange = slow_lagrange(Fr::root_of_unity(roots, log_size), n, t.tau);

  std::vector<Fr> c(circuit.num_variables(), Fr::zero());
  key.a = key.b = c;
  const auto add_rows = [&](const r1cs::SparseMatrix& matrix, std::vector<Fr>& sums) {
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      for (const auto& term : matrix.row(row)) {
        sums[term.wire] += circuit.coefficients()[term.coefficient] * lagrange[row];
      }
    }
  };
  add_rows(circuit.a(), key.a);
  add_rows(circuit.b(), key.b);
  add_rows(circuit.c(), c);
  for (std::size_t i = 0; i < circuit.num_inputs(); ++i) key.a[i] += lagrange[circuit.num_constraints() + i];

  for (std::size_t i = 0; i < circuit.num_variables(); ++i) {
    const Fr k = t.beta * key.a[i] + t.alpha * key.b[i] + c[i];
    if (i < circuit.num_inputs()) {
      key.ic.push_back(k * t.gamma.inverse());
    } else {
      key.l.push_back(k * t.delta.inverse());
    }
  }
  if (basis == groth16::QuotientBasis::odd_coset_lagrange) {
    const auto twice = slow_lagrange(Fr::root_of_unity(roots, log_size + 1), 2 * n, t.tau);
    for (std::size_t j = 0; j < n; ++j) key.h.push_back(twice[2 * j + 1] * t.delta.inverse());
  } else {
    const Fr z = t.tau.pow(u64{n}) - Fr::one();
    for (std::size_t i = 0; i + 1 < n; ++i) key.h.push_back(t.tau.pow(u64{i}) * z * t.delta.inverse());
  }
  return key;
}

template <class Fr> struct ProofExponents {
  Fr a, b, c;
};

/// Of a satisfied circuit. (A B - C)(tau) = h(tau) Z(tau) is taken from the polynomials themselves, so that it depends
/// on no basis: what is left of A B after the parts of `l` and `ic` are gone.
template <class Fr>
ProofExponents<Fr> slow_proof(const SatisfiedCircuit<Fr>& satisfied, const groth16::TrapdoorValues<Fr>& t,
                              const KeyExponents<Fr>& key, const Fr& r, const Fr& s) {
  const std::size_t inputs = satisfied.circuit.num_inputs();
  Fr a = Fr::zero();
  Fr b = Fr::zero();
  Fr k = Fr::zero();  // beta A + alpha B + C at tau, all variables
  Fr l = Fr::zero();
  for (std::size_t i = 0; i < satisfied.z.size(); ++i) {
    const Fr z = satisfied.z[i];
    a += z * key.a[i];
    b += z * key.b[i];
    k += z * (i < inputs ? key.ic[i] * t.gamma : key.l[i - inputs] * t.delta);
    if (i >= inputs) l += z * key.l[i - inputs];
  }
  const Fr c_polynomial = k - t.beta * a - t.alpha * b;
  const Fr quotient_over_delta = (a * b - c_polynomial) * t.delta.inverse();
  const Fr proof_a = t.alpha + a + r * t.delta;
  const Fr proof_b = t.beta + b + s * t.delta;
  return {proof_a, proof_b, l + quotient_over_delta + s * proof_a + r * proof_b - r * s * t.delta};
}

template <class C> typename C::G1Affine in_g1(const typename C::Fr& exponent) {
  return C::G1::from_affine(g1_generator<C>()).times(exponent.canonical()).to_affine();
}
template <class C> typename C::G2Affine in_g2(const typename C::Fr& exponent) {
  return C::G2::from_affine(g2_generator<C>()).times(exponent.canonical()).to_affine();
}

template <class Fr> groth16::TrapdoorValues<Fr> random_trapdoor(std::mt19937_64& random) {
  groth16::TrapdoorValues<Fr> t;
  for (Fr* value : {&t.tau, &t.alpha, &t.beta, &t.gamma, &t.delta}) *value = uniform_element<Fr>(random);
  return t;
}

}  // namespace cuzk::test
