// Prime fields in Montgomery form.
//
// Fp<P, Isa> is Z/p with p = P::modulus, an odd prime of N = 4 or 6 limbs whose top bit is clear. The element x is
// stored as x R mod p with R = 2^(64 N), fully reduced, little-endian limbs: the "Montgomery little-endian" form of
// .zkey files. Montgomery, Modular multiplication without trial division (1985); CIOS without the extra carry word,
// since the modulus leaves its top bit free (Acar 1998; https://hackmd.io/@gnark/modular_multiplication).
//
// Only the modulus is typed by hand (field/params.h); R, R^2, -1/p mod 2^64 and roots of unity are compile-time
// derivations. Fp x; is uninitialised, Fp x{}; is zero. Trivially copyable, sizeof == 8 N, no padding. Not constant
// time. Thread-safety: values. Errors: none; preconditions (value < p) belong to the decoders in curve/ and formats/.
#pragma once

#include <span>
#include <type_traits>

#include "field/big_int.h"
#include "field/isa.h"
#include "field/limb_ops.h"
#include "field/params.h"

namespace cuzk {

/// Constants of a modulus, derived.
template <class P> struct FpConstants {
  static constexpr std::size_t N = P::modulus.limbs;
  using Repr = BigInt<N>;
  static constexpr Repr modulus = P::modulus;
  /// The modulus as a plain array: an asm operand that is an address even without optimisation and, since never
  /// exported, even in position-independent code.
  struct Limbs {
    u64 limb[N];
  };
  [[gnu::visibility("hidden")]] static constexpr Limbs p = std::bit_cast<Limbs>(P::modulus);

  /// -1/p mod 2^64, by Newton iteration.
  static consteval u64 neg_inverse() {
    u64 inv = 1;
    for (int i = 0; i < 6; ++i) inv *= 2 - P::modulus.limb[0] * inv;
    return ~inv + 1;
  }
  /// 2^k mod p.
  static consteval Repr power_of_two(unsigned k) {
    Repr v = Repr::from_u64(1);
    for (unsigned i = 0; i < k; ++i) {
      const u64 carry = v.add(v);
      if (carry != 0 || !(v < P::modulus)) v.sub(P::modulus);
    }
    return v;
  }

  [[gnu::visibility("hidden")]] static constexpr u64 n0 = neg_inverse();
  static constexpr Repr r = power_of_two(64 * N);
  static constexpr Repr r2 = power_of_two(128 * N);
  static constexpr Repr r3 = power_of_two(192 * N);
  static constexpr Repr p_minus_1 = [] {
    Repr v = P::modulus;
    v.sub(Repr::from_u64(1));
    return v;
  }();
  static constexpr Repr half = p_minus_1.shifted_right(1);
  /// s with 2^s || p - 1.
  static constexpr unsigned two_adicity = [] {
    unsigned s = 0;
    while (!p_minus_1.bit(s)) ++s;
    return s;
  }();
  static_assert((P::modulus.limb[N - 1] >> 63) == 0, "the no-carry product needs a free top bit");
};

template <class P, class Isa = Portable> class [[gnu::may_alias]] Fp {
 public:
  using Params = P;
  using Constants = FpConstants<P>;
  using Repr = typename Constants::Repr;
  static constexpr std::size_t limbs = Constants::N;
  static constexpr std::size_t bytes = 8 * limbs;
  static constexpr Repr modulus = P::modulus;

  Fp() = default;

  static constexpr Fp zero() noexcept { return from_montgomery(Repr::zero()); }
  static constexpr Fp one() noexcept { return from_montgomery(Constants::r); }
  /// The limbs as they lie in memory; precondition: below p.
  static constexpr Fp from_montgomery(const Repr& limbs_below_p) noexcept {
    Fp x{};
    x.v_ = limbs_below_p;
    return x;
  }
  /// precondition: value below p.
  static constexpr Fp from_canonical(const Repr& value) noexcept {
    return from_montgomery(value) * from_montgomery(Constants::r2);
  }
  static constexpr Fp from_u64(u64 value) noexcept { return from_canonical(Repr::from_u64(value)); }

  constexpr const Repr& montgomery() const noexcept { return v_; }
  constexpr Repr canonical() const noexcept { return (*this * from_montgomery(Repr::from_u64(1))).v_; }

  /// Whether the canonical value exceeds (p-1)/2, that is the one of -x: the sign bit of compressed points.
  constexpr bool is_lexicographically_larger() const noexcept { return Constants::half < canonical(); }

  constexpr bool is_zero() const noexcept { return v_.is_zero(); }
  constexpr bool is_one() const noexcept { return v_ == Constants::r; }
  friend constexpr bool operator==(const Fp& a, const Fp& b) noexcept { return a.v_ == b.v_; }

  friend constexpr Fp operator+(const Fp& a, const Fp& b) noexcept {
    if (std::is_constant_evaluated()) return from_montgomery(limb_ops::add_portable(a.v_, b.v_, P::modulus));
    return from_montgomery(limb_ops::add<Constants>(a.v_, b.v_));
  }
  friend constexpr Fp operator-(const Fp& a, const Fp& b) noexcept {
    if (std::is_constant_evaluated()) return from_montgomery(limb_ops::sub_portable(a.v_, b.v_, P::modulus));
    return from_montgomery(limb_ops::sub<Constants>(a.v_, b.v_));
  }
  constexpr Fp operator-() const noexcept { return zero() - *this; }
  constexpr Fp doubled() const noexcept { return *this + *this; }

  friend constexpr Fp operator*(const Fp& a, const Fp& b) noexcept {
    if (std::is_constant_evaluated()) return product(a, b);
    return mul(a, b);
  }
  constexpr Fp squared() const noexcept {
    if (std::is_constant_evaluated()) return product(*this, *this);
    return sqr(*this);
  }
  Fp& operator+=(const Fp& b) noexcept { return *this = *this + b; }
  Fp& operator-=(const Fp& b) noexcept { return *this = *this - b; }
  Fp& operator*=(const Fp& b) noexcept { return *this = *this * b; }

  /// Left-to-right square and multiply; variable time.
  template <std::size_t M> constexpr Fp pow(const BigInt<M>& exponent) const noexcept {
    Fp r = one();
    for (std::size_t i = exponent.bit_length(); i-- > 0;) {
      r = r.squared();
      if (exponent.bit(i)) r = r * *this;
    }
    return r;
  }
  constexpr Fp pow(u64 exponent) const noexcept { return pow(BigInt<1>{{exponent}}); }

  /// 1/x; zero for zero. Variable time (divsteps_impl.h).
  Fp inverse() const noexcept;
  /// A root of x^2 = *this when p = 3 mod 4 and one exists; `ok` says whether.
  Fp sqrt(bool& ok) const noexcept;

  /// Primitive root of unity of order 2^k, k <= two_adicity (scalar fields): P::generator(family)^((p-1)/2^k).
  static Fp root_of_unity(RootFamily family, unsigned k) noexcept
    requires requires { P::generator(family); }
  {
    return from_u64(P::generator(family)).pow(Constants::p_minus_1.shifted_right(k));
  }

  /// The products; one call deep. Defined in fp_mul.h, which only fp_inst.cpp and named hot units include.
  static Fp mul(const Fp& a, const Fp& b) noexcept;
  static Fp sqr(const Fp& a) noexcept;

 private:
  /// CIOS over 64-bit limbs (portable, constexpr).
  static constexpr Fp product(const Fp& a, const Fp& b) noexcept {
    Repr t{};
#pragma GCC unroll 6
    for (std::size_t i = 0; i < limbs; ++i) {
      const u64 bi = b.v_.limb[i];
      u128 acc = static_cast<u128>(a.v_.limb[0]) * bi + t.limb[0];
      u64 carry = static_cast<u64>(acc >> 64);
      const u64 m = static_cast<u64>(acc) * Constants::n0;
      u64 reduction = static_cast<u64>((static_cast<u128>(m) * P::modulus.limb[0] + static_cast<u64>(acc)) >> 64);
#pragma GCC unroll 6
      for (std::size_t j = 1; j < limbs; ++j) {
        acc = static_cast<u128>(a.v_.limb[j]) * bi + t.limb[j] + carry;
        carry = static_cast<u64>(acc >> 64);
        const u128 red = static_cast<u128>(m) * P::modulus.limb[j] + static_cast<u64>(acc) + reduction;
        reduction = static_cast<u64>(red >> 64);
        t.limb[j - 1] = static_cast<u64>(red);
      }
      t.limb[limbs - 1] = reduction + carry;
    }
    if (std::is_constant_evaluated()) return from_montgomery(limb_ops::reduce_once_portable(t, P::modulus));
    return from_montgomery(limb_ops::reduce_once<Constants>(t));
  }

  Repr v_;
};

/// T computed with another Isa: rebind_isa<Fp<P>, Adx> is Fp<P, Adx>; towers and points specialise it in curve/.
template <class T, class Isa> struct RebindIsa;
template <class P, class From, class To> struct RebindIsa<Fp<P, From>, To> {
  using type = Fp<P, To>;
};
template <class T, class Isa> using rebind_isa = typename RebindIsa<T, Isa>::type;

/// The same elements seen with another Isa; no copy.
template <class Isa, class T> auto view_as(std::span<T> elements) noexcept {
  using Plain = rebind_isa<std::remove_const_t<T>, Isa>;
  using Target = std::conditional_t<std::is_const_v<T>, const Plain, Plain>;
  static_assert(sizeof(Plain) == sizeof(T) && std::is_trivially_copyable_v<Plain>);
  return std::span<Target>(reinterpret_cast<Target*>(elements.data()), elements.size());
}
/// One element with another Isa.
template <class Isa, class T> rebind_isa<T, Isa> with_arithmetic(const T& element) noexcept {
  return std::bit_cast<rebind_isa<T, Isa>>(element);
}

/// Replaces every non-zero element by its inverse (zeros stay): one inversion and 3 products an element (Montgomery's
/// trick). `scratch` has the same length. Not thread-safe on the same spans.
template <class F> void batch_inverse(std::span<F> elements, std::span<F> scratch) noexcept;

namespace bn254 {
using Fr = Fp<Bn254FrParams>;
using Fq = Fp<Bn254FqParams>;
}  // namespace bn254

namespace bls12_381 {
using Fr = Fp<Bls12_381FrParams>;
using Fq = Fp<Bls12_381FqParams>;
}  // namespace bls12_381

}  // namespace cuzk
