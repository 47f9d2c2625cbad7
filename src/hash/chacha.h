// The ChaCha stream cipher's keystream (Bernstein, ChaCha, a variant of Salsa20, 2008; RFC 8439 for the form with a
// 96-bit nonce): randomness that a protocol derives from a key.
//
// Reference speed, one block at a time. Thread-safety: pure functions; a stream belongs to one thread.
#pragma once

#include <array>
#include <cstdint>

#include "support/bytes.h"

namespace cuzk::hash {

using ChachaKey = std::array<std::byte, 32>;

/// Where a keystream starts: the last four words of the cipher's state.
struct ChachaPosition {
  std::array<std::uint32_t, 4> words{};
  unsigned counter_words = 2;  // how many of them, from the first, count blocks

  /// The original form: a 64-bit block counter and a zero nonce.
  static constexpr ChachaPosition zero_nonce() noexcept { return {}; }
  /// RFC 8439: a 32-bit block counter and a 96-bit nonce.
  static ChachaPosition ietf(const std::array<std::byte, 12>& nonce, std::uint32_t counter = 0) noexcept;
};

/// `rounds`: 8 or 20. Fills `out` from the start of the block that `position` names.
void chacha_keystream(unsigned rounds, const ChachaKey& key, ChachaPosition position, MutableBytes out) noexcept;

/// The keystream word by word, little-endian.
class ChachaStream {
 public:
  ChachaStream(unsigned rounds, const ChachaKey& key, ChachaPosition position) noexcept;

  std::uint32_t next_u32() noexcept;
  /// The next word, then the one above it.
  std::uint64_t next_u64() noexcept;
  /// 4 bytes a word. precondition: a multiple of 4.
  void fill(MutableBytes out) noexcept;

 private:
  static constexpr unsigned kBlockWords = 16;
  void refill() noexcept;

  unsigned rounds_;
  unsigned counter_words_;
  std::array<std::uint32_t, kBlockWords> state_;
  std::array<std::uint32_t, kBlockWords> block_{};
  unsigned used_ = kBlockWords;
};

}  // namespace cuzk::hash
