#include "r1cs/packed_witness.h"

#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include "r1cs/packed_sink.h"
#include "r1cs/plain_sink.h"
#include "tests/gen/field_values.h"
#include "tests/gen/seed.h"

namespace cuzk::r1cs {
namespace {

using Fr = bls12_381::Fr;

static_assert(WitnessSink<PlainSink<Fr>> && WitnessSink<PackedSink<Fr>>);

/// One thing put into a sink.
struct Put {
  enum class Kind { bits, value, element, elements, values } kind;
  u64 word;
  unsigned count;
  std::vector<Fr> elements;

  template <class S> void into(S& sink) const {
    switch (kind) {
      case Kind::bits:
        return sink.bits(word, count);
      case Kind::value:
        return sink.value(elements.front().canonical());
      case Kind::element:
        return sink.element(elements.front());
      case Kind::elements:
        return sink.elements(elements);
      case Kind::values:
        std::ranges::transform(elements, sink.values(elements.size()).begin(),
                               [](const Fr& x) { return x.canonical(); });
    }
  }
  std::vector<U256> expected() const {
    std::vector<U256> values;
    if (kind == Kind::bits)
      for (unsigned i = 0; i < count; ++i) values.push_back(U256::from_u64(word >> i & 1));
    else
      for (const Fr& x : elements) values.push_back(x.canonical());
    return values;
  }
  WitnessExtent extent() const { return kind == Kind::bits ? bits_extent(count) : values_extent(elements.size()); }
};

Put random_put(std::mt19937_64& random) {
  const auto kind = static_cast<Put::Kind>(random() % 8 < 4 ? 0 : random() % 5);
  std::size_t elements = 1;
  unsigned count = 0;
  u64 word = 0;
  if (kind == Put::Kind::bits) {
    elements = 0;
    count = static_cast<unsigned>(random() % 65);
    word = count == 0 ? 0 : random() >> (64 - count);
  } else if (kind != Put::Kind::value && kind != Put::Kind::element) {
    elements = random() % 200;
  }
  Put put{.kind = kind, .word = word, .count = count, .elements = std::vector<Fr>(elements)};
  for (Fr& x : put.elements) x = test::biased_element<Fr>(random);  // 0 and 1 too
  return put;
}

/// A sequence cut into pieces, as a partition is: borders[i] is where pieces[i] begins.
struct Pieces {
  std::vector<std::vector<Put>> pieces;
  std::vector<WitnessExtent> borders{WitnessExtent{}};
  std::vector<U256> expected;

  explicit Pieces(std::mt19937_64& random) {
    const std::size_t count = 1 + random() % 40;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<Put>& piece = pieces.emplace_back();
      WitnessExtent at = borders.back();
      for (std::size_t k = random() % 12; k-- > 0;) {
        const Put& put = piece.emplace_back(random_put(random));
        at += put.extent();
        const std::vector<U256> values = put.expected();
        expected.insert(expected.end(), values.begin(), values.end());
      }
      borders.push_back(at);
    }
  }

