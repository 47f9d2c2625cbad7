#include "r1cs/density.h"

#include <gtest/gtest.h>

#include "tests/gen/circuits.h"

namespace cuzk::r1cs {
namespace {

using Fr = bls12_381::Fr;
using Side = CircuitBuilder<Fr>::Side;

TEST(Density, InputsCountInAAlwaysAndInBWhenPresent) {
  CircuitBuilder<Fr> builder(6, 2);  // ONE, two inputs, aux 3..5
  builder.add_term(Side::a, 4, Fr::one());
  builder.add_term(Side::b, 1, Fr::one());
  builder.add_term(Side::b, 5, Fr::from_u64(3));
  builder.add_term(Side::c, 3, Fr::one());
  builder.end_constraint();
  const auto [a, b] = densities(std::move(builder).finish());
  EXPECT_EQ(a, (std::vector<Wire>{0, 1, 2, 4}));
  EXPECT_EQ(b, (std::vector<Wire>{1, 5}));
}

TEST(Density, ZeroAndCancelledCoefficientsDoNotCount) {
  CircuitBuilder<Fr> builder(4, 0);
  builder.add_term(Side::a, 1, Fr::zero());
  builder.add_term(Side::a, 2, Fr::one());
  builder.add_term(Side::a, 2, -Fr::one());
  builder.add_term(Side::b, 3, Fr::one());
  builder.end_constraint();
  const auto [a, b] = densities(std::move(builder).finish());
  EXPECT_EQ(a, (std::vector<Wire>{0}));
  EXPECT_EQ(b, (std::vector<Wire>{3}));
}

TEST(Density, LooksAtTheStop) {
  CircuitBuilder<Fr> builder(4, 1);
  builder.add_term(Side::a, 3, Fr::one());
  builder.add_term(Side::b, 4, Fr::one());
  builder.end_constraint();
  const auto circuit = std::move(builder).finish();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(density_maps<Fr>(circuit, stop.get_token()).b.count(), 0U);
  EXPECT_TRUE(densities<Fr>(circuit, stop.get_token()).a.empty());
}

TEST(Density, CircuitWithoutConstraints) {
  const auto [a, b] = densities(CircuitBuilder<Fr>(3, 1).finish());
  EXPECT_EQ(a, (std::vector<Wire>{0, 1}));
  EXPECT_TRUE(b.empty());
}

}  // namespace
}  // namespace cuzk::r1cs
