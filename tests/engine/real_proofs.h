// An engine on the CPU backend with real circuits: Filecoin's of 2 KiB, with development keys made for the test, and
// circom's.
#pragma once

#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "engine/circom_jobs.h"
#include "engine/engine.h"
#include "engine/filecoin_jobs.h"
#include "filecoin/params/compiled_circuit.h"
#include "filecoin/params/key_files.h"
#include "filecoin/params/proving_key.h"
#include "filecoin/primitives/public_inputs.h"
#include "filecoin/seal/generate.h"
#include "filecoin/wire/bincode.h"
#include "filecoin/wire/c1_json.h"
#include "formats/bellperson_params_writer.h"
#include "formats/bellperson_proof.h"
#include "formats/snarkjs_json.h"
#include "formats/wtns_file.h"
#include "formats/zkey_file.h"
#include "groth16/setup.h"
#include "groth16/verifier.h"
#include "tests/formats/samples.h"
#include "tests/support/must.h"
#include "tests/support/temporary_folder.h"

namespace cuzk::engine::test {

using cuzk::test::must;
using filecoin::ProofKind;

class RealProofs : public testing::Test {
 protected:
  static void SetUpTestSuite() { make_keys({"winning-2k", "wpost-2k"}); }
  static void TearDownTestSuite() { delete folder; }

  /// In a new folder.
  static void make_keys(std::initializer_list<const char*> circuits) {
    folder = new cuzk::test::TemporaryFolder;
    Arena arena;
    for (const char* id : circuits) make_key(arena, id);
  }

  static void make_key(Arena& arena, const char* id) {
    const auto circuit = must(filecoin::find_circuit(id));
    auto writer =
        must(formats::ParamsWriter::create(arena, filecoin::key_files(circuit, folder->path().string()).params));
    const auto compiled = must(filecoin::compiled_circuit(circuit, folder->path().string()));
    must(groth16::setup<Bls12_381>(arena, *compiled.matrices, must(groth16::Trapdoor<bls12_381::Fr>::random()),
                                   groth16::QuotientBasis::coset_monomials, RootFamily::bellperson, writer, {}));
    must(writer.commit());
  }

  explicit RealProofs(std::uint64_t budget_bytes = std::uint64_t{2} << 30) {
    memory::BudgetOptions of_budget;
    of_budget.total_bytes = budget_bytes;
    options.arena = &arena;
    options.budget = must(memory::MemoryBudget::create(std::move(of_budget)));
    options.kinds = filecoin_kinds();
    options.kinds.push_back(circom_kind());
    Device cpu;
    cpu.name = "cpu";
    cpu.bn254 = std::make_shared<backend::CpuBackend<Bn254>>(arena);
    cpu.bls12_381 = std::make_shared<backend::CpuBackend<Bls12_381>>(arena);
    options.devices = {cpu};
  }

  void start() {
    official = filecoin_catalogue(arena, {.params = folder->path().string(), .circuits = folder->path().string()});
    registered = must(circom_catalogue(arena, zkeys));
    both = joined_catalogue(*official, *registered);
    options.catalogue = both.get();
    engine = must(Engine::create(options));
  }

  filecoin::GeneratedProof generated(ProofKind kind, std::uint64_t seed = 1) {
    const filecoin::RecipeChoice choice{.kind = kind,
                                        .sector = filecoin::find_sector_shape("2KiB"),
                                        .registered_proof = {},
                                        .seed = seed,
                                        .sectors = kind == ProofKind::window ? 2U : 1U};
    return must(filecoin::generate(arena, must(filecoin::recipe_from_seed(choice)), {}));
  }

  /// As a client sends it.
  static FilecoinRequest request_of(const filecoin::GeneratedProof& proof) {
    FilecoinRequest request;
    request.kind = proof.recipe.kind;
    request.miner_id = 1000;
    std::visit([&](const auto& statement) { state(request, statement); }, proof.statement);
    std::visit([&](const auto& vanilla) { pack(request, proof.recipe, vanilla); }, proof.vanilla);
    return request;
  }

