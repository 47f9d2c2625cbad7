// The three ways of a partition's input: the witness alone, a, b, c in page-locked memory, a, b, c in ordinary memory.
#include <gtest/gtest.h>

#include "groth16/verifier.h"
#include "tests/backend/samples.h"
#include "tests/backend/subjects.h"
#include "tests/memory/pool_fixture.h"

namespace cuzk::backend {
namespace {

using memory::test::PoolFixture;
using test::kBellperson;
using test::kSnarkjs;
using test::must;

template <class Subject, class C = typename Subject::Curve> class InputsTest : public testing::Test {
 protected:
  using Fr = typename C::Fr;
  using Abc = AbcBuffer<Fr>;
  using Case = test::Case<C>;
  using Proof = groth16::Proof<C>;

  void SetUp() override {
    if (backend == nullptr) GTEST_SKIP() << Subject::why_none();
  }

  U256 random_scalar() { return test::uniform_element<Fr>(random).canonical(); }

  Abc abc_buffer(std::size_t rows) { return Abc(pools.buffer(Abc::bytes(rows)), rows); }

  static std::size_t rows_of(const Case& sample) {
    return sample.circuit->num_constraints() + sample.circuit->num_inputs();
  }

  Abc evaluated(const Case& sample) {
    Abc abc = abc_buffer(rows_of(sample));
    groth16::evaluate<Fr>(arena, *sample.circuit, sample.witness()->values(), abc.parts());
    return abc;
  }
  /// From the key's records, which tell nothing of C.
  Abc evaluated_records(const Case& sample) {
    Abc abc = abc_buffer(sample.key->domain_size);
    groth16::evaluate<Fr>(arena, r1cs::CoefficientRecords<Fr>(sample.records, true), sample.witness()->values(),
                          abc.parts());
    return abc;
  }

  Result<std::unique_ptr<Ticket<C>>> try_start(const groth16::ProvingKeyView<C>& view, const Case& sample,
                                               std::optional<Abc> abc, std::stop_token stop = {}) {
    std::shared_ptr<const Circuit<C>> circuit;
    if (!view.coefficients) circuit = must(backend->load_circuit(sample.circuit));
    return backend->prove_start(must(backend->load_key(view)), circuit,
                                {.witness = sample.witness(),
                                 .blinding = Blinding<C>::fixed(r, s),
                                 .stop = stop,
                                 .progress = nullptr,
                                 .abc = std::move(abc),
                                 .memory = {}});
  }
  std::unique_ptr<Ticket<C>> start(const groth16::ProvingKeyView<C>& view, const Case& sample, std::optional<Abc> abc) {
    return must(try_start(view, sample, std::move(abc)));
  }
  Proof finish(std::unique_ptr<Ticket<C>> ticket) { return must(backend->prove_finish(std::move(ticket))); }

  static void expect_equal(const Proof& proof, const Proof& expected) {
    EXPECT_EQ(proof.a, expected.a);
    EXPECT_EQ(proof.b, expected.b);
    EXPECT_EQ(proof.c, expected.c);
  }

  std::mt19937_64 random{test::run_seed()};
  const U256 r = random_scalar();
  const U256 s = random_scalar();
  Arena arena{2};
  std::shared_ptr<Backend<C>> backend = Subject::make(arena);
  PoolFixture pools{std::uint64_t{8} << 20};
};
TYPED_TEST_SUITE(InputsTest, test::EveryBackend, test::BackendNames);

// Sizes below, at and above the chunks' (128 and 512 elements), so that they end anywhere in the three vectors.
const test::CircuitShape kShapes[] = {{1, 0, 1}, {100, 3, 60}, {125, 2, 90}, {509, 2, 300}, {900, 5, 700}};

TYPED_TEST(InputsTest, AllWaysGiveTheSameProof) {
  for (const auto& form : {kSnarkjs, kBellperson}) {
    for (const auto& shape : kShapes) {
      const test::Case<typename TypeParam::Curve> sample(this->arena, shape, form, this->random);
      const auto expected = this->finish(this->start(sample.plain_view(), sample, std::nullopt));
      for (const bool refused : {false, true}) {
        this->pools.locker->refuses = refused;
        this->expect_equal(this->finish(this->start(sample.plain_view(), sample, this->evaluated(sample))), expected);
        this->expect_equal(
            this->finish(this->start(sample.view_with_records(), sample, this->evaluated_records(sample))), expected);
      }
      this->pools.pool->shrink(~std::uint64_t{0});
    }
  }
}

TYPED_TEST(InputsTest, ChunksOfBothMemoriesInOneBuffer) {
  const test::Case<typename TypeParam::Curve> sample(this->arena, {900, 5, 700}, kSnarkjs, this->random);
  const auto expected = this->finish(this->start(sample.plain_view(), sample, std::nullopt));
  this->pools.faults->fail_next(memory::FaultSite::page_lock, 2, 1);
  auto abc = this->evaluated(sample);
  EXPECT_GT(abc.buffer().pinned_bytes(), 0u);
  EXPECT_GT(abc.buffer().pageable_bytes(), 0u);
  auto ticket = this->start(sample.plain_view(), sample, std::move(abc));
  const Moved moved = ticket->moved();
  EXPECT_GT(moved.pinned_bytes, 0u);
  EXPECT_GT(moved.pageable_bytes, 0u);
  EXPECT_GE(moved.pinned_bytes + moved.pageable_bytes,
            AbcBuffer<typename TypeParam::Curve::Fr>::bytes(this->rows_of(sample)));
  this->expect_equal(this->finish(std::move(ticket)), expected);
}

TYPED_TEST(InputsTest, BuffersAreBackBeforeTheProofIsFinished) {
  const test::Case<typename TypeParam::Curve> sample(this->arena, {500, 5, 300}, kBellperson, this->random);
  auto ticket = this->start(sample.plain_view(), sample, this->evaluated(sample));
  EXPECT_EQ(this->pools.pool->statistics().buffers_in_use, 0u);
  EXPECT_EQ(this->pools.budget->snapshot().reserved, 0u);
  EXPECT_EQ(ticket->moved().pinned_bytes, AbcBuffer<typename TypeParam::Curve::Fr>::bytes(this->rows_of(sample)));
}

TYPED_TEST(InputsTest, AWitnessPaysAsLongAsItIsRead) {
  using C = typename TypeParam::Curve;
  const test::Case<C> sample(this->arena, {500, 5, 300}, kBellperson, this->random);
  auto ticket = must(this->backend->prove_start(must(this->backend->load_key(sample.plain_view())),
                                                must(this->backend->load_circuit(sample.circuit)),
                                                {.witness = sample.witness(),
                                                 .blinding = Blinding<C>::fixed(this->r, this->s),
                                                 .stop = {},
                                                 .progress = nullptr,
                                                 .abc = {},
                                                 .memory = this->pools.reserve(8192)}));
  EXPECT_EQ(this->pools.budget->snapshot().reserved, 0u);
  EXPECT_EQ(ticket->moved().pinned_bytes, 0u);
}

TYPED_TEST(InputsTest, OtherLengthsAreRefused) {
  const test::Case<typename TypeParam::Curve> sample(this->arena, {100, 3, 60}, kSnarkjs, this->random);
  const std::size_t rows = this->rows_of(sample);
  for (const std::size_t wrong : {std::size_t{1}, rows - 1, sample.key->domain_size + 1}) {
    const auto started = this->try_start(sample.plain_view(), sample, this->abc_buffer(wrong));
    ASSERT_FALSE(started) << wrong;
    EXPECT_EQ(started.error().code(), Code::invalid_argument);
  }
  EXPECT_EQ(this->pools.pool->statistics().buffers_in_use, 0u);
}

TYPED_TEST(InputsTest, StoppedStartsGiveTheirBuffersBack) {
  const test::Case<typename TypeParam::Curve> sample(this->arena, {100, 3, 60}, kSnarkjs, this->random);
  std::stop_source stop;
  stop.request_stop();
  const auto started = this->try_start(sample.plain_view(), sample, this->evaluated(sample), stop.get_token());
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), Code::cancelled);
  EXPECT_EQ(this->pools.pool->statistics().buffers_in_use, 0u);
}

