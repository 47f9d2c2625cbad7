// One piece of a circuit on each model: a compression of SHA-256 in the middle of a label, a Poseidon hash of 8
// numbers, the bits of a number. Items are constraints.
#include <memory>

#include <benchmark/benchmark.h>

#include "gadgets/multipack.h"
#include "gadgets/poseidon.h"
#include "gadgets/sha256.h"
#include "r1cs/proving_system.h"
#include "r1cs/recording_system.h"
#include "r1cs/test_system.h"
#include "r1cs/witness_system.h"
#include "tests/gen/field_values.h"

namespace cuzk::gadgets {
namespace {

using Fr = bls12_381::Fr;
using r1cs::EvaluationSpans;
using Proving = r1cs::ProvingSystem<Fr>;

constexpr std::size_t kRows = 1 << 16;  // more than any piece has, with its operands

/// A model whose memory was made before.
template <class CS> struct Model {
  CS& fresh() { return cs.emplace(); }
  std::optional<CS> cs;
};
template <> struct Model<Proving> {
  Proving& fresh() { return cs.emplace(1, z, EvaluationSpans<Fr>(a, b, c)); }
  std::vector<Fr> z = std::vector<Fr>(kRows), a = z, b = z, c = z;
  std::optional<Proving> cs;
};
struct WithoutC;
template <> struct Model<WithoutC> {
  Proving& fresh() { return cs.emplace(1, z, EvaluationSpans<Fr>(a, b)); }
  std::vector<Fr> z = std::vector<Fr>(kRows), a = z, b = z;
  std::optional<Proving> cs;
};
template <> struct Model<r1cs::WitnessSystem<Fr>> {
  r1cs::WitnessSystem<Fr>& fresh() {
    cs.emplace().reserve(1, kRows);
    return *cs;
  }
  std::optional<r1cs::WitnessSystem<Fr>> cs;
};

struct CompressionOfTwoNumbers {
  static constexpr std::size_t kConstraints = 26184;
  template <class CS> static auto operands(CS& cs, std::mt19937_64& random) {
    std::vector<Boolean> block;
    for (int i = 0; i < 2; ++i) {
      const auto bits = reverse_bit_numbering(to_bits_le(cs, alloc_num(cs, test::uniform_element<Fr>(random))));
      block.insert(block.end(), bits.begin(), bits.end());
    }
    detail::Sha256Words state;
    for (UInt32& word : state) word = UInt32::from_low_bits(alloc_bits(cs, random(), 32));
    return std::pair(block, state);
  }
  template <class CS> static void run(CS& cs, const auto& operands) {
    benchmark::DoNotOptimize(detail::sha256_compress(cs, operands.first, operands.second));
  }
};

struct PoseidonOfEight {
  static constexpr std::size_t kConstraints = 505;
  template <class CS> static auto operands(CS& cs, std::mt19937_64& random) {
    std::vector<Num<Fr>> inputs;
    for (int i = 0; i < 8; ++i) inputs.push_back(alloc_num(cs, test::uniform_element<Fr>(random)));
    return inputs;
  }
  template <class CS> static void run(CS& cs, const auto& operands) {
    benchmark::DoNotOptimize(poseidon<CS>(cs, hash::PoseidonKind::arity_8, operands));
  }
};

struct BitsOfANumber {
  static constexpr std::size_t kConstraints = 256;
  template <class CS> static auto operands(CS& cs, std::mt19937_64& random) {
    return alloc_num(cs, test::uniform_element<Fr>(random));
  }
  template <class CS> static void run(CS& cs, const auto& operands) {
    benchmark::DoNotOptimize(to_bits_le(cs, operands));
  }
};

template <class Piece, class M> void synthesize(benchmark::State& state) {
  auto model = std::make_unique<Model<M>>();
  for (auto _ : state) {
    state.PauseTiming();
    std::mt19937_64 random(1);
    auto& cs = model->fresh();
    const auto operands = Piece::operands(cs, random);
    state.ResumeTiming();
    Piece::run(cs, operands);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(Piece::kConstraints) * state.iterations());
}

#define CUZK_BENCH_PIECE(Piece)                                                         \
  BENCHMARK(synthesize<Piece, Proving>)->Unit(benchmark::kMicrosecond);                 \
  BENCHMARK(synthesize<Piece, WithoutC>)->Unit(benchmark::kMicrosecond);                \
  BENCHMARK(synthesize<Piece, r1cs::WitnessSystem<Fr>>)->Unit(benchmark::kMicrosecond); \
  BENCHMARK(synthesize<Piece, r1cs::TestSystem<Fr>>)->Unit(benchmark::kMicrosecond);    \
  BENCHMARK(synthesize<Piece, r1cs::RecordingSystem<Fr>>)->Unit(benchmark::kMicrosecond);

CUZK_BENCH_PIECE(CompressionOfTwoNumbers)
CUZK_BENCH_PIECE(PoseidonOfEight)
CUZK_BENCH_PIECE(BitsOfANumber)

}  // namespace
}  // namespace cuzk::gadgets