  std::shared_ptr<const JobResult> prove(JobContent content) {
    JobRequest request;
    request.content = std::move(content);
    return must(must(engine->submit(std::move(request))).await(Deadline::after(std::chrono::minutes(2))));
  }

  void expect_proof(const filecoin::GeneratedProof& proof) {
    expect_verifies(proof, prove(must(filecoin_content(request_of(proof)))));
  }
  /// Each partition by itself, with the key's own verifying key.
  void expect_verifies(const filecoin::GeneratedProof& proof, const std::shared_ptr<const JobResult>& result) {
    ASSERT_EQ(result->state, JobState::completed) << result->error;
    const auto circuit = filecoin::circuit_of(proof.statement);
    const auto key = must(filecoin::open_proving_key(arena, circuit, folder->path().string()));
    const groth16::PreparedVerifyingKey<Bls12_381> verifying_key(key.params.view().vk);
    const Bytes all(result->proof);
    ASSERT_EQ(all.size() % formats::kBellpersonProofBytes, 0u);
    for (std::size_t k = 0; k * formats::kBellpersonProofBytes < all.size(); ++k) {
      const Bytes one = all.subspan(k * formats::kBellpersonProofBytes, formats::kBellpersonProofBytes);
      EXPECT_TRUE(groth16::verify(arena, verifying_key, filecoin::public_inputs(proof.statement, k),
                                  must(formats::read_bellperson_proof(one))))
          << "partition " << k;
    }
  }

  static inline cuzk::test::TemporaryFolder* folder = nullptr;

  Arena arena;
  std::map<std::string, std::string> zkeys;
  std::unique_ptr<Catalogue> official, registered, both;
  EngineOptions options;
  std::unique_ptr<Engine> engine;  // ends first

 private:
  static std::vector<std::byte> bytes_of(const filecoin::Node& node) {
    const Bytes bytes = object_bytes(node);
    return {bytes.begin(), bytes.end()};
  }
  static void add(FilecoinRequest& request, std::vector<std::byte> payload) {
    const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(payload));
    request.payloads.push_back({*owner, owner});
  }

  static void state(FilecoinRequest& request, const filecoin::SealStatement& statement) {
    request.registered_proof = statement.proof.number;
    request.sector_number = statement.sector_number;
  }
  static void state(FilecoinRequest& request, const filecoin::PostStatement& statement) {
    request.registered_proof = statement.proof.number;
    request.randomness = bytes_of(statement.randomness);
  }
  static void state(FilecoinRequest& request, const filecoin::UpdateStatement& statement) {
    request.registered_proof = 0;  // of 2 KiB
    request.comm_r_old = bytes_of(statement.comm_r_old);
    request.comm_r_new = bytes_of(statement.comm_r_new);
    request.comm_d_new = bytes_of(statement.comm_d_new);
  }

  static void pack(FilecoinRequest& request, const filecoin::Recipe&, const filecoin::PorepVanillaProof& proof) {
    const std::string text = filecoin::write_c1_json(proof, request.sector_number);
    const Bytes bytes = text_bytes(text);
    add(request, {bytes.begin(), bytes.end()});
  }
  static void pack(FilecoinRequest& request, const filecoin::Recipe& recipe,
                   const std::vector<filecoin::PostVanillaProof>& sectors) {
    for (const auto& sector : sectors) add(request, filecoin::write_post_bincode(sector, recipe.sector(), recipe.kind));
  }
  static void pack(FilecoinRequest& request, const filecoin::Recipe& recipe,
                   const std::vector<filecoin::UpdatePartitionProof>& partitions) {
    for (const auto& partition : partitions) add(request, filecoin::write_update_bincode(partition, recipe.sector()));
  }
};

}  // namespace cuzk::engine::test
