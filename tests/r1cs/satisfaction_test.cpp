#include "r1cs/satisfaction.h"

#include <gtest/gtest.h>

#include "tests/gen/circuits.h"

namespace cuzk::r1cs {
namespace {

template <class F> class SatisfactionTest : public testing::Test {
 protected:
  std::mt19937_64 random{test::run_seed()};
  Arena arena = Arena::on_threads(3);
};
using Fields = testing::Types<bn254::Fr, bls12_381::Fr>;
TYPED_TEST_SUITE(SatisfactionTest, Fields);

TYPED_TEST(SatisfactionTest, SatisfiedCircuitHasNoUnsatisfiedConstraint) {
  using Fr = TypeParam;
  for (const std::size_t constraints : {0u, 1u, 2u, 3000u}) {
    const auto satisfied = test::random_circuit<Fr>({constraints, 2, 30}, this->random);
    EXPECT_EQ(first_unsatisfied<Fr>(this->arena, satisfied.circuit, satisfied.values()), std::nullopt);
  }
}

TYPED_TEST(SatisfactionTest, FirstUnsatisfiedIsThatOfARowByRowSearch) {
  using Fr = TypeParam;
  for (int round = 0; round < 10; ++round) {
    auto satisfied = test::random_circuit<Fr>({3000, 1, 2000}, this->random);
    const auto& circuit = satisfied.circuit;
    Fr& changed = satisfied.z[1 + this->random() % 2001];
    changed += Fr::one();
    const std::span<const Fr> z = satisfied.z;
    std::optional<std::size_t> expected;
    for (std::size_t row = circuit.num_constraints(); row-- > 0;) {
      const auto times_z = [&](const SparseMatrix& m) {
        return test::inner_product<Fr>(m.row(row), circuit.coefficients(), z);
      };
      if (times_z(circuit.a()) * times_z(circuit.b()) != times_z(circuit.c())) expected = row;
    }
    EXPECT_EQ(first_unsatisfied<Fr>(this->arena, circuit, satisfied.values()), expected);
  }
}

TYPED_TEST(SatisfactionTest, LooksAtTheStop) {
  using Fr = TypeParam;
  auto satisfied = test::random_circuit<Fr>({3000, 1, 2000}, this->random);
  for (Fr& value : satisfied.z) value += Fr::one();
  ASSERT_NE(first_unsatisfied<Fr>(this->arena, satisfied.circuit, satisfied.values()), std::nullopt);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(first_unsatisfied<Fr>(this->arena, satisfied.circuit, satisfied.values(), stop.get_token()), std::nullopt);
}

}  // namespace
}  // namespace cuzk::r1cs
