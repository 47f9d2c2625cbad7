// The variables of SHA-256's circuit, a block at a time, straight from the compression function's words: 32 variables
// are one word, put at once.
//
// The circuit allocates nothing for an operation on constant bits (docs/circuits.md, "SHA-256"), so what a block puts
// depends on which of its bits are constant: a BlockPattern, fixed at compile time for the few kinds of block that
// Filecoin has. Words of the state are constant or variable as a whole; constant bits of a partly constant word are
// zero. Thread-safety: pure functions over a sink.
#pragma once

#include <array>
#include <bit>
#include <utility>

#include "hash/sha256_compress.h"
#include "r1cs/witness_sink.h"

namespace cuzk::filecoin::witness {

using hash::Sha256State;
using MessageBlock = std::array<std::uint32_t, 16>;
using std::uint32_t;

struct BlockPattern {
  std::array<uint32_t, 16> constant;  // a mask of bits for each word of the message
  bool constant_state;                // the state before the block: the initial one
};

namespace sha256_detail {

inline constexpr uint32_t kAll = ~uint32_t{0};

/// Bits of sums of so many words (the carries are variables too).
constexpr unsigned sum_bits(unsigned operands) noexcept {
  return static_cast<unsigned>(std::bit_width(u64{operands} * kAll));
}

constexpr uint32_t small_sigma0(uint32_t x) noexcept { return std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3); }
constexpr uint32_t small_sigma1(uint32_t x) noexcept { return std::rotr(x, 17) ^ std::rotr(x, 19) ^ (x >> 10); }
constexpr uint32_t choose(uint32_t x, uint32_t y, uint32_t z) noexcept { return (x & y) ^ (~x & z); }
constexpr uint32_t majority(uint32_t x, uint32_t y, uint32_t z) noexcept { return (x & y) ^ (x & z) ^ (y & z); }

/// One of the schedule's sigmas: rotations by r1 and r2, a shift by s.
struct SmallSigma {
  int r1, r2, s;

