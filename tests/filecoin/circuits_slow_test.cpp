// Circuits of millions of constraints.
#include "tests/filecoin/circuit_checks.h"

namespace cuzk::filecoin {
namespace {

using test::CircuitFacts;

std::vector<CircuitFacts> large_circuits() {
  std::vector<CircuitFacts> large;
  for (const CircuitFacts& facts : test::kCircuitFacts) {
    for (const std::string_view id :
         {"porep-2k", "porep-32k", "porep-8m", "porep-512m", "snap-2k", "snap-4k", "snap-32k", "snap-8m"}) {
      if (facts.id == id) large.push_back(facts);
    }
  }
  return large;
}

class CircuitsSlowTest : public testing::TestWithParam<CircuitFacts> {};

TEST_P(CircuitsSlowTest, HasTheReferencesMatrices) { test::expect_facts(GetParam()); }
TEST_P(CircuitsSlowTest, RecordedHasTheReferencesMatrices) { test::expect_recorded_facts(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Circuits, CircuitsSlowTest, testing::ValuesIn(large_circuits()), test::circuit_name);

}  // namespace
}  // namespace cuzk::filecoin
