// The quotient h = (A B - C)/Z of a proof, as scalars for the key's h query, in place.
//
// A, B, C are the polynomials of degree < N with A(omega^i) = a_i and so on; Z = X^N - 1. c := a o b.
//   odd_coset_lagrange: the N values of A B - C at the odd points sqrt(omega) omega^j. No division: A B - C vanishes on
//   H and
//     has degree < 2N, so its values at the odd points times the Lagrange basis of the domain of size 2N are enough.
//   coset_monomials: the N - 1 lowest coefficients of h, from values on the coset 7 H, where Z is the constant 7^N - 1.
// Source: Groth (https://eprint.iacr.org/2016/260), section 3.1; formats of snarkjs and bellperson.
//
// Inputs in Montgomery form, results canonical: MSM scalars. Memory: three vectors of N elements, the caller's; the
// result lies in `a`, and b and c can be freed afterwards. Preconditions: equal lengths N = domain.size(); for
// odd_coset_lagrange 2N divides r - 1. Complexity: 6 NTTs of size N (7 for coset_monomials). It ends within a
// millisecond of a stop, and the scalars are anything then. Thread-safety: pure function.
#pragma once

#include <span>

#include "groth16/proving_key.h"
#include "poly/domain.h"
#include "support/stop.h"

namespace cuzk::groth16 {

/// bellperson's coset of the domain; the quotient does not depend on it.
inline constexpr u64 kQuotientCosetShift = 7;

/// Number of points in the h query.
constexpr std::size_t quotient_size(QuotientBasis basis, std::size_t domain_size) noexcept {
  return basis == QuotientBasis::odd_coset_lagrange ? domain_size : domain_size - 1;
}

/// The factor whose Montgomery product takes x R to the integer x factor; transforms are linear, so they may follow it.
template <class Fr> Fr leaving_montgomery(const Fr& factor) noexcept { return Fr::from_montgomery(factor.canonical()); }

/// unsupported / bad_domain when the curve has no such domain (or, for the odd coset, none of twice the size),
/// bad_domain too when the size is no power of two.
template <class C> Status check_quotient_domain(std::size_t size, QuotientBasis basis);

/// The domain of a key. Errors: of check_quotient_domain; cancelled.
template <class C>
Result<Domain<typename C::Fr>> quotient_domain(Arena& arena, std::size_t size, QuotientBasis basis, RootFamily roots,
                                               const StopToken& stop = {});

/// a, b: rows of A and B; c: work space, c := a o b. All are overwritten. The scalars are a view of `a`.
template <class Fr>
std::span<const U256> quotient(Arena& arena, const Domain<Fr>& domain, QuotientBasis basis, std::span<Fr> a,
                               std::span<Fr> b, std::span<Fr> c, const StopToken& stop = {}) noexcept;

/// The same with the rows of C given; for a satisfied circuit they are a o b.
template <class Fr>
std::span<const U256> quotient_of_abc(Arena& arena, const Domain<Fr>& domain, QuotientBasis basis, std::span<Fr> a,
                                      std::span<Fr> b, std::span<Fr> c, const StopToken& stop = {}) noexcept;

}  // namespace cuzk::groth16