  /// Bits of the first exclusive or that have variables, given the operand's constant bits.
  constexpr uint32_t first_variables(uint32_t constant) const noexcept {
    return ~(std::rotr(constant, r1) | std::rotr(constant, r2));
  }
  constexpr uint32_t second_variables(uint32_t constant) const noexcept {
    const uint32_t first_constant = std::rotr(constant, r1) & std::rotr(constant, r2);
    const uint32_t shifted_constant = constant >> s | ~(kAll >> s);
    return ~(first_constant | shifted_constant);
  }
};
inline constexpr SmallSigma kSigma0{7, 18, 3};
inline constexpr SmallSigma kSigma1{17, 19, 10};

/// Puts the bits of `word` that the mask has, lowest first: one put for each run of ones.
template <uint32_t kMask, class S> constexpr void put_masked(S& sink, uint32_t word) noexcept {
  if constexpr (kMask != 0) {
    constexpr int kStart = std::countr_zero(kMask);
    constexpr int kLength = std::countr_one(kMask >> kStart);
    constexpr uint32_t kRun = kAll >> (32 - kLength);
    sink.bits(word >> kStart & kRun, kLength);
    put_masked<kMask & ~(kRun << kStart)>(sink, word);
  }
}

template <SmallSigma kSigma, uint32_t kConstant, class S> uint32_t put_small_sigma(S& sink, uint32_t x) noexcept {
  const uint32_t first = std::rotr(x, kSigma.r1) ^ std::rotr(x, kSigma.r2);
  const uint32_t second = first ^ (x >> kSigma.s);
  put_masked<kSigma.first_variables(kConstant)>(sink, first);
  put_masked<kSigma.second_variables(kConstant)>(sink, second);
  return second;
}

/// The exclusive or of three rotations: both steps whole.
template <int kR1, int kR2, int kR3, class S> uint32_t put_big_sigma(S& sink, uint32_t x) noexcept {
  const uint32_t first = std::rotr(x, kR1) ^ std::rotr(x, kR2);
  const uint32_t second = first ^ std::rotr(x, kR3);
  sink.bits(first, 32);
  sink.bits(second, 32);
  return second;
}

template <unsigned kOperands, class S> uint32_t put_sum(S& sink, u64 sum) noexcept {
  sink.bits(sum, sum_bits(kOperands));
  return static_cast<uint32_t>(sum);
}

/// Bits of x at even places.
constexpr u64 spread(uint32_t x) noexcept {
  u64 v = x;
  v = (v | v << 16) & 0x0000ffff0000ffff;
  v = (v | v << 8) & 0x00ff00ff00ff00ff;
  v = (v | v << 4) & 0x0f0f0f0f0f0f0f0f;
  v = (v | v << 2) & 0x3333333333333333;
  return (v | v << 1) & 0x5555555555555555;
}

/// What is constant in all words of the schedule: a later word is constant when all that it is made of is.
constexpr std::array<uint32_t, 64> schedule_constants(const BlockPattern& pattern) noexcept {
  std::array<uint32_t, 64> constant{};
  for (std::size_t i = 0; i < 16; ++i) constant[i] = pattern.constant[i];
  for (std::size_t i = 16; i < 64; ++i) {
    const bool all = (constant[i - 16] & constant[i - 15] & constant[i - 7] & constant[i - 2]) == kAll;
    constant[i] = all ? kAll : 0;
  }
  return constant;
}

template <BlockPattern kPattern>
inline constexpr std::array<uint32_t, 64> kScheduleConstants = schedule_constants(kPattern);

using Schedule = std::array<uint32_t, 64>;

template <BlockPattern kPattern, std::size_t kIndex, class S> void put_schedule_word(S& sink, Schedule& w) noexcept {
  constexpr auto& kConstant = kScheduleConstants<kPattern>;
  const uint32_t s0 = put_small_sigma<kSigma0, kConstant[kIndex - 15]>(sink, w[kIndex - 15]);
  const uint32_t s1 = put_small_sigma<kSigma1, kConstant[kIndex - 2]>(sink, w[kIndex - 2]);
  const u64 sum = u64{w[kIndex - 16]} + s0 + w[kIndex - 7] + s1;
  if constexpr (kConstant[kIndex] == 0)
    w[kIndex] = put_sum<4>(sink, sum);
  else
    w[kIndex] = static_cast<uint32_t>(sum);
}

/// Words from here on are made of words that are wholly variable or wholly constant.
inline constexpr std::size_t kFirstUniformWord = 31;

template <BlockPattern kPattern, class S> Schedule put_schedule(S& sink, const MessageBlock& message) noexcept {
  constexpr auto& kConstant = kScheduleConstants<kPattern>;
  Schedule w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = message[i];
  [&]<std::size_t... kOffsets>(std::index_sequence<kOffsets...>) {
    (put_schedule_word<kPattern, 16 + kOffsets>(sink, w), ...);
  }(std::make_index_sequence<kFirstUniformWord - 16>{});
  for (std::size_t i = kFirstUniformWord; i < 64; ++i) {
    uint32_t s0, s1;
    if constexpr (kConstant[63] == 0) {
      s0 = put_small_sigma<kSigma0, 0>(sink, w[i - 15]);
      s1 = put_small_sigma<kSigma1, 0>(sink, w[i - 2]);
      w[i] = put_sum<4>(sink, u64{w[i - 16]} + s0 + w[i - 7] + s1);
    } else {
      w[i] = w[i - 16] + small_sigma0(w[i - 15]) + w[i - 7] + small_sigma1(w[i - 2]);
    }
  }
  return w;
}
static_assert([] {  // a schedule is variable from word 16 on, or constant throughout
  BlockPattern padding{};
  padding.constant.fill(kAll);
  return schedule_constants(padding)[63] == kAll;
}());

/// How many of the operands of choose and majority vary in a round: a constant state is shifted out word by word.
enum class Operands { constant, one_varies, two_vary, all_vary };

/// The working variables. Those of a and e that a round computes are sums which the circuit allocates when the next
/// round first needs them.
struct Rounds {
  uint32_t a, b, c, d, e, f, g, h;
  u64 sum_a = 0, sum_e = 0;

  explicit Rounds(const Sha256State& s) noexcept
      : a(s[0]), b(s[1]), c(s[2]), d(s[3]), e(s[4]), f(s[5]), g(s[6]), h(s[7]) {}

  template <Operands kOperands, class S> uint32_t put_sigma1(S& sink) const noexcept {
    if constexpr (kOperands == Operands::constant) return std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    return put_big_sigma<6, 11, 25>(sink, e);
  }
  template <Operands kOperands, class S> uint32_t put_sigma0(S& sink) const noexcept {
    if constexpr (kOperands == Operands::constant) return std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    return put_big_sigma<2, 13, 22>(sink, a);
  }
  template <Operands kOperands, class S> uint32_t put_choose(S& sink) const noexcept {
    const uint32_t chosen = choose(e, f, g);
    if constexpr (kOperands == Operands::all_vary) sink.bits(chosen, 32);
    if constexpr (kOperands == Operands::two_vary) sink.bits(e & (f ^ g), 32);  // e and f, or e and not f
    return chosen;
  }
  /// The whole form has a variable for the majority and one for b and c, bit by bit.
  template <Operands kOperands, class S> uint32_t put_majority(S& sink) const noexcept {
    const uint32_t voted = majority(a, b, c);
    if constexpr (kOperands == Operands::all_vary) sink.bits(spread(voted) | spread(b & c) << 1, 64);
    if constexpr (kOperands == Operands::two_vary) sink.bits((a ^ c) & (b ^ c), 32);  // a and b, or neither
    return voted;
  }

