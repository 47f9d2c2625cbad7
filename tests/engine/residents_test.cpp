// How a partition comes by its memory when what it needs changes while it waits.
#include "engine/residents.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "tests/engine/fakes.h"
#include "tests/engine/feeling_backend.h"

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

/// Its keys take one of the places that there are on the device.
class CrowdedCircuit final : public FakeCircuit {
 public:
  struct Key final : ResidentKey {
    explicit Key(std::atomic<int>& places) : free(places) {}
    ~Key() override { ++free; }
    std::atomic<int>& free;
  };

  CrowdedCircuit(Script& script, std::string id, std::atomic<int>& places)
      : FakeCircuit(script, std::move(id), kSizes), places_(places) {}
  Result<std::shared_ptr<const ResidentKey>> load_key(const Device&, const StopToken&) const override {
    if (places_ == 0) return fail(Code::exhausted, "no room on the device");
    --places_;
    return std::make_shared<const Key>(places_);
  }

 private:
  std::atomic<int>& places_;
};

TEST(Residents, WhatLiesIdleOnAFullDeviceMakesRoom) {
  memory::BudgetOptions options;
  options.total_bytes = 10'000'000;
  const auto budget = must(memory::MemoryBudget::create(std::move(options)));
  Script script;
  std::atomic<int> places = 2;
  const CrowdedCircuit a(script, "a", places), b(script, "b", places), c(script, "c", places);
  Residents residents(budget, 1h, 0);
  Device device;
  device.is_cpu = false;
  device.ordinal = 1;
  const auto load = [&](const ProvingCircuit& circuit) {
    return residents.collect({.circuit = circuit, .device = device, .owner = "partition"}, [] {});
  };
  auto in_use = must(load(a));
  EXPECT_TRUE(load(b));
  EXPECT_TRUE(load(c));  // in the place of b, which nobody uses
  EXPECT_TRUE(residents.has("a", 1));
  EXPECT_FALSE(residents.has("b", 1));
  EXPECT_TRUE(residents.has("c", 1));
  const auto also_in_use = must(load(c));
  const auto refused = load(b);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::exhausted);
  in_use = {};
  EXPECT_TRUE(load(b));
  EXPECT_FALSE(residents.has("a", 1));
  EXPECT_EQ(places, 0);
}

/// Its keys lie on a device, and hold something in the host's memory until they have moved there altogether.
class DeviceKeyCircuit final : public FakeCircuit {
 public:
  struct Key final : ResidentKey {
    explicit Key(const DeviceKeyCircuit& circuit) : of(circuit) {}
    std::optional<std::uint64_t> host_bytes() const noexcept override { return of.on_host.load(); }
    std::uint64_t lacking_bytes() const noexcept override { return of.lacking.load(); }
    const DeviceKeyCircuit& of;
  };

  DeviceKeyCircuit(Script& script, std::string id, std::uint64_t host_bytes)
      : FakeCircuit(script, std::move(id), kSizes), on_host(host_bytes) {}
  Result<std::shared_ptr<const ResidentKey>> load_key(const Device&, const StopToken&) const override {
    return std::make_shared<const Key>(*this);
  }

  std::atomic<std::uint64_t> on_host;
  std::atomic<std::uint64_t> lacking = 0;
};

struct Bare {
  Bare() {
    memory::BudgetOptions options;
    options.total_bytes = 10 * kKeyBytes;
    budget = must(memory::MemoryBudget::create(std::move(options)));
    device.is_cpu = false;
    device.ordinal = 1;
  }
  Supplies load(Residents& residents, const ProvingCircuit& circuit) const {
    return must(residents.collect({.circuit = circuit, .device = device, .owner = ""}, [] {}));
  }
  std::uint64_t used() const { return budget->snapshot().used; }

  std::shared_ptr<memory::MemoryBudget> budget;
  Script script;
  Device device;
};

TEST(Residents, AKeyOnADeviceHoldsOfTheBudgetWhatItHoldsOfTheHostsMemory) {
  Bare bare;
  DeviceKeyCircuit circuit(bare.script, "a", kKeyBytes / 3);
  {
    Residents residents(bare.budget, 1h, 0);
    auto supplies = bare.load(residents, circuit);
    EXPECT_EQ(bare.used(), kCircuitBytes + kKeyBytes / 3);
    circuit.on_host = 0;
    EXPECT_EQ(bare.used(), kCircuitBytes + kKeyBytes / 3);  // until a use ends
    supplies = {};
    EXPECT_EQ(bare.used(), kCircuitBytes);
    supplies = bare.load(residents, circuit);
    EXPECT_EQ(bare.used(), kCircuitBytes);
    EXPECT_EQ(residents.keys().snapshot().at(0).bytes, 0U);
    supplies = {};
    // It makes no room on the host, and stays where it is when others need some.
    auto rest = must(bare.budget->reserve(
        {.bytes = 10 * kKeyBytes - kCircuitBytes, .owner = "test", .priority = memory::Priority::critical}));
    EXPECT_TRUE(residents.keys().has({"a", 1}));
    rest.release();
  }
  EXPECT_EQ(bare.used(), 0U);
}

/// A device of 1,000 bytes.
class SmallReader final : public memory::DeviceMemoryReader {
 public:
  Result<memory::DeviceMemory> read() override { return memory::DeviceMemory{.total_bytes = 1000, .free_bytes = 1000}; }
};

TEST(Residents, IdleKeysMakeRoomForWhatAKeyLacksOnTheDevice) {
  Bare bare;
  memory::DeviceBudgetOptions options;
  options.margin_bytes = 0;
  const auto backend = std::make_shared<FeelingBackend>();
  backend->budget = must(memory::DeviceBudget::create(std::move(options), std::make_unique<SmallReader>()));
  bare.device.bn254 = backend;
  DeviceKeyCircuit a(bare.script, "a", 0), b(bare.script, "b", 0), c(bare.script, "c", 0), d(bare.script, "d", 0);
  Residents residents(bare.budget, 1h, 0);
  const auto in_use = bare.load(residents, a);
  bare.load(residents, b);
  c.lacking = 900;  // there is room
  bare.load(residents, c);
  EXPECT_TRUE(residents.has("b", 1));
  const auto full = must(backend->budget->budget()->reserve({.bytes = 500, .owner = "test"}));
  d.lacking = 900;
  bare.load(residents, d);
  EXPECT_TRUE(residents.has("a", 1));
  EXPECT_FALSE(residents.has("b", 1) || residents.has("c", 1));
  EXPECT_TRUE(residents.has("d", 1));
}

}  // namespace
}  // namespace cuzk::engine::test
