#include "memory/device_budget.h"

#include <gtest/gtest.h>

#include "memory/memory_size.h"
#include "tests/memory/fake_time.h"
#include "tests/support/must.h"

namespace cuzk::memory {
namespace {

using cuzk::test::must;

/// What it says can be changed from outside.
struct Driver {
  DeviceMemory memory{.total_bytes = 16 * kGiB, .free_bytes = 15 * kGiB};
  bool silent = false;
  int calls = 0;
};

class FakeReader final : public DeviceMemoryReader {
 public:
  explicit FakeReader(Driver& driver) : driver_(driver) {}
  Result<DeviceMemory> read() override {
    ++driver_.calls;
    if (driver_.silent) return fail(Code::device, "no answer");
    return driver_.memory;
  }

 private:
  Driver& driver_;
};

Result<std::shared_ptr<DeviceBudget>> try_make(Driver& driver, DeviceBudgetOptions options = {}) {
  options.name = "card 0";
  return DeviceBudget::create(std::move(options), std::make_unique<FakeReader>(driver));
}

TEST(DeviceBudget, the_total_is_what_is_free_less_the_margin) {
  Driver driver;
  EXPECT_EQ(must(try_make(driver))->budget()->total_bytes(), 15 * kGiB - 512 * kMiB);
}

TEST(DeviceBudget, a_limit_caps_it) {
  Driver driver;
  DeviceBudgetOptions options;
  options.limit_bytes = 4 * kGiB;
  options.margin_bytes = kGiB;
  EXPECT_EQ(must(try_make(driver, options))->budget()->total_bytes(), 3 * kGiB);
}

TEST(DeviceBudget, a_device_that_others_have_filled_is_refused_with_the_numbers) {
  Driver driver;
  driver.memory.free_bytes = 300 * kMiB;
  const auto refused = try_make(driver);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::exhausted);
  EXPECT_NE(refused.error().to_string().find("card 0: 300.0 MiB of 16.0 GiB"), std::string::npos)
      << refused.error().to_string();
}

TEST(DeviceBudget, a_driver_that_says_nothing_at_first_is_an_error) {
  Driver driver;
  driver.silent = true;
  const auto refused = try_make(driver);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::device);
}

TEST(DeviceBudget, requests_above_it_name_the_device) {
  Driver driver;
  const auto device = must(try_make(driver));
  ReserveRequest request;
  request.bytes = 15 * kGiB;
  request.tag = MemoryTag::key;
  const auto refused = device->budget()->reserve(request);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().to_string().find("memory of card 0"), std::string::npos) << refused.error().to_string();
}

TEST(DeviceBudget, fault_B24_the_driver_is_asked_once_a_second_at_most) {
  test::FakeTime time;
  Driver driver;
  DeviceBudgetOptions options;
  options.time = &time;
  const auto device = must(try_make(driver, options));
  driver.memory.free_bytes = 7 * kGiB;
  EXPECT_EQ(device->memory_now().free_bytes, 15 * kGiB);
  EXPECT_EQ(driver.calls, 1);
  time.advance(std::chrono::seconds(1));
  EXPECT_EQ(device->memory_now().free_bytes, 7 * kGiB);
  EXPECT_EQ(device->memory_now().total_bytes, 16 * kGiB);
  EXPECT_EQ(driver.calls, 2);
  driver.silent = true;
  time.advance(std::chrono::seconds(1));
  EXPECT_EQ(device->memory_now().free_bytes, 7 * kGiB);
  EXPECT_EQ(driver.calls, 3);
}

}  // namespace
}  // namespace cuzk::memory
