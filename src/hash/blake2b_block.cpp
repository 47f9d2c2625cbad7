#include "hash/blake2b_block.h"

#include "support/result.h"

namespace cuzk::hash {
namespace {

using Words8 = std::array<std::uint64_t, 8>;
using Words16 = std::array<std::uint64_t, 16>;

constexpr Words8 kInitial = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                             0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
constexpr std::uint64_t kParameters = 0x01010040;  // digest of 64 bytes, no key, fanout and depth 1
constexpr std::size_t kBlockBytes = 128;
constexpr unsigned kRounds = 12;

/// Order of the message's words, round by round; rounds 10 and 11 repeat 0 and 1.
constexpr std::uint8_t kSigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

inline void mix(std::uint64_t& a, std::uint64_t& b, std::uint64_t& c, std::uint64_t& d, std::uint64_t x,
                std::uint64_t y) noexcept {
  a += b + x;
  d = std::rotr(d ^ a, 32);
  c += d;
  b = std::rotr(b ^ c, 24);
  a += b + y;
  d = std::rotr(d ^ a, 16);
  c += d;
  b = std::rotr(b ^ c, 63);
}

inline void round(Words16& v, const Words16& m, const std::uint8_t (&s)[16]) noexcept {
  mix(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
  mix(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
  mix(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
  mix(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
  mix(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
  mix(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
  mix(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
  mix(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
}

}  // namespace

std::array<std::byte, 64> blake2b_512_block(Bytes message) noexcept {
  CUZK_ASSERT(message.size() <= kBlockBytes);
  Words16 m{};
  if (!message.empty()) std::memcpy(m.data(), message.data(), message.size());  // memcpy takes no null pointer
  Words8 h = kInitial;
  h[0] ^= kParameters;

  Words16 v;
  for (std::size_t i = 0; i < 8; ++i) v[i] = h[i], v[i + 8] = kInitial[i];
  v[12] ^= message.size();  // bytes so far
  v[14] = ~v[14];           // the last block
  for (unsigned r = 0; r < kRounds; ++r) round(v, m, kSigma[r % 10]);

  std::array<std::byte, 64> digest;
  for (std::size_t i = 0; i < 8; ++i) store_le(digest.data() + 8 * i, h[i] ^ v[i] ^ v[i + 8]);
  return digest;
}

}  // namespace cuzk::hash
