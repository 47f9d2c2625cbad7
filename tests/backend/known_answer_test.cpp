#include "backend/known_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "support/cpu_path_scope.h"
#include "tests/support/must.h"

namespace cuzk::backend {
namespace {

using test::must;
using testing::HasSubstr;

/// Proves as the CPU does, but for one thing.
template <class C> class Twisted final : public Backend<C> {
 public:
  explicit Twisted(Arena& arena) : cpu_(arena) {}
  Result<std::shared_ptr<const Key<C>>> load_key(const groth16::ProvingKeyView<C>& view,
                                                 const std::stop_token& stop) override {
    return cpu_.load_key(view, stop);
  }
  Result<std::shared_ptr<const Circuit<C>>> load_circuit(
      std::shared_ptr<const r1cs::CompiledCircuit<typename C::Fr>> circuit, const std::stop_token& stop) override {
    return cpu_.load_circuit(std::move(circuit), stop);
  }
  Result<std::unique_ptr<Ticket<C>>> prove_start(std::shared_ptr<const Key<C>> key,
                                                 std::shared_ptr<const Circuit<C>> circuit,
                                                 ProvingInput<C> input) override {
    return cpu_.prove_start(std::move(key), std::move(circuit), std::move(input));
  }
  Result<groth16::Proof<C>> prove_finish(std::unique_ptr<Ticket<C>> ticket) override {
    auto proof = cpu_.prove_finish(std::move(ticket));
    if (proof) twist(*proof);
    return proof;
  }

  std::function<void(groth16::Proof<C>&)> twist = [](groth16::Proof<C>&) {};

 private:
  CpuBackend<C> cpu_;
};

template <class C> class KnownAnswerTest : public testing::Test {
 protected:
  Arena arena_{2};
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(KnownAnswerTest, Curves);

TYPED_TEST(KnownAnswerTest, TheCpuGivesIt) {
  const auto answer = must(KnownAnswer<TypeParam>::create(this->arena_));
  CpuBackend<TypeParam> cpu(this->arena_);
  must(answer.check(cpu));
}

TYPED_TEST(KnownAnswerTest, AnyOtherProofIsAnErrorOfTheDevice) {
  const auto answer = must(KnownAnswer<TypeParam>::create(this->arena_));
  Twisted<TypeParam> twisted(this->arena_);
  must(answer.check(twisted));
  using Proof = groth16::Proof<TypeParam>;
  for (const auto& twist : std::vector<std::function<void(Proof&)>>{
           [](Proof& proof) { proof.a.y = -proof.a.y; },
           [](Proof& proof) { proof.b.x.c1 = proof.b.x.c0; },
           [](Proof& proof) { std::swap(proof.a, proof.c); },
           [](Proof& proof) {  // as valid as the right one
             proof.a = -proof.a;
             proof.b = -proof.b;
           },
       }) {
    twisted.twist = twist;
    const Status checked = answer.check(twisted);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code(), Code::device);
    EXPECT_THAT(checked.error().to_string(), HasSubstr("a wrong proof on " + std::string(TypeParam::name)));
  }
}

}  // namespace
}  // namespace cuzk::backend
