#include "r1cs/proving_system.h"

#include <gtest/gtest.h>

#include "r1cs/test_system.h"
#include "r1cs/witness_system.h"
#include "tests/gen/programs.h"

namespace cuzk::r1cs {
namespace {

static_assert(ConstraintSystem<ProvingSystem<bls12_381::Fr>>);
static_assert(ConstraintSystem<WitnessSystem<bls12_381::Fr>>);
static_assert(ConstraintSystem<TestSystem<bls12_381::Fr>>);
static_assert(LinearCombination<TermList<bls12_381::Fr>, bls12_381::Fr>);

template <class F> class ProvingSystemTest : public testing::Test {
 protected:
  std::mt19937_64 random{test::run_seed()};
};
using Fields = testing::Types<bn254::Fr, bls12_381::Fr>;
TYPED_TEST_SUITE(ProvingSystemTest, Fields);

template <class Fr> struct Vectors {
  explicit Vectors(const test::Program<Fr>& program)
      : rows(program.constraints + program.inputs.size()),
        z(program.inputs.size() + program.aux.size()),
        a(rows),
        b(rows),
        c(rows) {}
  std::size_t rows;
  std::vector<Fr> z, a, b, c;
};

TYPED_TEST(ProvingSystemTest, RowsAndAssignmentAreThoseOfTheTestSystem) {
  using Fr = TypeParam;
  using Side = typename TestSystem<Fr>::Side;
  for (const std::size_t steps : {0u, 1u, 10u, 500u}) {
    const auto program = test::random_program<Fr>(steps, this->random);
    TestSystem<Fr> expected;
    program.run(expected);

    Vectors<Fr> v(program);
    DensityTracker<Fr> tracker;
    ProvingSystem<Fr> cs(program.inputs.size(), v.z, EvaluationSpans<Fr>(v.a, v.b, v.c), &tracker);
    program.run(cs);
    cs.finish();

    EXPECT_EQ(v.z, program.z());
    EXPECT_EQ(cs.num_constraints(), program.constraints);
    EXPECT_EQ(cs.sink().rows(), v.rows);
    for (std::size_t row = 0; row < program.constraints; ++row) {
      EXPECT_EQ(v.a[row], expected.evaluate(Side::a, row));
      EXPECT_EQ(v.b[row], expected.evaluate(Side::b, row));
      EXPECT_EQ(v.c[row], expected.evaluate(Side::c, row));
    }
    for (std::size_t input = 0; input < program.inputs.size(); ++input) {
      EXPECT_EQ(v.a[program.constraints + input], program.inputs[input]);
      EXPECT_TRUE(v.b[program.constraints + input].is_zero());
      EXPECT_TRUE(v.c[program.constraints + input].is_zero());
    }
    EXPECT_EQ(tracker.densities(program.inputs.size()).a, expected.densities().a);
    EXPECT_EQ(tracker.densities(program.inputs.size()).b, expected.densities().b);
  }
}

TYPED_TEST(ProvingSystemTest, CIsLeftOutWhereItIsNotWanted) {
  using Fr = TypeParam;
  const auto program = test::random_program<Fr>(300, this->random);
  Vectors<Fr> with(program), without(program);
  ProvingSystem<Fr> cs(program.inputs.size(), with.z, EvaluationSpans<Fr>(with.a, with.b, with.c));
  program.run(cs);
  ProvingSystem<Fr> lean(program.inputs.size(), without.z, EvaluationSpans<Fr>(without.a, without.b));
  program.run(lean);
  EXPECT_EQ(with.z, without.z);
  EXPECT_EQ(with.a, without.a);
  EXPECT_EQ(with.b, without.b);
}

TYPED_TEST(ProvingSystemTest, CancelledAndZeroTermsAreNotDense) {
  using Fr = TypeParam;
  std::vector<Fr> z(4), a(2), b(2);
  DensityTracker<Fr> tracker;
  ProvingSystem<Fr> cs(1, z, EvaluationSpans<Fr>(a, b), &tracker);
  const Variable x = cs.alloc(Fr::from_u64(2));
  const Variable y = cs.alloc(Fr::from_u64(3));
  const Variable w = cs.alloc(Fr::from_u64(4));
  cs.enforce(
      [&](auto& lc) {
        lc.add(x);
        lc.add(y);
        lc.sub(x);
      },
      [&](auto& lc) {
        lc.add(y, Fr::zero());
        lc.add(w);
        lc.add(w);
      },
      kNothing);
  cs.finish();
  EXPECT_EQ(tracker.densities(1).a, (std::vector<Wire>{0, 2}));
  EXPECT_EQ(tracker.densities(1).b, (std::vector<Wire>{3}));
  EXPECT_EQ(a[0], Fr::from_u64(3));
  EXPECT_EQ(b[0], Fr::from_u64(8));
}

TYPED_TEST(ProvingSystemTest, CircuitThatDoesNotFitEndsTheProgram) {
  using Fr = TypeParam;
  std::vector<Fr> z(2), a(2), b(2);
  ProvingSystem<Fr> cs(1, z, EvaluationSpans<Fr>(a, b));
  EXPECT_DEATH(cs.finish(), "num_aux_ == aux_.size");
  cs.alloc(Fr::one());
  EXPECT_DEATH(cs.alloc(Fr::one()), "num_aux_ < aux_.size");
  EXPECT_DEATH(cs.input(Fr::one()), "num_inputs_ < inputs_.size");
  cs.enforce(kNothing, kNothing, kNothing);
  cs.enforce(kNothing, kNothing, kNothing);
  EXPECT_DEATH(cs.enforce(kNothing, kNothing, kNothing), "rows_ < a_.size");
}

/// A sink of the circuit's author.
template <class Fr> struct CountingSink {
  bool takes_c() const noexcept { return true; }
  void row(const Fr& a, const Fr& b, const Fr& c) noexcept {
    ++rows;
    if (a * b != c) ++unsatisfied;
  }
  std::size_t rows = 0, unsatisfied = 0;
};

TYPED_TEST(ProvingSystemTest, AnySinkTakesTheRows) {
  using Fr = TypeParam;
  const auto program = test::random_program<Fr>(300, this->random);
  std::vector<Fr> z(program.inputs.size() + program.aux.size());
  ProvingSystem<Fr, CountingSink<Fr>> cs(program.inputs.size(), z, {});
  program.run(cs);
  cs.finish();
  EXPECT_EQ(cs.sink().rows, program.constraints + program.inputs.size());
  EXPECT_EQ(cs.sink().unsatisfied, 0u);
}

}  // namespace
}  // namespace cuzk::r1cs
