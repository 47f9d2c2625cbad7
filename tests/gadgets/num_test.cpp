#include "gadgets/num.h"

#include <gtest/gtest.h>

#include "tests/gadgets/gadget_vector.h"

namespace cuzk::gadgets {
namespace {

using Cs = r1cs::TestSystem<bls12_381::Fr>;

TEST(NumTest, SumOfKeyAndValue) {
  const auto vector = test::gadget_vector("encode");
  Cs cs;
  const auto key = alloc_num(cs, vector.operand(0));
  const auto value = alloc_num(cs, vector.operand(1));
  EXPECT_EQ(test::scalar_hex(add(cs, key, value).value), vector.facts.at("result"));
  test::expect_matches(vector, cs);
}

TEST(NumTest, NewReplicaOfAnUpdate) {
  const auto vector = test::gadget_vector("label-r-new");
  Cs cs;
  const auto old = alloc_num(cs, vector.operand(0));
  const auto data = alloc_num(cs, vector.operand(1));
  const auto rho = alloc_num(cs, vector.operand(2));
  EXPECT_EQ(test::scalar_hex(add(cs, old, multiply(cs, data, rho)).value), vector.facts.at("result"));
  test::expect_matches(vector, cs);
}

TEST(NumTest, PublicCopy) {
  using Fr = bls12_381::Fr;
  Cs cs;
  const auto x = alloc_num(cs, Fr::from_u64(7));
  inputize(cs, x);
  ASSERT_EQ(cs.num_inputs(), 2u);
  EXPECT_EQ(cs.inputs()[1], x.value);
  EXPECT_EQ(cs.row_text(0), "(1 I1) * (1 I0) = (1 A0)");
  cs.set(x.variable, Fr::one());
  EXPECT_EQ(cs.first_unsatisfied(), 0u);
}

}  // namespace
}  // namespace cuzk::gadgets
