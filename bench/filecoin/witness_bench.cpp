// Witnesses of whole partitions into memory that is already mapped, on one thread; the arguments of "threads" cases are
// numbers of threads. The instances have random nodes. "hashes" are the Poseidon hashes of a partition alone.
//
// Memory: a plain 32 GiB PoRep partition takes 4.2 GB.
#include <map>

#include <benchmark/benchmark.h>

#include "filecoin/witness/generate.h"
#include "hash/poseidon.h"
#include "tests/filecoin/random_instance.h"

namespace cuzk::filecoin {
namespace {

struct Case {
  Circuit circuit;
  WitnessShape shape;
  OwnedInstance owned;

  explicit Case(const char* id)
      : circuit(*find_circuit(id)), shape(witness_shape(circuit)), owned(test::RandomInstances(1).make(circuit)) {}
};

const Case& instance_of(const char* id) {
  static std::map<std::string, std::unique_ptr<const Case>> cases;
  auto& made = cases[id];
  if (made == nullptr) made = std::make_unique<const Case>(id);
  return *made;
}

void packed(benchmark::State& state, const char* id) {
  const Case& c = instance_of(id);
  Arena arena(static_cast<unsigned>(state.range(0)));
  r1cs::PackedWitness witness(c.shape.num_inputs, c.shape.extent);
  for (auto _ : state) generate_packed_witness(arena, c.circuit, c.owned.instance, witness.destination());
  state.counters["bytes"] = static_cast<double>(witness.view().bytes());
  state.counters["general"] = static_cast<double>(c.shape.extent.general);
}

void plain(benchmark::State& state, const char* id) {
  const Case& c = instance_of(id);
  Arena arena(static_cast<unsigned>(state.range(0)));
  std::vector<U256> witness(c.shape.size());
  for (auto _ : state) generate_witness(arena, c.circuit, c.owned.instance, witness);
  state.counters["bytes"] = static_cast<double>(32 * witness.size());
}

/// The hashes of a partition of a proof of spacetime: values alone.
void post_hashes(benchmark::State& state, const char* id) {
  const Case& c = instance_of(id);
  const auto& post = std::get<PostInstance>(c.owned.instance);
  std::vector<hash::Fr> children(8, hash::Fr::from_u64(7));
  std::size_t hashes = 0;
  for (auto _ : state) {
    hashes = 0;
    for (const PostSectorInstance& sector : post.sectors) {
      children[0] = hash::poseidon(hash::PoseidonKind::arity_2, std::span<const hash::Fr>(children).first(2));
      for (const MerkleProof& proof : sector.challenges) {
        for (const PathLevel& level : proof.path) {
          const auto arity = unsigned{level.arity};
          children[0] =
              hash::poseidon(hash::poseidon_kind_of_arity(arity), std::span<const hash::Fr>(children).first(arity));
          ++hashes;
        }
      }
    }
  }
  benchmark::DoNotOptimize(children[0]);
  state.counters["hashes"] = static_cast<double>(hashes);
}

BENCHMARK_CAPTURE(packed, porep_32g, "porep-32g")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(plain, porep_32g, "porep-32g")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(packed, snap_32g, "snap-32g")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(packed, winning_32g, "winning-32g")->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(post_hashes, winning_32g, "winning-32g")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(packed, window_32g, "wpost-32g")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(plain, window_32g, "wpost-32g")->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(post_hashes, window_32g, "wpost-32g")->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace cuzk::filecoin
