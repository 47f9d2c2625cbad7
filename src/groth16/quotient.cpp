#include "groth16/quotient.h"

#include <bit>
#include <string>

#include "field/fp_batch.h"

namespace cuzk::groth16 {

namespace {

constexpr std::size_t kElementsPerChunk = 4096;  // two products each

/// a = (a b - c) factor.
template <class Fr>
void combine(Arena& arena, std::span<Fr> a, std::span<const Fr> b, std::span<const Fr> c, const Fr& factor,
             const StopToken& stop) noexcept {
  with_isa([&]<class Isa>() {
    const auto x = view_as<Isa>(a);
    const auto y = view_as<Isa>(b);
    const auto z = view_as<Isa>(c);
    const auto f = with_arithmetic<Isa>(factor);
    parallel_for(arena, 0, x.size(), kElementsPerChunk, [&](std::size_t begin, std::size_t end) {
      if (stop.stop_requested()) return;
      for (std::size_t i = begin; i < end; ++i) x[i] = (x[i] * y[i] - z[i]) * f;
    });
  });
}

template <class Fr> std::span<const U256> as_integers(std::span<Fr> canonical, std::size_t count) noexcept {
  static_assert(sizeof(Fr) == sizeof(U256) && alignof(Fr) == alignof(U256) && std::is_standard_layout_v<Fr>);
  return {reinterpret_cast<const U256*>(canonical.data()), count};
}

}  // namespace

template <class C> Status check_quotient_domain(std::size_t size, QuotientBasis basis) {
  const unsigned cosets = basis == QuotientBasis::odd_coset_lagrange ? 1 : 0;
  constexpr unsigned kLargest = C::Fr::Constants::two_adicity;
  if (std::has_single_bit(size) && static_cast<unsigned>(std::countr_zero(size)) + cosets <= kLargest) return {};
  return fail(Code::unsupported, Kind::bad_domain,
              "evaluation domain of " + std::to_string(size) + " elements: " + std::string(C::name) +
                  " has powers of two up to 2^" + std::to_string(kLargest - cosets));
}

template <class C>
Result<Domain<typename C::Fr>> quotient_domain(Arena& arena, std::size_t size, QuotientBasis basis, RootFamily roots,
                                               const StopToken& stop) {
  using Fr = typename C::Fr;
  CUZK_CHECK_OK(check_quotient_domain<C>(size, basis));
  return Domain<Fr>::create(arena, size, roots, stop);
}

template <class Fr>
std::span<const U256> quotient(Arena& arena, const Domain<Fr>& domain, QuotientBasis basis, std::span<Fr> a,
                               std::span<Fr> b, std::span<Fr> c, const StopToken& stop) noexcept {
  CUZK_ASSERT(a.size() == c.size() && b.size() == c.size());
  parallel_for(arena, 0, c.size(), kElementsPerChunk, [&](std::size_t begin, std::size_t end) {
    if (stop.stop_requested()) return;  // a and b are then anything
    const std::size_t count = end - begin;
    mul_n(c.subspan(begin, count), a.subspan(begin, count), b.subspan(begin, count));
  });
  return quotient_of_abc(arena, domain, basis, a, b, c, stop);
}

template <class Fr>
std::span<const U256> quotient_of_abc(Arena& arena, const Domain<Fr>& domain, QuotientBasis basis, std::span<Fr> a,
                                      std::span<Fr> b, std::span<Fr> c, const StopToken& stop) noexcept {
  CUZK_ASSERT(a.size() == domain.size() && b.size() == domain.size() && c.size() == domain.size());
  const bool odd_coset = basis == QuotientBasis::odd_coset_lagrange;
  const Fr shift = odd_coset ? domain.odd_shift() : Fr::from_u64(kQuotientCosetShift);
  const std::span<const U256> scalars = as_integers(a, quotient_size(basis, domain.size()));
  for (const std::span<Fr> rows : {a, b, c}) domain.to_coset(arena, shift, rows, stop);
  combine<Fr>(arena, a, b, c, leaving_montgomery(odd_coset ? Fr::one() : domain.vanishing_at(shift).inverse()), stop);
  if (!odd_coset) domain.coset_to_coefficients(arena, shift, a, stop);
  return scalars;
}

template Status check_quotient_domain<Bn254>(std::size_t, QuotientBasis);
template Status check_quotient_domain<Bls12_381>(std::size_t, QuotientBasis);
template Result<Domain<bn254::Fr>> quotient_domain<Bn254>(Arena&, std::size_t, QuotientBasis, RootFamily,
                                                          const StopToken&);
template Result<Domain<bls12_381::Fr>> quotient_domain<Bls12_381>(Arena&, std::size_t, QuotientBasis, RootFamily,
                                                                  const StopToken&);
#define CUZK_INSTANTIATE(Fr)                                                                                      \
  template std::span<const U256> quotient(Arena&, const Domain<Fr>&, QuotientBasis, std::span<Fr>, std::span<Fr>, \
                                          std::span<Fr>, const StopToken&) noexcept;                              \
  template std::span<const U256> quotient_of_abc(Arena&, const Domain<Fr>&, QuotientBasis, std::span<Fr>,         \
                                                 std::span<Fr>, std::span<Fr>, const StopToken&) noexcept;

CUZK_INSTANTIATE(bn254::Fr)
CUZK_INSTANTIATE(bls12_381::Fr)

}  // namespace cuzk::groth16
