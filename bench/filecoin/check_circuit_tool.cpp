// Holds a circuit file against a witness of full size: a synthetic vanilla proof of the circuit's size, the direct
// witness of its first partition, and a * b = c over every row of the re-opened circuit; then the time of a and b
// alone.
//
//   check_circuit FILE [THREADS [SEED]]
//
// Public inputs are compared with those that follow from the public data alone. Prints JSON; exit status 1 when a row
// does not hold. THREADS: 0 (the default) for all processors. SEED: another statement; a negative one leaves the time
// of a and b out. Memory: 32 bytes a variable, and for that time 64 bytes a row: 4.2 and 8.4 GB for a 32 GiB PoRep
// partition.
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "filecoin/primitives/public_inputs.h"
#include "filecoin/seal/synthetic.h"
#include "filecoin/witness/generate.h"
#include "groth16/evaluate.h"
#include "r1cs/circuit_file.h"
#include "r1cs/satisfaction.h"
#include "support/sha256.h"
#include "timer.h"

namespace {

using namespace cuzk;
using namespace cuzk::filecoin;
using Fr = bls12_381::Fr;

/// A true instance with what it points into, and the public inputs of its public data.
struct TrueInstance {
  Instance instance;
  std::vector<U256> public_inputs;
  std::shared_ptr<const void> owner;
};

Bytes32 label_bytes(std::string_view label, unsigned seed) {
  Bytes32 bytes = sha256(text_bytes(std::string(label) + std::to_string(seed)));
  bytes[31] &= std::byte{0x3f};  // canonical as an element too
  return bytes;
}

Node label_node(std::string_view label, unsigned seed) { return Node::from_le_bytes(label_bytes(label, seed).data()); }

std::string proof_name(const Circuit& circuit) {
  const std::string size(circuit.sector->name);
  switch (circuit.kind) {
    case ProofKind::porep:
      return "StackedDrg" + size + "V1_1";
    case ProofKind::winning:
      return "StackedDrgWinning" + size + "V1";
    default:
      return "StackedDrgWindow" + size + "V1_2";
  }
}

Result<TrueInstance> make_seal(Arena& arena, const Circuit& circuit, unsigned seed) {
  CUZK_TRY(const SealProof proof, seal_proof(proof_name(circuit)));
  const SealInputs inputs{proof, label_bytes("prover", seed), seed, label_bytes("ticket", seed)};
  CUZK_TRY(auto made, synthetic_seal(arena, inputs, label_bytes("seed", seed), 1, label_bytes("content", seed)));
  auto owner = std::make_shared<const SyntheticSeal>(std::move(made));
  return TrueInstance{porep_instance(owner->proof, 0), public_inputs(owner->statement, 0), owner};
}

Result<TrueInstance> make_post(Arena& arena, const Circuit& circuit, unsigned seed) {
  CUZK_TRY(const PostProof proof, post_proof(proof_name(circuit)));
  std::vector<std::uint64_t> sectors(circuit.kind == ProofKind::winning ? 1 : circuit.sector->window_sectors);
  std::iota(sectors.begin(), sectors.end(), std::uint64_t{seed});
  constexpr std::size_t kReplicas = 16;
  auto owner = std::make_shared<const SyntheticPost>(synthetic_post(arena, proof, label_node("randomness", seed),
                                                                    sectors, 0, std::min(kReplicas, sectors.size()),
                                                                    label_bytes("content", seed)));
  return TrueInstance{post_instance(circuit, owner->proofs), public_inputs(owner->statement, 0), owner};
}

Result<TrueInstance> make_update(Arena& arena, const Circuit& circuit, unsigned seed) {
  auto owner = std::make_shared<const SyntheticUpdate>(
      synthetic_update(arena, *circuit.sector, 1, label_bytes("content", seed)));
  const UpdateStatement& s = owner->statement;
  return TrueInstance{update_instance(*s.sector, 0, s.comm_r_old, s.comm_d_new, s.comm_r_new, owner->proofs[0]),
                      public_inputs(s, 0), owner};
}

Result<TrueInstance> make_instance(Arena& arena, const Circuit& circuit, unsigned seed) {
  switch (circuit.kind) {
    case ProofKind::porep:
      return make_seal(arena, circuit, seed);
    case ProofKind::snap:
      return make_update(arena, circuit, seed);
    default:
      return make_post(arena, circuit, seed);
  }
}

void time_rows(Arena& arena, const r1cs::BlockCircuit<Fr>& circuit, std::span<const U256> z, JsonWriter& json) {
  const std::size_t rows = circuit.num_constraints() + circuit.num_inputs();
  const auto a = std::make_unique_for_overwrite<Fr[]>(rows);
  const auto b = std::make_unique_for_overwrite<Fr[]>(rows);
  const auto evaluate = [&] { groth16::evaluate<Fr>(arena, circuit, z, {a.get(), rows}, {b.get(), rows}); };
  evaluate();  // maps the memory
  const Timer timer;
  evaluate();
  timer.print(json, "evaluate");
}

Status check(const char* path, unsigned threads, int seed) {
  Arena arena(threads);
  CUZK_TRY(const auto file, r1cs::open_circuit<Fr>(path));
  CUZK_TRY(const Circuit circuit, find_circuit(file.label));
  JsonWriter json;
  json.begin_object().key("circuit").string(file.label).key("threads").integer(arena.concurrency());
  Timer timer;
  CUZK_TRY(const TrueInstance made, make_instance(arena, circuit, static_cast<unsigned>(std::abs(seed))));
  timer.print(json, "vanilla");
  timer = Timer();
  const r1cs::Witness witness = generate_witness(arena, circuit, made.instance);
  timer.print(json, "witness");
  if (witness.size() != file.circuit->num_variables()) {
    return fail(Code::internal, Kind::witness_length_mismatch, "the witness does not fit the circuit");
  }
  const auto inputs = witness.public_inputs(file.circuit->num_public());
  if (!std::ranges::equal(inputs, made.public_inputs)) {
    return fail(Code::unsatisfied, Kind::none, "public inputs differ from those of the public data");
  }
  timer = Timer();
  if (const auto row = r1cs::first_unsatisfied<Fr>(arena, *file.circuit, witness.values())) {
    return fail(Code::unsatisfied, Kind::unsatisfied_constraint, "constraint " + std::to_string(*row));
  }
  json.key("satisfied_rows").integer(file.circuit->num_constraints());
  timer.print(json, "satisfied");
  if (seed >= 0) time_rows(arena, *file.circuit, witness.values(), json);
  json.key("peak_mib").real(peak_mebibytes()).end_object();
  std::printf("%s\n", json.take().c_str());
  return {};
}

int number(int argc, char** argv, int index, int otherwise) {
  return index < argc ? std::atoi(argv[index]) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: %s FILE [THREADS [SEED]]\n", argv[0]);
    return 2;
  }
  const Status done = check(argv[1], static_cast<unsigned>(number(argc, argv, 2, 0)), number(argc, argv, 3, 1));
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().to_string().c_str());
  return exit_status(done.error().code());
}
