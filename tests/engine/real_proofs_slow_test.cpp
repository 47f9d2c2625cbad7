// Real proofs on the CPU backend: Filecoin's small proofs of spacetime, circom's circuits on both curves, and a device
// that lies.
#include <atomic>

#include "tests/engine/real_proofs.h"

namespace cuzk::engine::test {
namespace {

/// A backend whose first proofs are wrong.
template <class C> class LyingBackend final : public backend::Backend<C> {
 public:
  LyingBackend(Arena& arena, unsigned lies) : cpu_(arena), lies_(lies) {}

  Result<std::shared_ptr<const backend::Key<C>>> load_key(const groth16::ProvingKeyView<C>& view,
                                                          const std::stop_token& stop) override {
    return cpu_.load_key(view, stop);
  }
  Result<std::shared_ptr<const backend::Circuit<C>>> load_circuit(
      std::shared_ptr<const r1cs::CompiledCircuit<typename C::Fr>> circuit, const std::stop_token& stop) override {
    return cpu_.load_circuit(std::move(circuit), stop);
  }
  Result<std::unique_ptr<backend::Ticket<C>>> prove_start(std::shared_ptr<const backend::Key<C>> key,
                                                          std::shared_ptr<const backend::Circuit<C>> circuit,
                                                          backend::ProvingInput<C> input) override {
    return cpu_.prove_start(std::move(key), std::move(circuit), std::move(input));
  }
  Result<groth16::Proof<C>> prove_finish(std::unique_ptr<backend::Ticket<C>> ticket) override {
    CUZK_TRY(auto proof, cpu_.prove_finish(std::move(ticket)));
    if (lies_ > 0) {
      --lies_;
      proof.c = g1_generator<C>();
    }
    return proof;
  }

 private:
  backend::CpuBackend<C> cpu_;
  std::atomic<unsigned> lies_;
};

class CircomProofs : public RealProofs {
 protected:
  static void SetUpTestSuite() { make_keys({}); }

  template <class C> void expect_circom_proof() {
    using Sample = cuzk::test::Sample<C>;
    const auto key = Sample::zkey_key(arena);
    zkeys = {{"cubic", folder->file("cubic.zkey")}};
    must(formats::write_zkey(zkeys["cubic"], key, Sample::circuit()));
    must(formats::write_wtns<C>(folder->file("right.wtns"), Sample::witness()));
    auto wrong = Sample::witness();
    wrong.writable()[1] = U256::from_u64(36);
    must(formats::write_wtns<C>(folder->file("wrong.wtns"), wrong));
    start();

    const auto result = prove(must(circom_content("cubic", payload("right.wtns"))));
    ASSERT_EQ(result->state, JobState::completed) << result->error;
    const CircomResult split = must(split_circom_result(result->proof));
    EXPECT_TRUE(groth16::verify(arena, groth16::PreparedVerifyingKey<C>(key.vk),
                                must(formats::read_public_json<C>(split.public_json)),
                                must(formats::read_proof_json<C>(split.proof_json))));
    const auto unsatisfied = prove(must(circom_content("cubic", payload("wrong.wtns"))));
    EXPECT_EQ(unsatisfied->state, JobState::failed);
    EXPECT_EQ(unsatisfied->failure, FailureClass::caller) << unsatisfied->error;
  }

