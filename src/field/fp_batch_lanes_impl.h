// The functions over spans of field/fp_batch.h and batch_inverse of field/fp.h by lanes. Included by their units alone.
//
// Each takes whole groups of eight elements and returns how many elements that were; its caller does the rest. Only
// where has_lanes().
#pragma once

#include <array>
#include <bit>
#include <span>

#include "field/fp_lanes.h"

#if defined(__x86_64__)

namespace cuzk::ifma {

constexpr std::size_t whole_groups(std::size_t count) noexcept { return count / kLanes * kLanes; }

template <class F> const typename F::Repr* limbs_of(const F* x) noexcept {
  return reinterpret_cast<const typename F::Repr*>(x);
}
template <class F> typename F::Repr* limbs_of(F* x) noexcept { return reinterpret_cast<typename F::Repr*>(x); }

template <class F> [[CUZK_IFMA_TARGET]] std::size_t mul_n(F* out, const F* a, const F* b, std::size_t count) noexcept {
  using P = typename F::Params;
  for (std::size_t i = 0; i < whole_groups(count); i += kLanes) {
    const auto left = Lanes<P>::template from_limbs<Digits<P>::kShift>(load(limbs_of(a + i)));
    const auto right = Lanes<P>::from_limbs(load(limbs_of(b + i)));
    store(loose_product(left, right).template reduced<2>().limbs(), limbs_of(out + i));
  }
  return whole_groups(count);
}

/// (x 2^kShift + m p) / S for some m < S is x/R modulo p. It is below p: 2^kShift p < S, and p itself would need that p
/// divides x.
template <class F>
[[CUZK_IFMA_TARGET]] std::size_t to_canonical_n(typename F::Repr* out, const F* in, std::size_t count) noexcept {
  using P = typename F::Params;
  constexpr std::size_t L = Digits<P>::L;
  static_assert(Digits<P>::kShift + P::modulus.bit_length() < kDigitBits * L);
  for (std::size_t i = 0; i < whole_groups(count); i += kLanes) {
    const auto x = Lanes<P>::template from_limbs<Digits<P>::kShift>(load(limbs_of(in + i)));
    __m512i column[2 * L];
#pragma GCC unroll 8
    for (std::size_t j = 0; j < L; ++j) column[j] = x.digit[j], column[L + j] = _mm512_setzero_si512();
#pragma GCC unroll 8
    for (std::size_t j = 0; j < L; ++j) reduce_column<P>(column + j);
    Loose<P> quotient;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < L; ++j) quotient.digit[j] = column[L + j];
    store(quotient.carried().limbs(), out + i);
  }
  return whole_groups(count);
}

template <class F>
[[CUZK_IFMA_TARGET]] std::size_t from_canonical_n(F* out, const typename F::Repr* in, std::size_t count) noexcept {
  using P = typename F::Params;
  Limbs<F::limbs> r2;
  for (std::size_t i = 0; i < F::limbs; ++i) r2.limb[i] = every_lane(F::Constants::r2.limb[i]);
  const auto to_montgomery = Lanes<P>::template from_limbs<Digits<P>::kShift>(r2);
  for (std::size_t i = 0; i < whole_groups(count); i += kLanes) {
    const auto value = Lanes<P>::from_limbs(load(in + i));
    store(loose_product(to_montgomery, value).template reduced<2>().limbs(), limbs_of(out + i));
  }
  return whole_groups(count);
}

/// Chains of eight that batch_inverse has in work: one waits for its product while the other is multiplied.
inline constexpr std::size_t kInverseChains = 2;
inline constexpr std::size_t kInverseGroup = kInverseChains * kLanes;

