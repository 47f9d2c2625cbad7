// Prime fields as a device computes them: 32-bit words over the same bytes as Fp (field/fp.h), Montgomery form, R =
// 2^(32 n) for n = 8 or 12 words, fully reduced.
//
// The product is operand scanning with interleaved reduction (CIOS) in two accumulators: products with words of even
// index are summed in one, with odd index in the other, so that each is one unbroken chain of carries whose
// instructions pair up into wide multiply-adds; a step down by one word swaps the two. N. Emmart, Faster modular
// exponentiation using double precision floating point arithmetic on the GPU (2018), section III, has the idea.
//
// Everything here compiles for host and device (carry_chain.h); the tests hold it against Fp on the host, the device
// against both. Thread-safety: values.
#pragma once

#include <bit>

#include "field/carry_chain.h"
#include "field/fp.h"

namespace cuzk {

template <class P> struct DeviceFp {
  static constexpr unsigned kWords = 2 * P::modulus.limbs;

  u32 w[kWords];

  struct Words {
    u32 w[kWords];
  };
  static constexpr Words words_of(const typename FpConstants<P>::Repr& value) {
    Words words{};
    for (unsigned i = 0; i < kWords; ++i) words.w[i] = static_cast<u32>(value.limb[i / 2] >> (32 * (i % 2)));
    return words;
  }
  static constexpr u32 kNegInverse = static_cast<u32>(FpConstants<P>::n0);

  static CUZK_DEVICE DeviceFp zero() {
    DeviceFp r;
    CUZK_UNROLL for (unsigned i = 0; i < kWords; ++i) r.w[i] = 0;
    return r;
  }
  static CUZK_DEVICE DeviceFp one() {
    constexpr Words r1 = words_of(FpConstants<P>::r);
    DeviceFp r;
    CUZK_UNROLL for (unsigned i = 0; i < kWords; ++i) r.w[i] = r1.w[i];
    return r;
  }

  CUZK_DEVICE bool is_zero() const {
    u32 any = 0;
    CUZK_UNROLL for (unsigned i = 0; i < kWords; ++i) any |= w[i];
    return any == 0;
  }
  friend CUZK_DEVICE bool operator==(const DeviceFp& a, const DeviceFp& b) {
    u32 any = 0;
    CUZK_UNROLL for (unsigned i = 0; i < kWords; ++i) any |= a.w[i] ^ b.w[i];
    return any == 0;
  }

  friend CUZK_DEVICE DeviceFp operator+(const DeviceFp& a, const DeviceFp& b) {
    DeviceFp r;
    CarryChain chain;
    r.w[0] = chain.add(a.w[0], b.w[0]);
    CUZK_UNROLL for (unsigned i = 1; i < kWords; ++i) r.w[i] = chain.add_on(a.w[i], b.w[i]);
    return r.reduced_once();
  }
  friend CUZK_DEVICE DeviceFp operator-(const DeviceFp& a, const DeviceFp& b) {
    constexpr Words p = words_of(P::modulus);
    DeviceFp r;
    CarryChain chain;
    r.w[0] = chain.subtract(a.w[0], b.w[0]);
    CUZK_UNROLL for (unsigned i = 1; i < kWords; ++i) r.w[i] = chain.subtract_on(a.w[i], b.w[i]);
    const u32 borrowed = chain.borrow_mask_end();
    r.w[0] = chain.add(r.w[0], p.w[0] & borrowed);
    CUZK_UNROLL for (unsigned i = 1; i < kWords; ++i) r.w[i] = chain.add_on(r.w[i], p.w[i] & borrowed);
    return r;
  }
  CUZK_DEVICE DeviceFp operator-() const { return zero() - *this; }
  CUZK_DEVICE DeviceFp doubled() const { return *this + *this; }
  /// p - x, which may be p itself, where `negative`, else x: a factor for sum_of_products.
  CUZK_DEVICE DeviceFp factor_negated(bool negative) const {
    constexpr Words p = words_of(P::modulus);
    DeviceFp r;
    CarryChain chain;
    r.w[0] = chain.subtract(p.w[0], w[0]);
    CUZK_UNROLL for (unsigned i = 1; i < kWords; ++i) r.w[i] = chain.subtract_on(p.w[i], w[i]);
    CUZK_UNROLL for (unsigned i = 0; i < kWords; ++i) r.w[i] = negative ? r.w[i] : w[i];
    return r;
  }

  friend CUZK_DEVICE DeviceFp operator*(const DeviceFp& a, const DeviceFp& b) {
    u32 even[kWords], odd[kWords];
    set_row(even, a.w, b.w[0]);
    set_row(odd, a.w + 1, b.w[0]);
    reduce_row(even, odd);
    CUZK_UNROLL for (unsigned i = 1; i + 1 < kWords; i += 2) {
      next_row(odd, even, a.w, b.w[i]);
      next_row(even, odd, a.w, b.w[i + 1]);
    }
    next_row(odd, even, a.w, b.w[kWords - 1]);
    return merge(even, odd).reduced_once();
  }
  /// The words that a row of a sum of products multiplies by.
  template <unsigned kProducts> struct Row {
    u32 w[kProducts];
  };
  /// The sum of a[k] b[k] with one reduction, from the words of all b[k] row by row: rows(i) is their word i. The a and
  /// b are at most p, which has bits to spare: what is summed up stays below (kProducts + 1) p, the result below 2p.
  template <unsigned kProducts, class Rows>
  static CUZK_DEVICE DeviceFp sum_of_products(const DeviceFp (&a)[kProducts], const Rows& rows) {
    static_assert(words_of(P::modulus).w[kWords - 1] < 0xffffffffu / (kProducts + 1) - 1);
    u32 even[kWords], odd[kWords];
    const Row<kProducts> first = rows(0u);
    set_row(even, a[0].w, first.w[0]);
    set_row(odd, a[0].w + 1, first.w[0]);
    CUZK_UNROLL for (unsigned k = 1; k < kProducts; ++k) add_product(even, odd, a[k].w, first.w[k]);
    reduce_row(even, odd);
    CUZK_UNROLL for (unsigned i = 1; i + 1 < kWords; i += 2) {
      next_row(odd, even, a, rows(i));
      next_row(even, odd, a, rows(i + 1));
    }
    next_row(odd, even, a, rows(kWords - 1));
    return merge(even, odd).reduced_once();
  }
  /// a b + c d.
  static CUZK_DEVICE DeviceFp sum_of_products(const DeviceFp& a, const DeviceFp& b, const DeviceFp& c,
                                              const DeviceFp& d) {
    return sum_of_products<2>({a, c}, [&](unsigned i) { return Row<2>{{b.w[i], d.w[i]}}; });
  }
  /// Half of the products of a multiplication, then a reduction.
  CUZK_DEVICE DeviceFp squared() const {
    u32 even[2 * kWords], odd[2 * kWords];
    mixed_products(even, odd);
    double_and_add_squares(even, odd);
    return reduced_wide(even);
  }

 private:
  /// w[i] w[j] for i < j: at even i + j in `even`, at odd i + j in `odd`, which stands one word higher.
  CUZK_DEVICE void mixed_products(u32* even, u32* odd) const {
    CUZK_UNROLL for (unsigned i = 0; i < 2 * kWords; ++i) even[i] = odd[i] = 0;
    CUZK_UNROLL for (unsigned i = 0; i + 1 < kWords; ++i) {
      add_mixed_row(odd + 2 * i, i, i + 1);
      if (i + 2 < kWords) add_mixed_row(even + 2 * i + 2, i, i + 2);
    }
  }
  /// acc += w[i] (w[first], w[first + 2], ...).
  CUZK_DEVICE void add_mixed_row(u32* acc, unsigned i, unsigned first) const {
    CarryChain chain;
    acc[0] = chain.low(w[first], w[i], acc[0]);
    acc[1] = chain.high_on(w[first], w[i], acc[1]);
    unsigned at = 2;
    CUZK_UNROLL for (unsigned j = first + 2; j < kWords; j += 2, at += 2) {
      acc[at] = chain.low_on(w[j], w[i], acc[at]);
      acc[at + 1] = chain.high_on(w[j], w[i], acc[at + 1]);
    }
    acc[at] = chain.add_end(acc[at], 0);
  }
  /// even = 2 (even + 2^32 odd) + the squares of the words.
  CUZK_DEVICE void double_and_add_squares(u32* even, const u32* odd) const {
    CarryChain chain;
    even[1] = chain.add(even[1], odd[0]);
    CUZK_UNROLL for (unsigned i = 2; i < 2 * kWords; ++i) even[i] = chain.add_on(even[i], odd[i - 1]);
    even[0] = 0;
    even[1] = chain.add(even[1], even[1]);
    CUZK_UNROLL for (unsigned i = 2; i < 2 * kWords; ++i) even[i] = chain.add_on(even[i], even[i]);
    even[0] = chain.low(w[0], w[0], 0);
    even[1] = chain.high_on(w[0], w[0], even[1]);
    CUZK_UNROLL for (unsigned i = 1; i < kWords; ++i) {
      even[2 * i] = chain.low_on(w[i], w[i], even[2 * i]);
      even[2 * i + 1] = chain.high_on(w[i], w[i], even[2 * i + 1]);
    }
  }
  /// t R^-1 mod p of 2 n words below p R.
  static CUZK_DEVICE DeviceFp reduced_wide(u32* t) {
    u32 odd[kWords];
    CUZK_UNROLL for (unsigned i = 0; i < kWords; ++i) odd[i] = 0;
    reduce_row(t, odd);
    CUZK_UNROLL for (unsigned i = 1; i + 1 < kWords; i += 2) {
      step_down(odd, t);
      step_down(t, odd);
    }
    step_down(odd, t);
    DeviceFp r = merge(t, odd);  // below p
    CarryChain chain;
    r.w[0] = chain.add(r.w[0], t[kWords]);
    CUZK_UNROLL for (unsigned i = 1; i < kWords; ++i) r.w[i] = chain.add_on(r.w[i], t[kWords + i]);
    return r.reduced_once();
  }
  /// (low + 2^32 high) / 2^32, reduced by a word; the two change places.
  static CUZK_DEVICE void step_down(u32* even, u32* odd) {
    CarryChain chain;
    even[0] = chain.add(even[0], odd[1]);
    CUZK_UNROLL for (unsigned i = 0; i + 2 < kWords; ++i) odd[i] = chain.add_on(odd[i + 2], 0);
    odd[kWords - 2] = chain.add_end(0, 0);
    odd[kWords - 1] = 0;
    reduce_row(even, odd);
  }
  /// v < 2p -> v mod p.
  CUZK_DEVICE DeviceFp reduced_once() const {
    constexpr Words p = words_of(P::modulus);
    DeviceFp r;
    CarryChain chain;
    r.w[0] = chain.subtract(w[0], p.w[0]);
    CUZK_UNROLL for (unsigned i = 1; i < kWords; ++i) r.w[i] = chain.subtract_on(w[i], p.w[i]);
    const u32 borrowed = chain.borrow_mask_end();
    CUZK_UNROLL for (unsigned i = 0; i < kWords; ++i) r.w[i] = borrowed != 0 ? w[i] : r.w[i];
    return r;
  }

  /// acc = b (a[0], a[2], ...): every second word of a.
  static CUZK_DEVICE void set_row(u32* acc, const u32* a, u32 b) {
    CUZK_UNROLL for (unsigned i = 0; i < kWords; i += 2) {
      const std::uint64_t product = std::uint64_t{a[i]} * b;
      acc[i] = static_cast<u32>(product);
      acc[i + 1] = static_cast<u32>(product >> 32);
    }
  }
  /// acc += b (a[0], a[2], ...); the carry goes on.
  static CUZK_DEVICE void add_row(CarryChain& chain, u32* acc, const u32* a, u32 b) {
    acc[0] = chain.low(a[0], b, acc[0]);
    acc[1] = chain.high_on(a[0], b, acc[1]);
    add_row_on<2>(chain, acc, a, b);
  }
  /// The rest of a row, from word `kFrom`.
  template <unsigned kFrom> static CUZK_DEVICE void add_row_on(CarryChain& chain, u32* acc, const u32* a, u32 b) {
    CUZK_UNROLL for (unsigned i = kFrom; i < kWords; i += 2) {
      acc[i] = chain.low_on(a[i], b, acc[i]);
      acc[i + 1] = chain.high_on(a[i], b, acc[i + 1]);
    }
  }
  /// acc = acc / 2^64 + b (a[0], a[2], ...) + carry.
  static CUZK_DEVICE void add_row_shifted(CarryChain& chain, u32* acc, const u32* a, u32 b) {
    CUZK_UNROLL for (unsigned i = 0; i + 2 < kWords; i += 2) {
      acc[i] = chain.low_on(a[i], b, acc[i + 2]);
      acc[i + 1] = chain.high_on(a[i], b, acc[i + 3]);
    }
    acc[kWords - 2] = chain.low_on(a[kWords - 2], b, 0);
    acc[kWords - 1] = chain.high_end(a[kWords - 2], b, 0);
  }

  /// even + 2^32 odd += m p, with the m that makes its lowest word zero.
  static CUZK_DEVICE void reduce_row(u32* even, u32* odd) {
    constexpr Words p = words_of(P::modulus);
    CarryChain chain;
    if constexpr (p.w[0] == 1 && p.w[1] == 0xffffffff) {  // of BLS12-381's scalars: m = -even[0], no product needed
      const u32 lowest = even[0];
      const u32 m = chain.subtract(0, lowest);
      const u32 high = chain.subtract_end(m, 0);  // of m (2^32 - 1), whose low word is `lowest`
      odd[0] = chain.add(odd[0], lowest);
      odd[1] = chain.add_on(odd[1], high);
      add_row_on<2>(chain, odd, p.w + 1, m);
      even[0] = chain.add(lowest, m);
      even[1] = chain.add_on(even[1], 0);
      add_row_on<2>(chain, even, p.w, m);
    } else {
      const u32 m = even[0] * kNegInverse;
      add_row(chain, odd, p.w + 1, m);
      add_row(chain, even, p.w, m);
    }
    odd[kWords - 1] = chain.add_end(odd[kWords - 1], 0);
  }
  /// (low + 2^32 high) / 2^32 + a b, reduced by a word; what was high is aligned with the words of even index now.
  static CUZK_DEVICE void next_row(u32* even, u32* odd, const u32* a, u32 b) {
    shift_and_add(even, odd, a, b);
    reduce_row(even, odd);
  }
  template <unsigned kProducts>
  static CUZK_DEVICE void next_row(u32* even, u32* odd, const DeviceFp (&a)[kProducts], const Row<kProducts>& b) {
    shift_and_add(even, odd, a[0].w, b.w[0]);
    CUZK_UNROLL for (unsigned k = 1; k < kProducts; ++k) add_product(even, odd, a[k].w, b.w[k]);
    reduce_row(even, odd);
  }
  static CUZK_DEVICE void shift_and_add(u32* even, u32* odd, const u32* a, u32 b) {
    CarryChain chain;
    even[0] = chain.add(even[0], odd[1]);
    add_row_shifted(chain, odd, a + 1, b);
    add_row(chain, even, a, b);
    odd[kWords - 1] = chain.add_end(odd[kWords - 1], 0);
  }
  static CUZK_DEVICE void add_product(u32* even, u32* odd, const u32* a, u32 b) {
    CarryChain chain;
    add_row(chain, odd, a + 1, b);
    add_row(chain, even, a, b);
    odd[kWords - 1] = chain.add_end(odd[kWords - 1], 0);
  }
  /// even + odd / 2^32, the lowest word of odd being zero.
  static CUZK_DEVICE DeviceFp merge(const u32* even, const u32* odd) {
    DeviceFp r;
    CarryChain chain;
    r.w[0] = chain.add(even[0], odd[1]);
    CUZK_UNROLL for (unsigned i = 1; i + 1 < kWords; ++i) r.w[i] = chain.add_on(even[i], odd[i + 1]);
    r.w[kWords - 1] = chain.add_end(even[kWords - 1], 0);
    return r;
  }
};

/// The device's type of what a field of the host is: the same bytes. Fields over others have theirs beside them
/// (curve/device_fq2.h).
template <class Field> struct DeviceTwinOf {
  using type = DeviceFp<typename Field::Params>;
};
template <class Field> using DeviceTwin = typename DeviceTwinOf<Field>::type;
template <class Field> DeviceTwin<Field> device_twin(const Field& x) { return std::bit_cast<DeviceTwin<Field>>(x); }

/// The elements of a field with products as calls on a device: for code that is not hot enough to be worth its
/// compilation, or in line would be too long for the cache of instructions.
template <class F> struct CalledField {
  using Inlined = F;
  Inlined value;

  static CUZK_DEVICE CalledField zero() { return {Inlined::zero()}; }
  static CUZK_DEVICE CalledField one() { return {Inlined::one()}; }
  CUZK_DEVICE bool is_zero() const { return value.is_zero(); }
  friend CUZK_DEVICE CalledField operator+(const CalledField& a, const CalledField& b) { return {a.value + b.value}; }
  friend CUZK_DEVICE CalledField operator-(const CalledField& a, const CalledField& b) { return {a.value - b.value}; }
  CUZK_DEVICE CalledField operator-() const { return {-value}; }
  CUZK_DEVICE CalledField doubled() const { return {value.doubled()}; }
  friend CUZK_DEVICE CalledField operator*(const CalledField& a, const CalledField& b) {
    return {product(a.value, b.value)};
  }
  CUZK_DEVICE CalledField squared() const { return {square(value)}; }
  static CUZK_DEVICE CalledField sum_of_products(const CalledField& a, const CalledField& b, const CalledField& c,
                                                 const CalledField& d) {
    return {two_products(a.value, b.value, c.value, d.value)};
  }

 private:
  static CUZK_DEVICE_CALL Inlined product(Inlined a, Inlined b) { return a * b; }
  static CUZK_DEVICE_CALL Inlined square(Inlined a) { return a.squared(); }
  static CUZK_DEVICE_CALL Inlined two_products(Inlined a, Inlined b, Inlined c, Inlined d) {
    return Inlined::sum_of_products(a, b, c, d);
  }
};
template <class P> using CalledFp = CalledField<DeviceFp<P>>;

/// The arithmetic of F where it is not hot. Fields whose products are calls anyhow say so beside them.
template <class F> struct CalledAs {
  using type = CalledField<F>;
};
template <class F> struct CalledAs<CalledField<F>> {
  using type = CalledField<F>;
};
template <class F> using Called = typename CalledAs<F>::type;

/// Threads that compute their elements of F in step, so that a branch is taken by all of them or by none: whether a
/// condition holds for one of them, for all. A thread by itself decides for itself.
template <class F> struct InStep {
  static CUZK_DEVICE bool any(bool condition) { return condition; }
  static CUZK_DEVICE bool all(bool condition) { return condition; }
};
template <class F> struct InStep<CalledField<F>> : InStep<F> {};

}  // namespace cuzk
