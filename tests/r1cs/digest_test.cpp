#include "r1cs/digest.h"

#include <gtest/gtest.h>

#include "tests/gen/circuits.h"

namespace cuzk::r1cs {
namespace {

template <class F> class DigestTest : public testing::Test {};
using Fields = testing::Types<bn254::Fr, bls12_381::Fr>;
TYPED_TEST_SUITE(DigestTest, Fields);

/// The definition, one piece at a time.
template <class Fr> Sha256::Digest slow_digest(const RowCircuit<Fr>& circuit) {
  Sha256 hash;
  const auto put = [&](const auto value) { hash.update(object_bytes(value)); };
  for (std::size_t row = 0; row < circuit.num_constraints(); ++row) {
    for (const auto* matrix : {&circuit.a(), &circuit.b(), &circuit.c()}) {
      put(static_cast<std::uint32_t>(matrix->row(row).size()));
      for (const Term& term : matrix->row(row)) {
        const auto inputs = static_cast<Wire>(circuit.num_inputs());
        const bool aux = term.wire >= inputs;
        put(static_cast<std::uint8_t>(aux));
        put(aux ? term.wire - inputs : term.wire);
        put(circuit.coefficients()[term.coefficient].canonical());
      }
    }
  }
  put(std::uint64_t{circuit.num_inputs()});
  put(std::uint64_t{circuit.num_aux()});
  put(std::uint64_t{circuit.num_constraints()});
  return hash.finish();
}

TYPED_TEST(DigestTest, IsTheHashOfTheDefinition) {
  std::mt19937_64 random(test::run_seed());
  for (const std::size_t constraints : {0u, 1u, 1000u}) {
    const auto circuit = test::random_circuit<TypeParam>({constraints, 3, 50}, random).circuit;
    EXPECT_EQ(matrices_digest(circuit), slow_digest(circuit));
  }
}

TYPED_TEST(DigestTest, DoesNotDependOnTheOrderOfTerms) {
  using Fr = TypeParam;
  using Side = typename CircuitBuilder<Fr>::Side;
  const auto digest_of = [](std::vector<Wire> order) {
    CircuitBuilder<Fr> builder(4, 1);
    for (const Wire v : order) builder.add_term(Side::a, v, Fr::from_u64(v + 2));
    builder.end_constraint();
    return matrices_digest(std::move(builder).finish());
  };
  EXPECT_EQ(digest_of({0, 1, 3}), digest_of({3, 0, 1}));
  EXPECT_NE(digest_of({0, 1, 3}), digest_of({0, 1, 2}));
}

}  // namespace
}  // namespace cuzk::r1cs