  /// Writes the pieces on two threads, in an order of their own.
  template <class MakeSink> void write(MakeSink make_sink) const {
    const auto every_other = [&](std::size_t first) {
      for (std::size_t i = first; i < pieces.size(); i += 2) {
        auto sink = make_sink(borders[i]);
        for (const Put& put : pieces[i]) put.into(sink);
        sink.finish();
      }
    };
    std::jthread odd(every_other, 1);
    every_other(0);
  }
};

constexpr int kRuns = 200;

TEST(PlainSinkTest, WritesWhatItIsGiven) {
  std::mt19937_64 random(test::run_seed());
  for (int run = 0; run < kRuns; ++run) {
    const Pieces pieces(random);
    std::vector<U256> aux(pieces.expected.size());
    pieces.write([&](WitnessExtent begin) { return PlainSink<Fr>(aux, begin.aux); });
    EXPECT_EQ(aux, pieces.expected);
  }
}

TEST(PlainSinkTest, AnyAlignmentOfTheDestination) {
  alignas(32) std::array<std::byte, 8 + 4 * sizeof(U256)> memory{};
  auto* unaligned = reinterpret_cast<U256*>(memory.data() + 8);
  PlainSink<Fr> sink(std::span(unaligned, 4), 1);
  sink.bits(0b101, 3);
  sink.finish();
  EXPECT_EQ(sink.position(), 4u);
  EXPECT_EQ(unaligned[1], U256::from_u64(1));
  EXPECT_EQ(unaligned[2], U256::zero());
  EXPECT_EQ(unaligned[3], U256::from_u64(1));
}

TEST(PackedSinkTest, PiecesThatShareWordsMakeOneWitness) {
  std::mt19937_64 random(test::run_seed());
  Arena arena(1);
  for (int run = 0; run < kRuns; ++run) {
    const Pieces pieces(random);
    PackedWitness packed(1, pieces.borders.back());
    const PackedDestination to = packed.destination();
    std::ranges::fill(to.bits, random());  // what was there before
    std::ranges::fill(to.general_map, random());
    std::ranges::fill(to.ranks, 77);
    for (const WitnessExtent& border : pieces.borders) clear_border(to, border.aux);
    pieces.write([&](WitnessExtent begin) { return PackedSink<Fr>(to, begin); });

    const PackedView view = packed.view();
    for (std::size_t j = 0; j < view.num_aux; ++j) ASSERT_EQ(view.aux(j), pieces.expected[j]) << "variable " << j;
    const Witness expanded = expand(arena, view);
    EXPECT_TRUE(std::ranges::equal(expanded.values().subspan(1), pieces.expected));
    if (view.num_aux % 64 != 0) {  // nothing beyond the last variable
      EXPECT_EQ((view.bits.back() | view.general_map.back()) >> (view.num_aux % 64), 0u);
    }
  }
}

TEST(PackedSinkTest, KnowsWhereItStands) {
  PackedWitness packed(1, {.aux = 200, .general = 10});
  PackedSink<Fr> sink(packed.destination(), {.aux = 61, .general = 3});
  EXPECT_EQ(sink.position(), (WitnessExtent{.aux = 61, .general = 3}));
  sink.bits(0, 64);
  sink.values(5);
  EXPECT_EQ(sink.position(), (WitnessExtent{.aux = 130, .general = 8}));
}

TEST(PackedWitnessTest, PackingByValueAndBack) {
  std::mt19937_64 random(test::run_seed());
  for (const std::size_t aux : {0u, 1u, 63u, 64u, 65u, 5000u, 200'000u}) {
    std::vector<U256> values(3 + aux);
    for (U256& value : values)
      value = random() % 3 != 0 ? U256::from_u64(random() % 3) : test::biased_element<Fr>(random).canonical();
    for (const unsigned threads : {1u, 3u}) {
      Arena arena(threads);
      const PackedWitness packed = pack(arena, values, 3);
      const PackedView view = packed.view();
      EXPECT_EQ(view.size(), values.size());
      EXPECT_TRUE(std::ranges::equal(expand(arena, view).values(), values));
      std::size_t general = 0;
      for (std::size_t j = 0; j < aux; ++j) {
        const bool is_bit = values[3 + j] == U256::zero() || values[3 + j] == U256::from_u64(1);
        ASSERT_EQ(view.is_general(j), !is_bit);
        if (j % 64 == 0) {
          ASSERT_EQ(view.ranks[j / 64], general);
        }
        general += static_cast<std::size_t>(!is_bit);
      }
      EXPECT_EQ(view.general.size(), general);
    }
  }
}

TEST(PackedWitnessTest, MoreGeneralValuesThanAskedForAreNotFound) {
  std::mt19937_64 random(test::run_seed());
  std::vector<U256> values(300'000);
  std::size_t general = 0;
  for (U256& value : values) {
    value = U256::from_u64(random() % 3);
    if (value == U256::from_u64(2)) ++general;
  }
  for (const unsigned threads : {1U, 3U}) {
    Arena arena(threads);
    for (const std::size_t most : {general, values.size()}) {
      const auto found = find_bits(arena, values, most);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->general, general);
    }
    for (const std::size_t most : {std::size_t{0}, general / 4, general - 1}) {
      EXPECT_FALSE(find_bits(arena, values, most)) << most;
    }
  }
}

TEST(WitnessTest, UninitialisedMemoryIsTheCallersToFill) {
  Witness witness = Witness::uninitialised(3);
  std::ranges::fill(witness.writable(), U256::from_u64(7));
  const Witness moved = std::move(witness);
  EXPECT_EQ(moved.size(), 3u);
  EXPECT_EQ(moved.public_inputs(2)[1], U256::from_u64(7));
}

}  // namespace
}  // namespace cuzk::r1cs
