// Bodies of gadgets/sha256.h.
#pragma once

#include "gadgets/multi_eq.h"
#include "gadgets/multipack.h"
#include "gadgets/sha256.h"
#include "gadgets/uint32.h"
#include "hash/sha256_compress.h"

namespace cuzk::gadgets {

namespace detail {

constexpr std::size_t kSha256BlockBits = 512;
using Sha256Words = std::array<UInt32, 8>;

/// A word that stays a list of summands until it is used: SHA-256's a and e are added to once more before.
class DeferredSum {
 public:
  DeferredSum(const UInt32& word) noexcept : count_(1) { words_[0] = word; }  // NOLINT: a word is a sum
  DeferredSum(std::span<const UInt32> first, std::initializer_list<const UInt32*> more) noexcept {
    for (const UInt32& word : first) words_[count_++] = word;
    for (const UInt32* word : more) words_[count_++] = *word;
  }
  template <r1cs::ConstraintSystem CS> UInt32 word(MultiEq<CS>& equations) const {
    return count_ == 1 ? words_[0] : add_many(equations, summands());
  }
  DeferredSum plus(const UInt32& word) const noexcept { return {summands(), {&word}}; }

 private:
  std::span<const UInt32> summands() const noexcept { return std::span(words_).first(count_); }

  std::array<UInt32, 8> words_;
  std::size_t count_ = 0;
};

/// word >>> r1 xor word >>> r2 xor (word >>> r3, or word >> r3)
template <r1cs::ConstraintSystem CS>
UInt32 xor_of_three(CS& cs, const UInt32& word, unsigned r1, unsigned r2, const UInt32& third) {
  return word_xor(cs, word_xor(cs, word.rotated_right(r1), word.rotated_right(r2)), third);
}

template <r1cs::ConstraintSystem CS>
std::array<UInt32, 64> sha256_schedule(MultiEq<CS>& equations, std::span<const Boolean> block) {
  CS& cs = equations.system();
  std::array<UInt32, 64> w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = UInt32::from_bits_be(block.subspan(UInt32::kBits * i, UInt32::kBits));
  for (std::size_t i = 16; i < 64; ++i) {
    const UInt32 s0 = xor_of_three(cs, w[i - 15], 7, 18, w[i - 15].shifted_right(3));
    const UInt32 s1 = xor_of_three(cs, w[i - 2], 17, 19, w[i - 2].shifted_right(10));
    const UInt32 summands[] = {w[i - 16], s0, w[i - 7], s1};
    w[i] = add_many(equations, summands);
  }
  return w;
}

template <r1cs::ConstraintSystem CS>
Sha256Words sha256_compress(CS& cs, std::span<const Boolean> block, const Sha256Words& state) {
  const r1cs::Block piece(cs);
  MultiEq<CS> equations(cs);
  const std::array<UInt32, 64> w = sha256_schedule(equations, block);

  DeferredSum a = state[0], e = state[4];
  UInt32 b = state[1], c = state[2], d = state[3], f = state[5], g = state[6], h = state[7];
  for (std::size_t i = 0; i < 64; ++i) {
    const UInt32 new_e = e.word(equations);
    const UInt32 s1 = xor_of_three(cs, new_e, 6, 11, new_e.rotated_right(25));
    const UInt32 ch = word_choose(cs, new_e, f, g);
    const UInt32 t1[] = {h, s1, ch, UInt32::constant(hash::kSha256RoundConstants[i]), w[i]};

    const UInt32 new_a = a.word(equations);
    const UInt32 s0 = xor_of_three(cs, new_a, 2, 13, new_a.rotated_right(22));
    const UInt32 maj = word_majority(cs, new_a, b, c);

    h = g;
    g = f;
    f = new_e;
    e = DeferredSum(t1, {&d});
    d = c;
    c = b;
    b = new_a;
    a = DeferredSum(t1, {&s0, &maj});
  }

  const auto plus = [&](const UInt32& x, const UInt32& y) {
    const UInt32 summands[] = {x, y};
    return add_many(equations, summands);
  };
  Sha256Words next;
  next[0] = a.plus(state[0]).word(equations);
  next[1] = plus(state[1], b);
  next[2] = plus(state[2], c);
  next[3] = plus(state[3], d);
  next[4] = e.plus(state[4]).word(equations);
  next[5] = plus(state[5], f);
  next[6] = plus(state[6], g);
  next[7] = plus(state[7], h);
  equations.flush();
  return next;
}

/// A one, zeros, the length: whole blocks.
inline std::vector<Boolean> sha256_padded(std::span<const Boolean> message) {
  constexpr std::size_t kLengthBits = 64;
  const std::size_t blocks = (message.size() + 1 + kLengthBits + kSha256BlockBits - 1) / kSha256BlockBits;
  std::vector<Boolean> padded(message.begin(), message.end());
  padded.resize(blocks * kSha256BlockBits, Boolean::constant(false));
  padded[message.size()] = Boolean::constant(true);
  for (std::size_t i = 0; i < kLengthBits; ++i) {
    padded[padded.size() - 1 - i] = Boolean::constant((u64{message.size()} >> i & 1) != 0);
  }
  return padded;
}

}  // namespace detail

template <r1cs::ConstraintSystem CS> std::vector<Boolean> sha256(CS& cs, std::span<const Boolean> message) {
  CUZK_REQUIRE(message.size() % 8 == 0);
  const std::vector<Boolean> padded = detail::sha256_padded(message);
  detail::Sha256Words state;
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = UInt32::constant(hash::kSha256Initial[i]);
  for (std::size_t at = 0; at < padded.size(); at += detail::kSha256BlockBits) {
    state = detail::sha256_compress(cs, std::span(padded).subspan(at, detail::kSha256BlockBits), state);
  }
  std::vector<Boolean> digest;
  digest.reserve(256);
  for (const UInt32& word : state) {
    for (unsigned i = UInt32::kBits; i-- > 0;) digest.push_back(word[i]);
  }
  return digest;
}

template <r1cs::ConstraintSystem CS>
Num<typename CS::Field> sha256_pair(CS& cs, const Num<typename CS::Field>& left, const Num<typename CS::Field>& right) {
  std::vector<Boolean> message = reverse_bit_numbering(to_bits_le(cs, left));
  const std::vector<Boolean> second = reverse_bit_numbering(to_bits_le(cs, right));
  message.insert(message.end(), second.begin(), second.end());
  return pack_bits(cs, reverse_bit_numbering(sha256(cs, std::span<const Boolean>(message))));
}

}  // namespace cuzk::gadgets
