#include "backend/cpu/cpu_backend.h"

#include <gtest/gtest.h>

#include "groth16/verifier.h"
#include "support/right_of_way.h"
#include "tests/backend/samples.h"

namespace cuzk::backend {
namespace {

using test::kSnarkjs;
using test::must;

template <class C> class CpuBackendTest : public testing::Test {
 protected:
  using Proof = groth16::Proof<C>;

  static Proof prove(CpuBackend<C>& backend, const test::Case<C>& sample, const U256& r, const U256& s,
                     bool urgent = false) {
    ProvingInput<C> input{sample.witness(), Blinding<C>::fixed(r, s)};
    input.urgent = urgent;
    auto ticket =
        must(backend.prove_start(must(backend.load_key(sample.view_with_records())), nullptr, std::move(input)));
    return must(backend.prove_finish(std::move(ticket)));
  }
  static void expect_equal(const Proof& proof, const Proof& expected) {
    EXPECT_EQ(proof.a, expected.a);
    EXPECT_EQ(proof.b, expected.b);
    EXPECT_EQ(proof.c, expected.c);
  }

  U256 random_scalar() { return test::uniform_element<typename C::Fr>(random).canonical(); }

  std::mt19937_64 random{test::run_seed()};
  Arena arena{2};
  CpuBackend<C> backend{arena};
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(CpuBackendTest, Curves);

TYPED_TEST(CpuBackendTest, NumberOfThreadsDoesNotChangeTheProof) {
  using C = TypeParam;
  const test::Case<C> sample(this->arena, {3000, 5, 2500}, kSnarkjs, this->random);
  const U256 r = this->random_scalar();
  const U256 s = this->random_scalar();
  const auto expected = this->prove(this->backend, sample, r, s);
  EXPECT_TRUE(groth16::verify(this->arena, groth16::PreparedVerifyingKey<C>(sample.key->vk),
                              sample.witness()->public_inputs(sample.key->num_public()), expected));
  Arena one(1);
  CpuBackend<C> serial(one);
  this->expect_equal(this->prove(serial, sample, r, s), expected);
}

TYPED_TEST(CpuBackendTest, UrgentProofsAreTheSame) {
  using C = TypeParam;
  const test::Case<C> sample(this->arena, {300, 5, 250}, kSnarkjs, this->random);
  const U256 r = this->random_scalar();
  const U256 s = this->random_scalar();
  const auto expected = this->prove(this->backend, sample, r, s);
  SharedCores cores(2);
  CpuBackend<C> shared(cores.ordinary(), {.urgent_arena = &cores.urgent()});
  std::vector<std::jthread> provers;
  for (const bool urgent : {false, true, false, true}) {
    provers.emplace_back([&, urgent] { this->expect_equal(this->prove(shared, sample, r, s, urgent), expected); });
  }
}

TEST(CpuBackend, Bn254HasNoZcashEncoding) {
  Arena arena{2};
  std::mt19937_64 random{test::run_seed()};
  CpuBackend<Bn254> bn254(arena);
  const test::Case<Bn254> sample(arena, {3, 1, 2}, kSnarkjs, random);
  auto view = sample.view_with_records();
  view.encoding = groth16::PointEncoding::zcash_uncompressed;
  const auto key = bn254.load_key(view);
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().code(), Code::unsupported);
}

}  // namespace
}  // namespace cuzk::backend
