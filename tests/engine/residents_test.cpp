// How a partition comes by its memory when what it needs changes while it waits.
#include "engine/residents.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "tests/engine/fakes.h"

namespace cuzk::engine::test {
namespace {

/// The device may find room for the circuit, and then it wants a, b, c no more.
class ChangingCircuit final : public FakeCircuit {
 public:
  using FakeCircuit::FakeCircuit;
  backend::Wants wants(const Device&, const ProvingSet*) const noexcept override {
    return wants_abc ? backend::Wants::abc : backend::Wants::witness;
  }
  std::atomic<bool> wants_abc = true;
};

TEST(Residents, TheRequestIsThatOfWhatIsThereAfterTheWait) {
  constexpr std::uint64_t kTotal = 10'000'000;
  memory::BudgetOptions options;
  options.total_bytes = kTotal;
  const auto budget = must(memory::MemoryBudget::create(std::move(options)));
  Arena arena(1);
  const auto pool = must(memory::PinnedPool::create(budget, {.arena = &arena}));
  Script script;
  CircuitSizes sizes = kSizes;
  sizes.abc_bytes = 3'000;
  ChangingCircuit circuit(script, "a", sizes);
  Residents residents(budget, 1h, 0);
  const Device device;
  auto held = must(budget->reserve({.bytes = kTotal - sizes.key_bytes - sizes.circuit_bytes, .owner = "test"}));
  Result<Supplies> supplies = fail(Code::internal, "not yet");
  std::jthread collecting([&] {
    supplies =
        residents.collect({.circuit = circuit, .device = device, .owner = "partition", .pool = pool.get()}, [] {});
  });
  EXPECT_TRUE(World::eventually([&] { return budget->snapshot().waiting.size() == 1; }));
  EXPECT_GT(budget->snapshot().waiting.at(0).bytes, sizes.partition_peak());
  circuit.wants_abc = false;
  held.release();
  collecting.join();
  ASSERT_TRUE(supplies);
  EXPECT_EQ(supplies->memory.bytes(), sizes.partition_peak());
  EXPECT_EQ(supplies->memory.pooled_bytes(), 0U);
}

}  // namespace
}  // namespace cuzk::engine::test
