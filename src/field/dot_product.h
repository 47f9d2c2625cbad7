// Sums of products in a prime field of 4 limbs with one reduction for all: sum a_i b_i, where each product alone would
// pay for its own.
//
// The sum is gathered limb by limb of the b_i, a Montgomery step after each (the finely integrated form of Koc, Acar,
// Kaliski, Analyzing and comparing Montgomery multiplication algorithms, 1996, over many operands), so that 6 limbs
// hold all of it; at the end a multiple of p is taken away. A term costs 4/9 of a product less than one. Internal
// header: hot units include it. Preconditions: elements below p; kTerms <= 24. Thread-safety: pure functions.
#pragma once

#include "field/fp_mul.h"

namespace cuzk {

namespace dot_product_detail {

/// t, of weights 2^(64 i); the topmost never overflows.
struct Accumulator {
  u64 t0 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0, t5 = 0;

  constexpr void shift_down() noexcept {
    t0 = t1;
    t1 = t2;
    t2 = t3;
    t3 = t4;
    t4 = t5;
    t5 = 0;
  }
};

/// t += a * factor
inline void accumulate(Portable, Accumulator& t, const u64 (&a)[4], u64 factor) noexcept {
  u128 sum = static_cast<u128>(a[0]) * factor + t.t0;
  t.t0 = static_cast<u64>(sum);
  sum = static_cast<u128>(a[1]) * factor + t.t1 + static_cast<u64>(sum >> 64);
  t.t1 = static_cast<u64>(sum);
  sum = static_cast<u128>(a[2]) * factor + t.t2 + static_cast<u64>(sum >> 64);
  t.t2 = static_cast<u64>(sum);
  sum = static_cast<u128>(a[3]) * factor + t.t3 + static_cast<u64>(sum >> 64);
  t.t3 = static_cast<u64>(sum);
  sum = static_cast<u128>(t.t4) + static_cast<u64>(sum >> 64);
  t.t4 = static_cast<u64>(sum);
  t.t5 += static_cast<u64>(sum >> 64);
}

#if defined(__x86_64__)
inline void accumulate(Adx, Accumulator& t, const u64 (&a)[4], u64 factor) noexcept {
  u64 lo, hi;
  // clang-format off
  __asm__ inline(
      "xor %k[lo], %k[lo]\n\t"
      "mulx (%[a]), %[lo], %[hi]\n\t"
      "adox %[lo], %[t0]\n\t"
      "adcx %[hi], %[t1]\n\t"
      "mulx 8(%[a]), %[lo], %[hi]\n\t"
      "adox %[lo], %[t1]\n\t"
      "adcx %[hi], %[t2]\n\t"
      "mulx 16(%[a]), %[lo], %[hi]\n\t"
      "adox %[lo], %[t2]\n\t"
      "adcx %[hi], %[t3]\n\t"
      "mulx 24(%[a]), %[lo], %[hi]\n\t"
      "adox %[lo], %[t3]\n\t"
      "adcx %[hi], %[t4]\n\t"
      "mov $0, %k[lo]\n\t"
      "adox %[lo], %[t4]\n\t"
      "adcx %[lo], %[t5]\n\t"
      "adox %[lo], %[t5]\n\t"
      : [t0] "+r"(t.t0), [t1] "+r"(t.t1), [t2] "+r"(t.t2), [t3] "+r"(t.t3), [t4] "+r"(t.t4), [t5] "+r"(t.t5),
        [lo] "=&r"(lo), [hi] "=&r"(hi)
      : [a] "r"(&a), "d"(factor), "m"(a)
      : "cc");
  // clang-format on
}
#endif

/// t = (t + m p) / 2^64 for the m that makes it exact.
template <class F, class Isa> inline void reduce_limb(Isa isa, Accumulator& t) noexcept {
  using Constants = typename F::Constants;
  accumulate(isa, t, Constants::p.limb, t.t0 * Constants::n0);
  t.shift_down();
}

/// Multiples of p below 2^260, to subtract.
template <class F> struct Multiples {
  static constexpr std::size_t kCount = 16;
  using Wide = BigInt<5>;
  static constexpr std::array<Wide, kCount> value = [] {
    std::array<Wide, kCount> multiples{};
    Wide p{};
    for (std::size_t i = 0; i < 4; ++i) p.limb[i] = F::modulus.limb[i];
    for (std::size_t i = 1; i < kCount; ++i) {
      multiples[i] = multiples[i - 1];
      multiples[i].add(p);
    }
    return multiples;
  }();
  /// p / 2^240, rounded up: a quotient by it is right or one too small.
  static constexpr u64 kTop = (F::modulus.limb[3] >> 48) + 1;
};

/// The element that t is, up to a multiple of p. precondition: t < 16 p. By value: an accumulator whose address is
/// taken lives in memory, where g++ moves it in pieces that wait for each other (measured: 100 -> 180 ns for 17 terms).
template <class F> [[gnu::always_inline]] inline F reduced(u64 t0, u64 t1, u64 t2, u64 t3, u64 t4) noexcept {
  const u64 top = t4 << 16 | t3 >> 48;
  const BigInt<5>& multiple = Multiples<F>::value[top / Multiples<F>::kTop];
  BigInt<5> rest{{t0, t1, t2, t3, t4}};
  rest.sub(multiple);
  const typename F::Repr low{{rest.limb[0], rest.limb[1], rest.limb[2], rest.limb[3]}};
  return F::from_montgomery(limb_ops::reduce_once<typename F::Constants>(low));
}

/// The limbs of an element as the accumulator reads them.
template <class F> inline const u64 (&limbs_of(const F& x) noexcept)[4] {
  return *reinterpret_cast<const u64(*)[4]>(&x);
}

}  // namespace dot_product_detail

/// Sum of a[i] * b[i].
template <std::size_t kTerms, class P, class Isa>
inline Fp<P, Isa> dot_product(const Fp<P, Isa>* a, const Fp<P, Isa>* b) noexcept {
  namespace detail = dot_product_detail;
  using F = Fp<P, Isa>;
  static_assert(F::limbs == 4 && kTerms >= 1 && kTerms <= 24);
  detail::Accumulator t;
#pragma GCC unroll 4
  for (std::size_t limb = 0; limb < 4; ++limb) {
#pragma GCC unroll 24
    for (std::size_t i = 0; i < kTerms; ++i)
      detail::accumulate(Isa{}, t, detail::limbs_of(a[i]), detail::limbs_of(b[i])[limb]);
    detail::reduce_limb<F>(Isa{}, t);
  }
  return detail::reduced<F>(t.t0, t.t1, t.t2, t.t3, t.t4);
}

/// Sum of a[i] * small[i], times 2^-64. precondition: small[i] < 2^56.
template <std::size_t kTerms, class P, class Isa>
inline Fp<P, Isa> dot_product_small(const Fp<P, Isa>* a, const u64* small) noexcept {
  namespace detail = dot_product_detail;
  using F = Fp<P, Isa>;
  static_assert(F::limbs == 4 && kTerms >= 1 && kTerms <= 24);
  detail::Accumulator t;
#pragma GCC unroll 24
  for (std::size_t i = 0; i < kTerms; ++i) detail::accumulate(Isa{}, t, detail::limbs_of(a[i]), small[i]);
  detail::reduce_limb<F>(Isa{}, t);  // 24 * 2^56 p / 2^64 + p < 2p
  const typename F::Repr sum{{t.t0, t.t1, t.t2, t.t3}};
  return F::from_montgomery(limb_ops::reduce_once<typename F::Constants>(sum));
}

/// The canonical value: Montgomery's reduction alone, where a product with 1 would be twice the work.
template <class P, class Isa> inline BigInt<4> reduced_value(const Fp<P, Isa>& x) noexcept {
  namespace detail = dot_product_detail;
  const auto& limb = x.montgomery().limb;
  detail::Accumulator t{limb[0], limb[1], limb[2], limb[3], 0, 0};
#pragma GCC unroll 4
  for (std::size_t i = 0; i < 4; ++i) detail::reduce_limb<Fp<P, Isa>>(Isa{}, t);
  return {{t.t0, t.t1, t.t2, t.t3}};  // (x + m p) / 2^256 < p, since x < p and m < 2^256
}

}  // namespace cuzk