  template <Operands kOperands, bool kFirst, class S> void put_round(S& sink, uint32_t key, uint32_t word) noexcept {
    if constexpr (!kFirst) e = put_sum<6>(sink, sum_e);
    const uint32_t s1 = put_sigma1<kOperands>(sink);
    const u64 t1 = u64{h} + s1 + put_choose<kOperands>(sink) + key + word;
    if constexpr (!kFirst) a = put_sum<7>(sink, sum_a);
    const uint32_t s0 = put_sigma0<kOperands>(sink);
    sum_a = t1 + s0 + put_majority<kOperands>(sink);
    sum_e = t1 + d;
    h = g;
    g = f;
    f = e;
    d = c;
    c = b;
    b = a;
  }

  /// The sums with the state before the block.
  template <class S> Sha256State put_result(S& sink, const Sha256State& before) const noexcept {
    return {put_sum<8>(sink, sum_a + before[0]),  put_sum<2>(sink, u64{b} + before[1]),
            put_sum<2>(sink, u64{c} + before[2]), put_sum<2>(sink, u64{d} + before[3]),
            put_sum<7>(sink, sum_e + before[4]),  put_sum<2>(sink, u64{f} + before[5]),
            put_sum<2>(sink, u64{g} + before[6]), put_sum<2>(sink, u64{h} + before[7])};
  }
};

/// Puts the first three rounds, in which constants of the state take part.
template <bool kConstantState, class S> void put_first_rounds(S& sink, Rounds& rounds, const Schedule& w) noexcept {
  using enum Operands;
  const auto& key = hash::kSha256RoundConstants;
  if constexpr (kConstantState) {
    rounds.put_round<constant, true>(sink, key[0], w[0]);
    rounds.put_round<one_varies, false>(sink, key[1], w[1]);
    rounds.put_round<two_vary, false>(sink, key[2], w[2]);
  } else {
    rounds.put_round<all_vary, true>(sink, key[0], w[0]);
    rounds.put_round<all_vary, false>(sink, key[1], w[1]);
    rounds.put_round<all_vary, false>(sink, key[2], w[2]);
  }
}

}  // namespace sha256_detail

/// Puts the variables of one compression and returns the state after it.
template <BlockPattern kPattern, r1cs::WitnessSink S>
Sha256State put_sha256_block(S& sink, const Sha256State& before, const MessageBlock& message) noexcept {
  S local = sink;  // whose members then live in registers
  const auto w = sha256_detail::put_schedule<kPattern>(local, message);
  sha256_detail::Rounds rounds(before);
  sha256_detail::put_first_rounds<kPattern.constant_state>(local, rounds, w);
  for (std::size_t i = 3; i < 64; ++i) {
    rounds.template put_round<sha256_detail::Operands::all_vary, false>(local, hash::kSha256RoundConstants[i], w[i]);
  }
  const Sha256State after = rounds.put_result(local, before);
  sink = local;
  return after;
}

/// Variables of a block.
constexpr u64 sha256_block_variables(const BlockPattern& pattern) noexcept {
  using namespace sha256_detail;
  const auto constant = schedule_constants(pattern);
  u64 count = 0;
  const auto add_mask = [&](uint32_t mask) { count += static_cast<u64>(std::popcount(mask)); };
  for (std::size_t i = 16; i < 64; ++i) {
    for (const auto& [sigma, at] : {std::pair(kSigma0, i - 15), std::pair(kSigma1, i - 2)}) {
      add_mask(sigma.first_variables(constant[at]));
      add_mask(sigma.second_variables(constant[at]));
    }
    if (constant[i] == 0) count += sum_bits(4);
  }
  constexpr u64 kRound = 2 * 2 * 32 + 32 + 2 * 32;      // the sigmas, choose, majority
  constexpr u64 kFolded = kRound + (32 + 2 * 32) + 32;  // of rounds 0, 1 and 2 over a constant state
  count += 64 * kRound + u64{63} * (sum_bits(6) + sum_bits(7)) + sum_bits(8) + sum_bits(7) + u64{6} * sum_bits(2);
  return pattern.constant_state ? count - kFolded : count;
}

}  // namespace cuzk::filecoin::witness
