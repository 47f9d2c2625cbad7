#include "field/big_int.h"

#include <algorithm>
#include <cstring>

#include "support/bytes.h"

namespace cuzk {

template <std::size_t N> BigInt<N> BigInt<N>::from_le_bytes(const std::byte* in) noexcept {
  BigInt r;
  std::memcpy(r.limb.data(), in, bytes);
  return r;
}

template <std::size_t N> BigInt<N> BigInt<N>::from_be_bytes(const std::byte* in) noexcept {
  BigInt r;
  for (std::size_t i = 0; i < N; ++i) r.limb[i] = load_be<u64>(in + 8 * (N - 1 - i));
  return r;
}

template <std::size_t N> void BigInt<N>::to_le_bytes(std::byte* out) const noexcept {
  std::memcpy(out, limb.data(), bytes);
}

template <std::size_t N> void BigInt<N>::to_be_bytes(std::byte* out) const noexcept {
  for (std::size_t i = 0; i < N; ++i) store_be(out + 8 * (N - 1 - i), limb[i]);
}

template <std::size_t N> std::string BigInt<N>::to_decimal() const {
  constexpr u64 kChunk = 10'000'000'000'000'000'000u;  // 10^19, the largest power of ten in a limb
  std::string digits;                                  // least significant first
  BigInt rest = *this;
  while (!rest.is_zero()) {
    u128 remainder = 0;
    for (std::size_t i = N; i-- > 0;) {
      remainder = remainder << 64 | rest.limb[i];
      rest.limb[i] = static_cast<u64>(remainder / kChunk);
      remainder %= kChunk;
    }
    u64 chunk = static_cast<u64>(remainder);
    for (int i = 0; i < 19; ++i, chunk /= 10) digits.push_back(static_cast<char>('0' + chunk % 10));
  }
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  if (digits.empty()) digits = "0";
  std::reverse(digits.begin(), digits.end());
  return digits;
}

template <std::size_t N> std::optional<BigInt<N>> BigInt<N>::from_decimal(std::string_view digits) noexcept {
  if (digits.empty() || (digits.size() > 1 && digits.front() == '0')) return std::nullopt;
  BigInt r{};
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    u64 carry = static_cast<u64>(c - '0');
    for (u64& l : r.limb) {
      const u128 t = static_cast<u128>(l) * 10 + carry;
      l = static_cast<u64>(t);
      carry = static_cast<u64>(t >> 64);
    }
    if (carry != 0) return std::nullopt;
  }
  return r;
}

template <std::size_t N> std::string BigInt<N>::to_hex() const {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = N; i-- > 0;)
    for (unsigned shift = 64; shift > 0;) text.push_back(kDigits[limb[i] >> (shift -= 4) & 15]);
  return text;
}

template struct BigInt<4>;
template struct BigInt<6>;

}  // namespace cuzk
