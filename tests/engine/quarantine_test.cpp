// Devices that fall ill: by what their backends say, or by errors in a row; quarantine, trial, and return.
#include <gtest/gtest.h>

#include "tests/engine/fakes.h"
#include "tests/engine/feeling_backend.h"

namespace cuzk::engine::test {
namespace {

struct TwoDevices {
  explicit TwoDevices(std::chrono::milliseconds quarantine = 1h)
      : world([&](EngineOptions& options) {
          options.devices.resize(2);
          options.devices[0].name = "card";
          options.devices[0].is_cpu = false;
          options.devices[0].bn254 = backend;
          options.devices[1].name = "cpu";
          options.quarantine = quarantine;
          options.housekeeping = 1ms;
        }) {}

  JobState prove(const std::string& text) { return World::result(world.submit(text))->state; }
  DeviceSnapshot card() const { return world.engine->snapshot().devices[0]; }

  std::shared_ptr<FeelingBackend> backend = std::make_shared<FeelingBackend>();
  World world;
};

TEST(Quarantine, fault_A22_a_sticky_error_ends_the_service_of_a_device_at_once) {
  TwoDevices devices;
  devices.world.script.fail_on_device(0, Code::device);
  devices.backend->ill = true;
  for (int i = 0; i < 6; ++i) EXPECT_EQ(devices.prove("job " + std::to_string(i)), JobState::completed);
  const DeviceSnapshot card = devices.card();
  EXPECT_FALSE(card.in_service);
  EXPECT_EQ(card.errors, 1U);
  EXPECT_EQ(card.quarantines, 1U);
  EXPECT_NE(card.trouble.find("illegal address"), std::string::npos) << card.trouble;
  EXPECT_GT(card.quarantined_ns, 0U);
  EXPECT_EQ(devices.world.engine->snapshot().devices[1].proofs, 6U);
}

TEST(Quarantine, OneErrorOfADeviceThatIsWellIsForgiven) {
  TwoDevices devices;
  devices.world.script.fail_next(At::start, Code::device);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(devices.prove("job " + std::to_string(i)), JobState::completed);
  EXPECT_TRUE(devices.card().in_service);
  EXPECT_EQ(devices.card().errors, 1U);
  EXPECT_EQ(devices.card().proofs, 3U);
}

TEST(Quarantine, ErrorsInARowEndItAndSayWhichWasTheLast) {
  TwoDevices devices;
  devices.world.script.fail_on_device(0, Code::device);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(devices.prove("job " + std::to_string(i)), JobState::completed);
  EXPECT_FALSE(devices.card().in_service);
  EXPECT_EQ(devices.card().errors, 2U);
  EXPECT_NE(devices.card().trouble.find("2 errors in a row, the last: "), std::string::npos) << devices.card().trouble;
}

TEST(Quarantine, OtherErrorsDoNotCount) {
  TwoDevices devices;
  devices.backend->ill = true;
  for (int i = 0; i < 4; ++i) {
    devices.world.script.fail_next(At::start, Code::exhausted);
    EXPECT_EQ(devices.prove("job " + std::to_string(i)), JobState::completed);
  }
  EXPECT_TRUE(devices.card().in_service);
  EXPECT_EQ(devices.card().errors, 0U);
  EXPECT_EQ(devices.backend->asked, 0);
}

TEST(Quarantine, AnIllDeviceStaysOutUntilItIsWell) {
  TwoDevices devices(1ms);
  devices.world.script.fail_next(At::start, Code::device);
  devices.backend->ill = true;
  EXPECT_EQ(devices.prove("first"), JobState::completed);
  const int asked = devices.backend->asked;
  EXPECT_TRUE(World::eventually([&] { return devices.backend->asked > asked + 3; }));
  EXPECT_FALSE(devices.card().in_service);
  EXPECT_EQ(devices.card().quarantines, 1U);
  devices.backend->ill = false;
  EXPECT_TRUE(World::eventually([&] { return devices.card().in_service; }));
  EXPECT_EQ(devices.card().trouble, "");
  EXPECT_EQ(devices.prove("second"), JobState::completed);
  EXPECT_EQ(devices.card().proofs, 1U);
}

TEST(Quarantine, OnTrialOneErrorIsEnough) {
  TwoDevices devices(1ms);
  devices.world.script.fail_on_device(0, Code::device);
  for (std::uint64_t times = 1; times <= 3; ++times) {
    int i = 0;
    while (devices.card().quarantines < times) {
      EXPECT_EQ(devices.prove("job " + std::to_string(times) + "/" + std::to_string(i++)), JobState::completed);
    }
    EXPECT_EQ(devices.card().errors, times + 1);
    EXPECT_TRUE(World::eventually([&] { return devices.card().in_service; }));
  }
}

TEST(Quarantine, ADeviceThatMakesWrongProofsIsPutOutOfService) {
  for (const bool checked : {true, false}) {
    TwoDevices devices;
    devices.world.script.know_constraints(checked);
    for (std::uint64_t i = 1; i <= 2; ++i) {
      devices.world.script.corrupt_next(1);
      const auto result = World::result(devices.world.submit("job " + std::to_string(i)));
      ASSERT_EQ(result->state, JobState::completed);
      ASSERT_EQ(result->notes.size(), 1U);
      EXPECT_NE(result->notes[0].find("attempt 1 on card failed: "), std::string::npos) << result->notes[0];
      EXPECT_NE(result->notes[0].find("; proved again on cpu"), std::string::npos) << result->notes[0];
      EXPECT_EQ(devices.card().errors, i);
    }
    EXPECT_EQ(devices.card().proofs, 0U);
    EXPECT_FALSE(devices.card().in_service);
    EXPECT_NE(devices.card().trouble.find("did not verify"), std::string::npos) << devices.card().trouble;
    EXPECT_EQ(devices.world.engine->snapshot().metrics.kinds.at("normal").proofs_rejected, 2U);
  }
}

TEST(Quarantine, TheOnlyDeviceIsBlamedForWrongProofsOfGoodWitnesses) {
  World world;
  world.script.corrupt_next(2);
  EXPECT_EQ(World::result(world.submit("unlucky"))->state, JobState::failed);
  EXPECT_EQ(world.engine->snapshot().devices[0].errors, 2U);
}

// Else whoever sends bad witnesses could take all devices from everybody.
TEST(Quarantine, NoDeviceIsBlamedForWitnessesThatNobodyCanCheck) {
  TwoDevices devices;
  devices.world.script.know_constraints(false);
  for (int i = 0; i < 4; ++i) {
    devices.world.script.corrupt_next(2);
    EXPECT_EQ(devices.prove("job " + std::to_string(i)), JobState::failed);
  }
  EXPECT_TRUE(devices.card().in_service);
  EXPECT_EQ(devices.card().errors, 0U);
}

TEST(Quarantine, TheOnlyDeviceGoesOnTrying) {
  World world([](EngineOptions& options) { options.quarantine = 1h; });
  world.script.fail_next(At::start, Code::device, 2);
  EXPECT_EQ(World::result(world.submit("unlucky"))->state, JobState::failed);
  EXPECT_FALSE(world.engine->snapshot().devices[0].in_service);
  EXPECT_EQ(World::proof(world.submit("lucky")), result_of("lucky", 1));
}

class FakeReader final : public memory::DeviceMemoryReader {
 public:
  Result<memory::DeviceMemory> read() override {
    return memory::DeviceMemory{.total_bytes = std::uint64_t{16} << 30, .free_bytes = std::uint64_t{10} << 30};
  }
};

TEST(Quarantine, TheMemoryOfADeviceIsInTheSnapshot) {
  TwoDevices devices;
  EXPECT_FALSE(devices.card().memory);
  devices.backend->budget = must(memory::DeviceBudget::create({.name = "card"}, std::make_unique<FakeReader>()));
  memory::ReserveRequest request;
  request.bytes = 1000;
  const auto held = must(devices.backend->budget->budget()->reserve(request));
  const auto memory = devices.card().memory;
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->total_bytes, std::uint64_t{16} << 30);
  EXPECT_EQ(memory->free_bytes, std::uint64_t{10} << 30);
  EXPECT_EQ(memory->budget_bytes, (std::uint64_t{10} << 30) - (std::uint64_t{512} << 20));
  EXPECT_EQ(memory->used_bytes, 1000U);
}

}  // namespace
}  // namespace cuzk::engine::test
