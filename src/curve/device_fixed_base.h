// Multiples of one point from a table, and sums brought to affine form, as a device computes them; curve/fixed_base.h
// is the host's way to the same points.
//
// Windows of w = 8 or 16 bits with signed digits: entry i 2^(w-1) + j - 1 of the table is j 2^(w i) G for all windows i
// and 1 <= j <= 2^(w-1). Source: as fixed_base.h. Compiles for host and device. Not constant time. Thread-safety:
// pure functions.
#pragma once

#include "curve/device_fq2.h"
#include "curve/device_xyzz.h"

namespace cuzk {

struct FixedWindows {
  unsigned bits;  // 8 or 16

  CUZK_DEVICE constexpr unsigned count() const { return 256 / bits; }
  CUZK_DEVICE constexpr u32 entries() const { return u32{1} << (bits - 1); }
};

/// k G of the 8 words of a k below 2^255. `load` reads an entry of the table.
template <class F, class Load>
CUZK_DEVICE DeviceXyzz<F> fixed_base_multiple(const FixedWindows& windows, const DeviceAffine<F>* table, const u32* k,
                                              const Load& load) {
  const u32 entries = windows.entries();
  DeviceXyzz<F> sum = DeviceXyzz<F>::identity();
  u32 carry = 0;
  for (unsigned i = 0; i < windows.count(); ++i) {
    const unsigned at = i * windows.bits;
    const u32 digit = (k[at / 32] >> (at % 32) & (2 * entries - 1)) + carry;
    carry = digit > entries ? 1 : 0;  // then it counts as digit - 2^w
    const u32 size = carry != 0 ? 2 * entries - digit : digit;
    if (size == 0) continue;
    DeviceAffine<F> p = load(table + (std::size_t{i} * entries + size - 1));
    if (carry != 0) p.y = -p.y;
    sum.add(p);
  }
  return sum;
}

/// 1 / a, by Fermat; of zero it is zero.
template <class P> CUZK_DEVICE CalledFp<P> inverse_of(const CalledFp<P>& a) {
  using Words = DeviceFp<P>;
  constexpr auto exponent = Words::words_of([] {
    auto v = P::modulus;
    v.sub(decltype(v)::from_u64(2));
    return v;
  }());
  auto r = CalledFp<P>::one();
  for (unsigned i = Words::kWords * 32; i-- > 0;) {
    r = r.squared();
    if ((exponent.w[i / 32] >> (i % 32) & 1) != 0) r = r * a;
  }
  return r;
}
template <class P> CUZK_DEVICE DeviceFq2<P> inverse_of(const DeviceFq2<P>& a) {
  const auto norm = inverse_of(a.c0.squared() + a.c1.squared());
  return {a.c0 * norm, -(a.c1 * norm)};
}

/// to[i] = sums[i] in affine form for i = first, first + step, ... below `count`, with one inversion.
template <class F>
CUZK_DEVICE void to_affine_strided(const DeviceXyzz<F>* sums, DeviceAffine<F>* to, std::size_t first, std::size_t step,
                                   std::size_t count) {
  if (first >= count) return;
  F product = F::one();
  std::size_t last = first;
  for (std::size_t i = first; i < count; i += step) {
    to[i].x = product;  // of those before
    if (!sums[i].is_identity()) product = product * sums[i].zzz;
    last = i;
  }
  F inverse = inverse_of(product);
  for (std::size_t i = last;; i -= step) {
    if (sums[i].is_identity()) {
      to[i] = {F::zero(), F::zero()};
    } else {
      const F own = inverse * to[i].x;  // 1 / ZZZ
      const F z = sums[i].zz * own;     // 1 / Z
      inverse = inverse * sums[i].zzz;
      to[i] = {sums[i].x * z.squared(), sums[i].y * own};
    }
    if (i == first) break;
  }
}

}  // namespace cuzk
