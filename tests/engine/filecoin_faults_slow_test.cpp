// Seals and updates through the engine, and faults that only real circuits show.
#include <malloc.h>

#include <atomic>
#include <thread>

#include "tests/engine/real_proofs.h"

namespace cuzk::engine::test {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

struct SealProofs : RealProofs {
  SealProofs() : RealProofs(4 * kGiB) {}
  static void SetUpTestSuite() { make_keys({"porep-2k"}); }
};

TEST_F(SealProofs, ASealIsProven) {
  start();
  expect_proof(generated(ProofKind::porep));
  const EngineSnapshot all = engine->snapshot();
  EXPECT_EQ(all.metrics.kinds.at("porep-c2").completed, 1u);
  EXPECT_LE(all.memory.used_peak, all.memory.total);
}

struct UpdateProofs : RealProofs {
  UpdateProofs() : RealProofs(4 * kGiB) {}
  static void SetUpTestSuite() { make_keys({"snap-2k"}); }
};

// In one batch the second of two updates had no proof, and both failed after everything had been proven.
TEST_F(UpdateProofs, fault_A08_two_updates_at_once_are_proven) {
  options.max_witnesses = options.workers_per_device = 2;
  start();
  const std::array proofs = {generated(ProofKind::snap, 1), generated(ProofKind::snap, 2)};
  std::vector<JobHandle> jobs;
  for (const auto& proof : proofs) {
    JobRequest request;
    request.label = "the same label";
    request.content = must(filecoin_content(request_of(proof)));
    jobs.push_back(must(engine->submit(std::move(request))));
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    expect_verifies(proofs[i], must(jobs[i].await(Deadline::after(std::chrono::minutes(5)))));
  }
}

struct WithoutKeys : RealProofs {
  static void SetUpTestSuite() { make_keys({}); }
};

TEST_F(WithoutKeys, fault_A33_one_flipped_byte_of_an_update_fails_before_the_device) {
  start();
  auto request = request_of(generated(ProofKind::snap));
  auto damaged = std::make_shared<std::vector<std::byte>>(request.payloads.back().bytes.begin(),
                                                          request.payloads.back().bytes.end());
  (*damaged)[damaged->size() / 2] ^= std::byte{1};
  request.payloads.back() = {*damaged, damaged};
  const auto result = prove(must(filecoin_content(std::move(request))));
  EXPECT_EQ(result->state, JobState::failed);
  EXPECT_EQ(result->failure, FailureClass::caller) << result->error;
  EXPECT_TRUE(engine->snapshot().keys.empty());
}

void spoil(filecoin::MerkleProof& proof) { proof.path.front().siblings[0].limb[0] ^= 1; }
void spoil(filecoin::PorepVanillaProof& proof) { spoil(proof.partitions.back().back().comm_r_last_proof); }
void spoil(std::vector<filecoin::PostVanillaProof>& sectors) {
  spoil(sectors.back().sectors.front().inclusion_proofs.back());
}
void spoil(std::vector<filecoin::UpdatePartitionProof>& partitions) {
  spoil(partitions.back().challenges.back().r_old);
}

// All that is decoded is well formed; only the path does not lead to its root.
TEST_F(WithoutKeys, fault_A33_one_wrong_hash_of_each_kind_fails_before_the_device) {
  start();
  for (const ProofKind kind : {ProofKind::porep, ProofKind::snap, ProofKind::window, ProofKind::winning}) {
    auto proof = generated(kind);
    std::visit([](auto& vanilla) { spoil(vanilla); }, proof.vanilla);
    const auto result = prove(must(filecoin_content(request_of(proof))));
    EXPECT_EQ(result->state, JobState::failed);
    EXPECT_EQ(result->failure, FailureClass::caller);
    EXPECT_NE(result->error.find("in the vanilla proof"), std::string::npos) << result->error;
  }
  EXPECT_TRUE(engine->snapshot().keys.empty());
}

struct PostProofs : RealProofs {
  static void SetUpTestSuite() { make_keys({"winning-2k"}); }
};

/// The most that the process had allocated while this lived.
class AllocationWatch {
 public:
  AllocationWatch() : begin_(allocated()) {}

  std::uint64_t most_since_begin() const { return most_ > begin_ ? most_ - begin_ : 0; }

 private:
  static std::uint64_t allocated() {
    const struct mallinfo2 now = ::mallinfo2();
    return now.uordblks + now.hblkhd;
  }

  const std::uint64_t begin_;
  std::atomic<std::uint64_t> most_ = 0;
  std::jthread sampler_{[this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      most_ = std::max<std::uint64_t>(most_, allocated());
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }};
};

// What a partition takes is computed from its circuit, and covers what proving it really allocates.
TEST_F(PostProofs, fault_A12_what_is_reserved_covers_what_is_used) {
  constexpr std::uint64_t kPayloadAndResult = std::uint64_t{2} << 20;
  options.max_witnesses = options.workers_per_device = options.device_queue = 1;
  start();
  static_cast<void>(must(engine->preload("winning-2k")));
  expect_proof(generated(ProofKind::winning, 1));  // what is made once is there
  const auto proof = generated(ProofKind::winning, 2);
  auto content = must(filecoin_content(request_of(proof)));
  const AllocationWatch watch;
  const auto result = prove(std::move(content));
  EXPECT_EQ(result->state, JobState::completed) << result->error;
  const std::uint64_t reserved = must(both->find("winning-2k"))->sizes().partition_peak();
  EXPECT_LE(watch.most_since_begin(), reserved + kPayloadAndResult);
}

// Circuits are recorded once, kept as files, and proven from: by every partition, also of the next process.
TEST_F(PostProofs, fault_B01_the_compiled_circuit_is_what_is_proven_from) {
  const auto file = filecoin::circuit_path(must(filecoin::find_circuit("winning-2k")), folder->path().string());
  ASSERT_TRUE(std::filesystem::exists(file)) << "made with the key";
  const auto written = std::filesystem::last_write_time(file);
  for (const std::uint64_t seed : {1U, 2U}) {
    start();
    expect_proof(generated(ProofKind::winning, seed));
    const EngineSnapshot all = engine->snapshot();
    ASSERT_EQ(all.circuits.size(), 1u);
    EXPECT_EQ(all.circuits[0].circuit, "winning-2k");
    EXPECT_EQ(std::filesystem::last_write_time(file), written);
    engine.reset();
  }
}

TEST_F(RealProofs, fault_B27_what_a_partition_takes_follows_from_its_circuit) {
  start();
  const auto winning = must(both->find("winning-2k"))->sizes();
  const auto window = must(both->find("wpost-2k"))->sizes();
  EXPECT_GT(winning.witness_bytes, 2 * window.witness_bytes);
  EXPECT_GT(winning.key_bytes, 2 * window.key_bytes);
}

}  // namespace
}  // namespace cuzk::engine::test
