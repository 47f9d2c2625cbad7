// Every circuit small enough for a fast test; the others: circuits_slow_test.cpp.
#include "tests/filecoin/circuit_checks.h"

namespace cuzk::filecoin {
namespace {

using test::CircuitFacts;

std::vector<CircuitFacts> small_circuits() {
  constexpr std::size_t kFast = 400'000;
  std::vector<CircuitFacts> small;
  for (const CircuitFacts& facts : test::kCircuitFacts) {
    if (facts.constraints < kFast) small.push_back(facts);
  }
  return small;
}

class CircuitsTest : public testing::TestWithParam<CircuitFacts> {};

TEST_P(CircuitsTest, HasTheReferencesMatrices) { test::expect_facts(GetParam()); }
TEST_P(CircuitsTest, RecordedHasTheReferencesMatrices) { test::expect_recorded_facts(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Circuits, CircuitsTest, testing::ValuesIn(small_circuits()), test::circuit_name);

}  // namespace
}  // namespace cuzk::filecoin