/// x where it is not zero, one elsewhere; `zeros` says where.
template <class F> CUZK_IFMA Limbs<F::limbs> without_zeros(Limbs<F::limbs> x, __mmask8& zeros) noexcept {
  __m512i any = x.limb[0];
#pragma GCC unroll 6
  for (std::size_t i = 1; i < F::limbs; ++i) any = _mm512_or_si512(any, x.limb[i]);
  zeros = _mm512_cmpeq_epi64_mask(any, _mm512_setzero_si512());
#pragma GCC unroll 6
  for (std::size_t i = 0; i < F::limbs; ++i)
    x.limb[i] = _mm512_mask_mov_epi64(x.limb[i], zeros, every_lane(F::Constants::r.limb[i]));
  return x;
}

/// Products of chains over whole groups of kInverseGroup elements; scratch_i = the product of those before in its
/// chain. Lane products divide by S, which scales the products of a chain, and is undone on the way back.
template <class F>
[[CUZK_IFMA_TARGET]] void multiply_chains(const F* x, F* scratch, std::size_t count,
                                          std::array<F, kInverseGroup>& products) noexcept {
  using P = typename F::Params;
  Lanes<P> chain[kInverseChains];
  products.fill(F::one());
  for (std::size_t k = 0; k < kInverseChains; ++k)
    chain[k] = Lanes<P>::from_limbs(load(limbs_of(products.data() + k * kLanes)));
  for (std::size_t i = 0; i < count; i += kInverseGroup) {
#pragma GCC unroll 2
    for (std::size_t k = 0; k < kInverseChains; ++k) {
      __mmask8 zeros;
      const auto factor = without_zeros<F>(load(limbs_of(x + i + k * kLanes)), zeros);
      store(chain[k].limbs(), limbs_of(scratch + i + k * kLanes));
      chain[k] = product(chain[k], Lanes<P>::from_limbs(factor));
    }
  }
  for (std::size_t k = 0; k < kInverseChains; ++k)
    store(chain[k].loose().template reduced<2>().limbs(), limbs_of(products.data() + k * kLanes));
}
/// `inverses`: of the chains' products.
template <class F>
[[CUZK_IFMA_TARGET]] void take_inverses(F* x, const F* scratch, std::size_t count,
                                        const std::array<F, kInverseGroup>& inverses) noexcept {
  using P = typename F::Params;
  Lanes<P> running[kInverseChains];
  for (std::size_t k = 0; k < kInverseChains; ++k)
    running[k] = Lanes<P>::from_limbs(load(limbs_of(inverses.data() + k * kLanes)));
  for (std::size_t i = count; i > 0; i -= kInverseGroup) {
#pragma GCC unroll 2
    for (std::size_t k = 0; k < kInverseChains; ++k) {
      F* const at = x + i - kInverseGroup + k * kLanes;
      __mmask8 zeros;
      const auto factor = without_zeros<F>(load(limbs_of(at)), zeros);
      const auto before = Lanes<P>::from_limbs(load(limbs_of(scratch + i - kInverseGroup + k * kLanes)));
      auto inverse = loose_product(running[k], before).template reduced<2>();
      running[k] = product(running[k], Lanes<P>::from_limbs(factor));
#pragma GCC unroll 8
      for (auto& digit : inverse.digit) digit = _mm512_mask_mov_epi64(digit, zeros, _mm512_setzero_si512());
      store(inverse.limbs(), limbs_of(at));
    }
  }
}

/// As batch_inverse, over whole groups of kInverseGroup.
template <class F> std::size_t batch_inverse(F* x, F* scratch, std::size_t count) noexcept {
  const std::size_t whole = count / kInverseGroup * kInverseGroup;
  std::array<F, kInverseGroup> products, before;
  multiply_chains(x, scratch, whole, products);
  F all = F::one();
  for (std::size_t i = 0; i < kInverseGroup; ++i) {
    before[i] = all;
    all = all * products[i];
  }
  F inverse = all.inverse();
  for (std::size_t i = kInverseGroup; i-- > 0;) {
    const F product_of_chain = products[i];
    products[i] = inverse * before[i];
    inverse = inverse * product_of_chain;
  }
  take_inverses(x, scratch, whole, products);
  return whole;
}

}  // namespace cuzk::ifma

#endif