TYPED_TEST(InputsTest, RowsThatSatisfyNothingGiveAProofThatDoesNotVerify) {
  const test::Case<typename TypeParam::Curve> sample(this->arena, {100, 3, 60}, kSnarkjs, this->random);
  auto abc = this->evaluated(sample);
  abc.for_each_part(2, [](auto elements, std::size_t) { elements[0] += elements[0].one(); });
  const auto proof = this->finish(this->start(sample.plain_view(), sample, std::move(abc)));
  const auto witness = sample.witness();
  EXPECT_FALSE(groth16::verify(this->arena, groth16::PreparedVerifyingKey<typename TypeParam::Curve>(sample.key->vk),
                               witness->public_inputs(sample.key->num_public()), proof));
}

TEST(AbcBuffer, PartsCoverEachRowOnce) {
  using Fr = bn254::Fr;
  PoolFixture pools(std::uint64_t{8} << 20);
  std::mt19937_64 random(test::run_seed());
  for (int i = 0; i < 50; ++i) {
    const std::size_t rows = 1 + random() % 3000;
    const AbcBuffer<Fr> abc(pools.buffer(AbcBuffer<Fr>::bytes(rows)), rows);
    std::size_t next = 0;
    for (const auto& part : abc.parts()) {
      ASSERT_EQ(part.first, next);
      ASSERT_GT(part.a.size(), 0u);
      ASSERT_EQ(part.b.size(), part.a.size());
      ASSERT_EQ(part.c.size(), part.a.size());
      for (std::size_t k = 0; k < part.a.size(); ++k) {
        part.a[k] = Fr::from_u64(next + k);
        part.b[k] = Fr::from_u64(rows + next + k);
        part.c[k] = Fr::from_u64(2 * rows + next + k);
      }
      next += part.a.size();
    }
    ASSERT_EQ(next, rows);
    const auto elements = abc.buffer().as<Fr>();
    for (std::size_t k = 0; k < 3 * rows; ++k) ASSERT_EQ(elements[k], Fr::from_u64(k));
  }
}

TYPED_TEST(InputsTest, OtherMeansGiveTheSameProof) {
  using C = typename TypeParam::Curve;
  for (const auto& form : {kSnarkjs, kBellperson}) {
    const test::Case<C> sample(this->arena, {900, 5, 700}, form, this->random);
    const auto expected = this->finish(this->start(sample.plain_view(), sample, std::nullopt));
    const auto key = must(this->backend->load_key(sample.plain_view()));
    const auto circuit = must(this->backend->load_circuit(sample.circuit));
    auto ticket = must(this->backend->prove_start(key, circuit,
                                                  {.witness = sample.witness(),
                                                   .blinding = Blinding<C>::fixed(this->r, this->s),
                                                   .stop = {},
                                                   .progress = nullptr,
                                                   .abc = {},
                                                   .memory = {},
                                                   .other_means = true}));
    this->expect_equal(this->finish(std::move(ticket)), expected);
  }
}

}  // namespace
}  // namespace cuzk::backend