  static Payload payload(const std::string& name) {
    const auto file = std::make_shared<const MappedFile>(must(MappedFile::open(folder->file(name))));
    return {file->bytes(), file};
  }
};

TEST_F(RealProofs, ProofsOfSpacetimeVerify) {
  start();
  expect_proof(generated(ProofKind::winning));
  expect_proof(generated(ProofKind::window));
  const EngineSnapshot all = engine->snapshot();
  EXPECT_EQ(all.keys.size(), 2u);
  EXPECT_EQ(all.metrics.kinds.at("winning-post").completed, 1u);
  EXPECT_EQ(all.metrics.kinds.at("window-post").partitions_proved, 1u);
}

TEST_F(RealProofs, ProofsOf32GiBSectorsHaveTheirLengths) {
  start();
  const auto circuit = must(official->find("winning-2k"));  // all of Filecoin's put proofs together alike
  struct Kind {
    ProofKind kind;
    std::uint32_t registered_proof;
    std::size_t payloads, proof_bytes;
  };
  for (const Kind& of : {Kind{ProofKind::porep, 8, 1, 1920}, Kind{ProofKind::snap, 3, 16, 3072},
                         Kind{ProofKind::window, 13, 2, 192}, Kind{ProofKind::winning, 3, 1, 192}}) {
    FilecoinRequest request;
    request.kind = of.kind;
    request.registered_proof = of.registered_proof;
    const auto text = std::make_shared<const std::vector<std::byte>>(100);
    request.payloads.assign(of.payloads, {*text, text});
    for (auto* const node : {&request.randomness, &request.comm_r_old, &request.comm_r_new, &request.comm_d_new}) {
      node->assign(32, std::byte{1});
    }
    const JobContent content = must(filecoin_content(std::move(request)));
    std::vector<std::vector<std::byte>> proofs;
    std::vector<Bytes> records;
    for (std::uint32_t k = 0; k < content.partitions; ++k) {
      proofs.push_back(circuit->record(std::vector(formats::kBellpersonProofBytes, std::byte(k)), {}));
    }
    for (const auto& proof : proofs) records.emplace_back(proof);
    const auto all = must(circuit->assemble(records));
    ASSERT_EQ(all.size(), of.proof_bytes) << content.circuit;
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], std::byte(i / 192)) << content.circuit;  // by number
  }
}

TEST_F(RealProofs, fault_A06_a_lying_device_is_found_out) {
  options.devices[0].bls12_381 = std::make_shared<LyingBackend<Bls12_381>>(arena, 1);
  start();
  expect_proof(generated(ProofKind::winning));
  EXPECT_EQ(engine->snapshot().metrics.kinds.at("winning-post").proofs_rejected, 1u);
  engine.reset();
  options.devices[0].bls12_381 = std::make_shared<LyingBackend<Bls12_381>>(arena, 1000);
  start();
  for (const ProofKind kind : {ProofKind::winning, ProofKind::window}) {
    const auto result = prove(must(filecoin_content(request_of(generated(kind)))));
    EXPECT_EQ(result->state, JobState::failed);
    EXPECT_EQ(result->failure, FailureClass::defect) << result->error;
  }
}

TEST_F(RealProofs, fault_A07_sizes_and_kinds_are_looked_up) {
  start();
  const auto proof = generated(ProofKind::winning);
  auto request = request_of(proof);
  request.registered_proof = 3;  // 32 GiB: another circuit, whose key is not there, or another shape
  const auto content = filecoin_content(std::move(request));
  ASSERT_TRUE(content);
  EXPECT_EQ(content->circuit, "winning-32g");
  request = request_of(proof);
  request.registered_proof = 5;  // a window proof
  EXPECT_EQ(filecoin_content(std::move(request)).error().kind(), Kind::wrong_proof_type);
}

TEST_F(RealProofs, fault_A33_a_flipped_byte_fails_before_the_device) {
  start();
  auto request = request_of(generated(ProofKind::winning));
  auto damaged =
      std::make_shared<std::vector<std::byte>>(request.payloads[0].bytes.begin(), request.payloads[0].bytes.end());
  (*damaged)[damaged->size() / 2] ^= std::byte{1};
  request.payloads[0] = {*damaged, damaged};
  const auto result = prove(must(filecoin_content(std::move(request))));
  EXPECT_EQ(result->state, JobState::failed);
  EXPECT_EQ(result->failure, FailureClass::caller);
  EXPECT_TRUE(engine->snapshot().keys.empty());
}

TEST_F(CircomProofs, CircomOnBn254) { expect_circom_proof<Bn254>(); }
TEST_F(CircomProofs, CircomOnBls12_381) { expect_circom_proof<Bls12_381>(); }

}  // namespace
}  // namespace cuzk::engine::test
