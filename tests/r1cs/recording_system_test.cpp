#include "r1cs/recording_system.h"

#include <set>

#include <gtest/gtest.h>

#include "r1cs/digest.h"
#include "r1cs/test_system.h"
#include "tests/gen/seed.h"
#include "tests/r1cs/random_statements.h"

namespace cuzk::r1cs {
namespace {

static_assert(ConstraintSystem<RecordingSystem<bn254::Fr>>);
static_assert(ConstraintSystem<RecordingSystem<bls12_381::Fr>>);

template <class F> class RecordingSystemTest : public testing::Test {
 protected:
  std::mt19937_64 random{test::run_seed()};
};
using Fields = testing::Types<bn254::Fr, bls12_381::Fr>;
TYPED_TEST_SUITE(RecordingSystemTest, Fields);

template <class Fr> BlockCircuit<Fr> recorded(std::uint64_t seed, std::size_t pieces) {
  RecordingSystem<Fr> cs;
  test::RandomStatements<Fr>(seed).write(cs, pieces);
  return std::move(cs).finish();
}

TYPED_TEST(RecordingSystemTest, RowsAreThoseOfTheTestSystem) {
  using Fr = TypeParam;
  for (const std::size_t pieces : {0u, 1u, 2u, 10u, 500u}) {
    const std::uint64_t seed = this->random();
    const auto circuit = recorded<Fr>(seed, pieces);
    TestSystem<Fr> reference;
    test::RandomStatements<Fr>(seed).write(reference, pieces);
    EXPECT_EQ(circuit.num_inputs(), reference.num_inputs());
    EXPECT_EQ(circuit.num_aux(), reference.num_aux());
    ASSERT_EQ(circuit.num_constraints(), reference.num_constraints());
    const NonZeros expected = {reference.num_terms(TestSystem<Fr>::Side::a),
                               reference.num_terms(TestSystem<Fr>::Side::b),
                               reference.num_terms(TestSystem<Fr>::Side::c)};
    EXPECT_EQ(circuit.non_zeros(), expected);
    EXPECT_EQ(matrices_digest<Fr>(circuit), reference.matrices_digest());
    EXPECT_EQ(matrices_digest<Fr>(to_rows<Fr>(circuit)), reference.matrices_digest());
  }
}

TYPED_TEST(RecordingSystemTest, RepeatedPiecesAreStoredOnce) {
  using Fr = TypeParam;
  RecordingSystem<Fr> cs;
  const Variable x = cs.alloc(Fr::zero());
  for (int i = 0; i < 100; ++i) {
    const Block block(cs);
    const Variable y = cs.alloc(Fr::zero());
    cs.enforce(term(x), term(y), kOne);
  }
  const auto circuit = std::move(cs).finish();
  EXPECT_EQ(circuit.num_constraints(), 100u);
  EXPECT_EQ(circuit.parts().pieces.size(), 1u);
  EXPECT_EQ(circuit.parts().placements.size(), 100u);
  EXPECT_EQ(circuit.parts().ports.size(), 200u);  // x and ONE
  EXPECT_EQ(circuit.non_zeros(), (NonZeros{100, 100, 100}));
}

TYPED_TEST(RecordingSystemTest, EveryRangeOfRowsIsVisitedInOrder) {
  using Fr = TypeParam;
  const auto circuit = recorded<Fr>(this->random(), 60);
  const auto rows = to_rows<Fr>(circuit);
  for (int round = 0; round < 50; ++round) {
    std::size_t begin = this->random() % (circuit.num_constraints() + 1);
    std::size_t end = this->random() % (circuit.num_constraints() + 1);
    if (begin > end) std::swap(begin, end);
    std::size_t next = begin;
    circuit.visit_rows(begin, end, [&](const Row& row) {
      ASSERT_EQ(row.index, next++);
      ASSERT_EQ(row.a.size(), rows.a().row(row.index).size());
      ASSERT_EQ(row.c.size(), rows.c().row(row.index).size());
      Wire sum = 0;
      for (const Term& term : row.b) sum += term.wire;
      for (const Term& term : rows.b().row(row.index)) sum -= term.wire;
      ASSERT_EQ(sum, 0u);
    });
    EXPECT_EQ(next, end);
  }
}

TYPED_TEST(RecordingSystemTest, RemembersBits) {
  using Fr = TypeParam;
  RecordingSystem<Fr> cs;
  std::vector<bool> expected;
  for (int i = 0; i < 1000; ++i) {
    expected.push_back(this->random() % 2 == 0);
    expected.back() ? cs.alloc_bit(true) : cs.alloc(Fr::one());
  }
  const auto circuit = std::move(cs).finish();
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(circuit.is_bit(i), expected[i]);
}

TYPED_TEST(RecordingSystemTest, ManyRowsAndPortsOutsideOfBlocks) {
  using Fr = TypeParam;
  const auto write = [](auto& cs) {
    std::vector<Variable> all = {Variable::one()};
    for (std::uint32_t i = 0; i < 9000; ++i) {
      all.push_back(cs.alloc(Fr::zero()));
      cs.enforce(term(all[i]), term(all[i / 2]), [&](auto& lc) { lc.add(all[i + 1], Fr::from_u64(i)); });
    }
    cs.enforce(
        [&](auto& lc) {
          for (const Variable v : all) lc.add(v);
        },
        kOne, kNothing);
  };
  RecordingSystem<Fr> cs;
  write(cs);
  const auto circuit = std::move(cs).finish();
  TestSystem<Fr> reference;
  write(reference);
  EXPECT_EQ(matrices_digest<Fr>(circuit), reference.matrices_digest());
  EXPECT_EQ(circuit.parts().placements.size(), 3u);
}

TYPED_TEST(RecordingSystemTest, VariablesFarBehindTheFirstAreFound) {
  using Fr = TypeParam;
  RecordingSystem<Fr> cs;
  for (int i = 0; i < 5'000'000; ++i) cs.alloc(Fr::zero());
  const Variable far = cs.alloc(Fr::zero());
  cs.enforce(term(far), term(Variable::aux(7)), [&](auto& lc) {
    lc.add(far);
    lc.add(far);
  });
  const auto circuit = std::move(cs).finish();
  circuit.visit_rows(0, 1, [&](const Row& row) {
    EXPECT_EQ(row.a[0].wire, 5'000'001u);
    EXPECT_EQ(row.b[0].wire, 8u);
    ASSERT_EQ(row.c.size(), 1u);
    EXPECT_EQ(circuit.coefficients()[row.c[0].coefficient], Fr::from_u64(2));
  });
}

TYPED_TEST(RecordingSystemTest, CoefficientsAreNumberedOnce) {
  using Fr = TypeParam;
  const auto circuit = recorded<Fr>(this->random(), 300);
  const auto coefficients = circuit.coefficients();
  EXPECT_EQ(coefficients[0], Fr::one());
  EXPECT_EQ(coefficients[1], -Fr::one());
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    EXPECT_FALSE(coefficients[i].is_zero());
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(coefficients[i], coefficients[j]);
  }
}

TYPED_TEST(RecordingSystemTest, WiresOfASideAreDistinct) {
  using Fr = TypeParam;
  const auto circuit = recorded<Fr>(this->random(), 300);
  circuit.visit_rows(0, circuit.num_constraints(), [&](const Row& row) {
    for (const auto side : {row.a, row.b, row.c}) {
      std::set<Wire> wires;
      for (const Term& term : side) wires.insert(term.wire);
      EXPECT_EQ(wires.size(), side.size());
    }
  });
}

}  // namespace
}  // namespace cuzk::r1cs
