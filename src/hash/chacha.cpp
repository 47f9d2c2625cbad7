#include "hash/chacha.h"

namespace cuzk::hash {

namespace {

using State = std::array<std::uint32_t, 16>;

void quarter_round(State& x, unsigned a, unsigned b, unsigned c, unsigned d) noexcept {
  x[d] = std::rotl(x[d] ^ (x[a] += x[b]), 16);
  x[b] = std::rotl(x[b] ^ (x[c] += x[d]), 12);
  x[d] = std::rotl(x[d] ^ (x[a] += x[b]), 8);
  x[b] = std::rotl(x[b] ^ (x[c] += x[d]), 7);
}

/// The four columns, then the four diagonals.
void double_round(State& x) noexcept {
  for (unsigned i = 0; i < 4; ++i) quarter_round(x, i, 4 + i, 8 + i, 12 + i);
  for (unsigned i = 0; i < 4; ++i) quarter_round(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
}

}  // namespace

ChachaPosition ChachaPosition::ietf(const std::array<std::byte, 12>& nonce, std::uint32_t counter) noexcept {
  return {.words = {counter, load_le<std::uint32_t>(nonce.data()), load_le<std::uint32_t>(nonce.data() + 4),
                    load_le<std::uint32_t>(nonce.data() + 8)},
          .counter_words = 1};
}

ChachaStream::ChachaStream(unsigned rounds, const ChachaKey& key, ChachaPosition position) noexcept
    : rounds_(rounds),
      counter_words_(position.counter_words),
      state_{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} {  // "expand 32-byte k"
  for (unsigned i = 0; i < 8; ++i) state_[4 + i] = load_le<std::uint32_t>(key.data() + std::size_t{4} * i);
  for (unsigned i = 0; i < 4; ++i) state_[12 + i] = position.words[i];
}

void ChachaStream::refill() noexcept {
  block_ = state_;
  for (unsigned i = 0; i < rounds_; i += 2) double_round(block_);
  for (unsigned i = 0; i < kBlockWords; ++i) block_[i] += state_[i];
  for (unsigned i = 0; i < counter_words_; ++i)
    if (++state_[12 + i] != 0) break;
  used_ = 0;
}

std::uint32_t ChachaStream::next_u32() noexcept {
  if (used_ == kBlockWords) refill();
  return block_[used_++];
}

std::uint64_t ChachaStream::next_u64() noexcept {
  const std::uint64_t low = next_u32();
  return low | std::uint64_t{next_u32()} << 32;
}

void ChachaStream::fill(MutableBytes out) noexcept {
  for (std::size_t at = 0; at < out.size(); at += 4) store_le(out.data() + at, next_u32());
}

void chacha_keystream(unsigned rounds, const ChachaKey& key, ChachaPosition position, MutableBytes out) noexcept {
  ChachaStream stream(rounds, key, position);
  const std::size_t whole = out.size() / 4 * 4;
  stream.fill(out.first(whole));
  if (whole == out.size()) return;
  const std::uint32_t last = stream.next_u32();
  std::memcpy(out.data() + whole, &last, out.size() - whole);
}

}  // namespace cuzk::hash
