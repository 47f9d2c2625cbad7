// Real proofs whose a, b, c are evaluated on the host: from compiled circuits and from a .zkey's records, in memory
// that is page-locked and in memory that is not.
#include "tests/engine/real_proofs.h"
#include "tests/memory/pool_fixture.h"
#include "tests/support/eventually.h"

namespace cuzk::engine::test {
namespace {

class HostInputs : public RealProofs {
 protected:
  HostInputs() {
    memory::PoolOptions of_pool;
    of_pool.large_chunk_bytes = 256 * memory::kKiB;
    of_pool.small_chunk_bytes = 16 * memory::kKiB;
    of_pool.locker = locker;
    options.pool = must(memory::PinnedPool::create(options.budget, std::move(of_pool)));
    options.devices[0].name = "a device without room for circuits";
    options.devices[0].is_cpu = false;
    const backend::CpuOptions of_backend{.wants = backend::Wants::abc};
    options.devices[0].bn254 = std::make_shared<backend::CpuBackend<Bn254>>(arena, of_backend);
    options.devices[0].bls12_381 = std::make_shared<backend::CpuBackend<Bls12_381>>(arena, of_backend);
    options.prewarm = {"winning-2k", "wpost-2k"};
  }
  ~HostInputs() override {
    engine.reset();
    options.pool.reset();
    EXPECT_EQ(locker->bytes(), 0U);
    EXPECT_EQ(options.budget->snapshot().used, 0U);
  }

  const KindMetrics& metrics(const std::string& kind) {
    snapshot = engine->snapshot();
    return snapshot.metrics.kinds.at(kind);
  }

  template <class C> void expect_circom_proof() {
    using Sample = cuzk::test::Sample<C>;
    const auto key = Sample::zkey_key(arena);
    zkeys = {{"cubic", folder->file("cubic.zkey")}};
    must(formats::write_zkey(zkeys["cubic"], key, Sample::circuit()));
    must(formats::write_wtns<C>(folder->file("right.wtns"), Sample::witness()));
    start();
    const auto file = std::make_shared<const MappedFile>(must(MappedFile::open(folder->file("right.wtns"))));
    const auto result = prove(must(circom_content("cubic", {file->bytes(), file})));
    ASSERT_EQ(result->state, JobState::completed) << result->error;
    const CircomResult split = must(split_circom_result(result->proof));
    EXPECT_TRUE(groth16::verify(arena, groth16::PreparedVerifyingKey<C>(key.vk),
                                must(formats::read_public_json<C>(split.public_json)),
                                must(formats::read_proof_json<C>(split.proof_json))));
    EXPECT_GT(metrics("circom").pinned_bytes, 0U);
    EXPECT_EQ(metrics("circom").pageable_bytes, 0U);
  }

  std::shared_ptr<memory::test::CountingLocker> locker = std::make_shared<memory::test::CountingLocker>();
  EngineSnapshot snapshot;
};

TEST_F(HostInputs, fault_B02_B18_compiled_circuits_write_into_page_locked_memory) {
  start();
  must(options.pool->wait_prewarmed({}, Deadline::after(cuzk::test::kPatience)));
  expect_proof(generated(ProofKind::winning));
  expect_proof(generated(ProofKind::window));
  for (const char* kind : {"winning-post", "window-post"}) {
    EXPECT_GT(metrics(kind).pinned_bytes, 0U) << kind;
    EXPECT_EQ(metrics(kind).pageable_bytes, 0U) << kind;
  }
  EXPECT_EQ(snapshot.pool->misses, 0U);
  EXPECT_EQ(snapshot.pool->buffers, 2U);
}

TEST_F(HostInputs, RefusedPageLockingGivesProofsThatVerify) {
  locker->refuses = true;
  start();
  expect_proof(generated(ProofKind::winning));
  EXPECT_EQ(metrics("winning-post").pinned_bytes, 0U);
  EXPECT_GT(metrics("winning-post").pageable_bytes, 0U);
  EXPECT_EQ(snapshot.pool->fallback_buffers, 1U);
  EXPECT_EQ(snapshot.jobs.at(0).partitions.at(0).timeline.path, MemoryPath::pageable);
}

TEST_F(HostInputs, RecordsOfAKeyOnBn254) { expect_circom_proof<Bn254>(); }
TEST_F(HostInputs, RecordsOfAKeyOnBls12_381) { expect_circom_proof<Bls12_381>(); }

}  // namespace
}  // namespace cuzk::engine::test
