// Fixed-size unsigned integers of N 64-bit limbs, least significant first: canonical values, exponents, scalars,
// moduli.
//
// Not an arithmetic library: just what prime fields and their encodings need. All functions are constexpr,
// constant-size and allocation-free except the decimal text. Sizes: sizeof(BigInt<N>) == 8 N, trivially copyable,
// little-endian limbs, so on a little-endian machine the bytes in memory are the canonical little-endian encoding.
// Thread-safety: values.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cuzk {

static_assert(std::endian::native == std::endian::little, "limb bytes are used as the little-endian encoding");

using u64 = std::uint64_t;
__extension__ typedef unsigned __int128 u128;  // the only spelling -Wpedantic accepts

template <std::size_t N> struct BigInt {
  std::array<u64, N> limb;

  static constexpr std::size_t limbs = N;
  static constexpr std::size_t bytes = 8 * N;
  static constexpr std::size_t bits = 64 * N;

  static constexpr BigInt zero() noexcept { return {}; }
  static constexpr BigInt from_u64(u64 v) noexcept {
    BigInt r{};
    r.limb[0] = v;
    return r;
  }

  /// Compile-time constant from hex digits without prefix, most significant first. Ill-formed text does not compile.
  static consteval BigInt from_hex(std::string_view digits) {
    BigInt r{};
    for (const char c : digits) {
      if (r.limb[N - 1] >> 60 != 0) throw "hex constant does not fit";
      for (std::size_t i = N; i-- > 1;) r.limb[i] = r.limb[i] << 4 | r.limb[i - 1] >> 60;
      const bool decimal = c >= '0' && c <= '9';
      if (!decimal && !(c >= 'a' && c <= 'f')) throw "not a lower-case hex digit";
      r.limb[0] = r.limb[0] << 4 | static_cast<u64>(decimal ? c - '0' : c - 'a' + 10);
    }
    return r;
  }

  constexpr bool is_zero() const noexcept {
    u64 any = 0;
    for (const u64 l : limb) any |= l;
    return any == 0;
  }
  constexpr bool bit(std::size_t i) const noexcept { return (limb[i / 64] >> (i % 64) & 1) != 0; }

  /// `count` (1..32) bits from bit position `at`; bits beyond the top read as zero.
  constexpr std::uint32_t window(std::size_t at, unsigned count) const noexcept {
    const std::size_t i = at / 64;
    const unsigned shift = static_cast<unsigned>(at % 64);
    if (i >= N) return 0;
    u64 v = limb[i] >> shift;
    if (shift + count > 64 && i + 1 < N) v |= limb[i + 1] << (64 - shift);
    return static_cast<std::uint32_t>(v & ((u64{1} << count) - 1));
  }

  /// Number of significant bits; 0 for zero.
  constexpr unsigned bit_length() const noexcept {
    for (std::size_t i = N; i-- > 0;)
      if (limb[i] != 0) return static_cast<unsigned>(64 * i) + static_cast<unsigned>(std::bit_width(limb[i]));
    return 0;
  }

  /// *this += b; returns the carry out (0 or 1).
  constexpr u64 add(const BigInt& b) noexcept {
    u64 carry = 0;
    for (std::size_t i = 0; i < N; ++i) {
      const u128 t = static_cast<u128>(limb[i]) + b.limb[i] + carry;
      limb[i] = static_cast<u64>(t);
      carry = static_cast<u64>(t >> 64);
    }
    return carry;
  }
  /// *this -= b; returns the borrow out (0 or 1).
  constexpr u64 sub(const BigInt& b) noexcept {
    u64 borrow = 0;
    for (std::size_t i = 0; i < N; ++i) {
      const u128 t = static_cast<u128>(limb[i]) - b.limb[i] - borrow;
      limb[i] = static_cast<u64>(t);
      borrow = static_cast<u64>(t >> 64) & 1;
    }
    return borrow;
  }
  constexpr BigInt shifted_right(unsigned count) const noexcept {
    BigInt r{};
    const std::size_t words = count / 64;
    const unsigned shift = count % 64;
    for (std::size_t i = 0; i + words < N; ++i) {
      r.limb[i] = limb[i + words] >> shift;
      if (shift != 0 && i + words + 1 < N) r.limb[i] |= limb[i + words + 1] << (64 - shift);
    }
    return r;
  }

  friend constexpr bool operator==(const BigInt&, const BigInt&) noexcept = default;
  friend constexpr bool operator<(const BigInt& a, const BigInt& b) noexcept {
    BigInt t = a;
    return t.sub(b) != 0;
  }

  /// 8N bytes, little or big endian.
  static BigInt from_le_bytes(const std::byte* in) noexcept;
  static BigInt from_be_bytes(const std::byte* in) noexcept;
  void to_le_bytes(std::byte* out) const noexcept;
  void to_be_bytes(std::byte* out) const noexcept;

  std::string to_decimal() const;
  /// Digits `0|[1-9][0-9]*` only (no sign, blank, leading zero); nothing if ill-formed or not below 2^(64N).
  static std::optional<BigInt> from_decimal(std::string_view digits) noexcept;
  /// 16N lower-case digits, most significant first.
  std::string to_hex() const;
};

extern template struct BigInt<4>;
extern template struct BigInt<6>;

using U256 = BigInt<4>;
using U384 = BigInt<6>;

}  // namespace cuzk
