#include "r1cs/witness_system.h"

#include <gtest/gtest.h>

#include "r1cs/test_system.h"
#include "tests/gen/programs.h"

namespace cuzk::r1cs {
namespace {

template <class F> class WitnessSystemTest : public testing::Test {
 protected:
  std::mt19937_64 random{test::run_seed()};
};
using Fields = testing::Types<bn254::Fr, bls12_381::Fr>;
TYPED_TEST_SUITE(WitnessSystemTest, Fields);

TYPED_TEST(WitnessSystemTest, AssignmentIsThatOfTheTestSystem) {
  using Fr = TypeParam;
  for (const std::size_t steps : {0u, 1u, 10u, 500u}) {
    const auto program = test::random_program<Fr>(steps, this->random);
    TestSystem<Fr> expected;
    program.run(expected);
    WitnessSystem<Fr> cs;
    cs.reserve(program.inputs.size(), program.aux.size());
    program.run(cs);
    EXPECT_TRUE(std::ranges::equal(cs.inputs(), expected.inputs()));
    EXPECT_TRUE(std::ranges::equal(cs.aux(), expected.aux()));
    EXPECT_TRUE(std::ranges::equal(cs.witness().values(), expected.witness().values()));
  }
}

TYPED_TEST(WitnessSystemTest, ConstraintsAreNotEvenCalled) {
  WitnessSystem<TypeParam> cs;
  const auto never = [](auto&) { FAIL() << "a linear combination was asked for"; };
  cs.enforce(never, never, never);
}

}  // namespace
}  // namespace cuzk::r1cs
