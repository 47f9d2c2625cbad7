#include "hash/sha256_compress.h"

#include <bit>

#include "support/cpu_path_scope.h"
#include "support/result.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cuzk::hash {

// Fractional parts of the cube roots of the first 64 primes.
extern constexpr std::array<std::uint32_t, 64> kSha256RoundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

namespace {

constexpr std::size_t kBlockBytes = 64;

// --- portable

std::array<std::uint32_t, 64> message_schedule(const std::byte* block) noexcept {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = load_be<std::uint32_t>(block + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  return w;
}

void compress_portable(Sha256State& state, const std::byte* block) noexcept {
  const std::array<std::uint32_t, 64> w = message_schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kSha256RoundConstants[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const Sha256State worked = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += worked[i];
}

// --- SHA extensions (Gulley et al., Intel SHA extensions, 2013): two rounds an instruction on (ABEF, CDGH)

#if defined(__x86_64__)

#define CUZK_TARGET_SHA [[gnu::target("sha,sse4.1")]]

CUZK_TARGET_SHA inline __m128i round_constants(std::size_t group) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(kSha256RoundConstants.data() + 4 * group));
}

CUZK_TARGET_SHA inline __m128i load_big_endian(const std::byte* from) noexcept {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)), swap);
}

/// Words i .. i+3 of the schedule from the 16 before them, four to a vector.
CUZK_TARGET_SHA inline __m128i next_words(__m128i w0, __m128i w4, __m128i w8, __m128i w12) noexcept {
  const __m128i with_s0 = _mm_sha256msg1_epu32(w0, w4);
  const __m128i w9 = _mm_alignr_epi8(w12, w8, 4);
  return _mm_sha256msg2_epu32(_mm_add_epi32(with_s0, w9), w12);
}

CUZK_TARGET_SHA inline void four_rounds(__m128i& abef, __m128i& cdgh, __m128i words, std::size_t group) noexcept {
  const __m128i input = _mm_add_epi32(words, round_constants(group));
  const __m128i abef_after_two = _mm_sha256rnds2_epu32(cdgh, abef, input);
  const __m128i abef_after_four = _mm_sha256rnds2_epu32(abef, abef_after_two, _mm_shuffle_epi32(input, 0x0e));
  cdgh = abef_after_two;
  abef = abef_after_four;
}

CUZK_TARGET_SHA inline void compress_block(__m128i& abef, __m128i& cdgh, const std::byte* block) noexcept {
  const __m128i abef_before = abef;
  const __m128i cdgh_before = cdgh;
  __m128i words[4];
  for (std::size_t i = 0; i < 4; ++i) {
    words[i] = load_big_endian(block + 16 * i);
    four_rounds(abef, cdgh, words[i], i);
  }
#pragma GCC unroll 12
  for (std::size_t i = 4; i < 16; ++i) {
    words[i % 4] = next_words(words[i % 4], words[(i + 1) % 4], words[(i + 2) % 4], words[(i + 3) % 4]);
    four_rounds(abef, cdgh, words[i % 4], i);
  }
  abef = _mm_add_epi32(abef, abef_before);
  cdgh = _mm_add_epi32(cdgh, cdgh_before);
}

CUZK_TARGET_SHA void compress_sha_extensions(Sha256State& state, Bytes blocks) noexcept {
  const auto [a, b, c, d, e, f, g, h] = state;
  const auto vector = [](std::uint32_t w3, std::uint32_t w2, std::uint32_t w1, std::uint32_t w0) {
    return std::bit_cast<__m128i>(std::array{w0, w1, w2, w3});
  };
  __m128i abef = vector(a, b, e, f);
  __m128i cdgh = vector(c, d, g, h);
  for (std::size_t at = 0; at < blocks.size(); at += kBlockBytes) compress_block(abef, cdgh, blocks.data() + at);
  const auto feba = std::bit_cast<std::array<std::uint32_t, 4>>(abef);
  const auto hgdc = std::bit_cast<std::array<std::uint32_t, 4>>(cdgh);
  state = {feba[3], feba[2], hgdc[3], hgdc[2], feba[1], feba[0], hgdc[1], hgdc[0]};
}

#endif

}  // namespace

void sha256_compress_portable(Sha256State& state, Bytes blocks) noexcept {
  CUZK_ASSERT(blocks.size() % kBlockBytes == 0);
  for (std::size_t at = 0; at < blocks.size(); at += kBlockBytes) compress_portable(state, blocks.data() + at);
}

void sha256_compress(Sha256State& state, Bytes blocks) noexcept {
#if defined(__x86_64__)
  static const bool extensions = cpu_features().sha && process_cpu_path() != CpuPath::portable;
  if (extensions) return compress_sha_extensions(state, blocks);
#endif
  sha256_compress_portable(state, blocks);
}

void sha256_pad(MutableBytes blocks, std::size_t length) noexcept {
  CUZK_ASSERT(blocks.size() % kBlockBytes == 0 && length + 9 <= blocks.size());
  blocks[length] = std::byte{0x80};
  store_be(blocks.data() + blocks.size() - 8, std::uint64_t{8 * length});
}

U256 trimmed_digest(const Sha256State& state) noexcept {
  U256 node;
  for (std::size_t i = 0; i < 4; ++i) node.limb[i] = byte_swap(state[2 * i]) | u64{byte_swap(state[2 * i + 1])} << 32;
  node.limb[3] &= ~u64{0} >> 2;
  return node;
}

U256 sha256_pair(const U256& left, const U256& right) noexcept {
  std::array<std::byte, 2 * kBlockBytes> message{};
  left.to_le_bytes(message.data());
  right.to_le_bytes(message.data() + 32);
  sha256_pad(message, kBlockBytes);
  Sha256State state = kSha256Initial;
  sha256_compress(state, message);
  return trimmed_digest(state);
}

}  // namespace cuzk::hash
