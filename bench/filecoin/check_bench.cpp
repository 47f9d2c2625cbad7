// Checking of vanilla proofs at the shape of 32 GiB sectors, on one thread and on all; "hash" is the time of one of the
// Poseidon hashes of the paths.
#include <benchmark/benchmark.h>

#include "filecoin/primitives/prover_id.h"
#include "filecoin/seal/synthetic.h"
#include "filecoin/vanilla/check.h"
#include "tests/support/must.h"

namespace cuzk::filecoin {
namespace {

using test::must;

constexpr unsigned kPathHashes = 10;  // of a tree over 2^30 leaves: 9 base levels, one above

Arena& all_threads() {
  static Arena arena;
  return arena;
}

Bytes32 content() {
  Bytes32 bytes{};
  bytes[0] = std::byte{1};
  return bytes;
}

void count_hashes(benchmark::State& state, std::size_t hashes) {
  state.counters["hash"] = benchmark::Counter(
      static_cast<double>(hashes), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// One partition; a C1 has ten.
void porep_partition(benchmark::State& state) {
  static const SyntheticSeal seal = [] {
    const SealProof proof = must(seal_proof("StackedDrg32GiBV1_1"));
    return must(synthetic_seal(all_threads(), {proof, prover_id(1000), 1, {}}, content(), 1, content()));
  }();
  Arena arena(static_cast<unsigned>(state.range(0)));
  for (auto _ : state)
    must(no_findings(check_porep(arena, seal.proof, {.identity = SealIdentity{prover_id(1000), 1}})));
  count_hashes(state, 18 * (16 * kPathHashes + 15));
}
BENCHMARK(porep_partition)->Name("filecoin/check/porep_32g_partition")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);

/// A tenth of a full partition.
void window_sectors(benchmark::State& state) {
  constexpr std::size_t kSectors = 235;
  static const SyntheticPost post = [] {
    std::vector<std::uint64_t> numbers(kSectors);
    for (std::size_t i = 0; i < kSectors; ++i) numbers[i] = i;
    return synthetic_post(all_threads(), must(post_proof(13)), Node::from_u64(5), numbers, 0, kSectors, content());
  }();
  Arena arena(static_cast<unsigned>(state.range(0)));
  const PostCheck check{post.statement.proof, post.statement.randomness};
  for (auto _ : state) must(no_findings(check_post(arena, check, post.proofs)));
  count_hashes(state, kSectors * (kWindowChallenges * kPathHashes + 1));
}
BENCHMARK(window_sectors)->Name("filecoin/check/window_32g_235_sectors")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);

/// One partition of 16.
void update_partition(benchmark::State& state) {
  static const SyntheticUpdate update = synthetic_update(all_threads(), *find_sector_shape("32GiB"), 1, content());
  Arena arena(static_cast<unsigned>(state.range(0)));
  for (auto _ : state) must(no_findings(check_update(arena, update.statement, update.proofs)));
  count_hashes(state, 86 * 2 * kPathHashes);
}
BENCHMARK(update_partition)->Name("filecoin/check/update_32g_partition")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cuzk::filecoin
