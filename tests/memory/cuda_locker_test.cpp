// Page-locking by the CUDA driver: where there is one. Elsewhere: the reason why there is none, and mlock instead.
#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/cuda_driver.h"
#include "memory/pinned_pool.h"
#include "tests/gen/seed.h"
#include "tests/support/must.h"

namespace cuzk::memory {
namespace {

using cuzk::test::must;
using testing::HasSubstr;

constexpr std::size_t kBytes = 64 * kMiB;

class CudaLockerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto loaded = CudaDriver::load();
    if (!loaded) GTEST_SKIP() << loaded.error().to_string();
    driver = *std::move(loaded);
  }

  std::shared_ptr<CudaDriver> driver;
};

TEST_F(CudaLockerTest, TheDriverSaysWhichDeviceAndHowMuchMemory) {
  EXPECT_FALSE(driver->device_name().empty());
  const auto memory = must(driver->memory());
  EXPECT_GT(memory.free_bytes, 0U);
  EXPECT_LE(memory.free_bytes, memory.total_bytes);
}

TEST_F(CudaLockerTest, ABlockIsLockedOnceAndUnlockedOnce) {
  const PageBlock block = must(PageBlock::map(kBytes));
  must(driver->register_host(block.bytes()));
  const Status again = driver->register_host(block.bytes());
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().to_string(), HasSubstr("CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"));
  must(driver->unregister_host(block.bytes()));
  const Status unknown = driver->unregister_host(block.bytes());
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().to_string(), HasSubstr("CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"));
}

/// Pages that are page-locked and those that are not carry the same bytes to the device and back.
TEST_F(CudaLockerTest, CopiesOfBothMemoriesAreTheSame) {
  std::mt19937_64 random(cuzk::test::run_seed());
  const PageBlock ordinary = must(PageBlock::map(kBytes));
  const PageBlock locked = must(PageBlock::map(kBytes));
  must(driver->register_host(locked.bytes()));
  const std::uint64_t on_device = must(driver->allocate(kBytes));
  for (const auto& [from, to] : {std::pair(&ordinary, &locked), std::pair(&locked, &ordinary)}) {
    for (std::byte& byte : from->bytes()) byte = static_cast<std::byte>(random());
    must(driver->copy_to_device(on_device, from->bytes()));
    must(driver->copy_from_device(to->bytes(), on_device));
    EXPECT_TRUE(std::ranges::equal(from->bytes(), to->bytes()));
  }
  must(driver->free(on_device));
  must(driver->unregister_host(locked.bytes()));
}

TEST_F(CudaLockerTest, APoolOfItIsPageLockedThroughout) {
  const auto choice = choose_page_locker();
  EXPECT_EQ(choice.locker->name(), "cuMemHostRegister");
  EXPECT_EQ(choice.reason, "");
  const auto budget = must(MemoryBudget::create({.total_bytes = kGiB}));
  const auto pool = must(PinnedPool::create(budget, {.locker = choice.locker}));
  const std::uint64_t bytes = 300 * kMiB + 1;
  Reservation paid = must(budget->reserve({.bytes = pool->footprint_bytes(bytes), .owner = "test"}));
  HostBuffer buffer = must(pool->acquire(bytes, paid));
  EXPECT_TRUE(buffer.is_pinned()) << pool->statistics().last_refusal;
  const std::uint64_t on_device = must(driver->allocate(kBytes));
  must(driver->copy_to_device(on_device, buffer.chunk(0)));
  must(driver->free(on_device));
  buffer.release();
  EXPECT_EQ(pool->shrink(kGiB), pool->footprint_bytes(bytes));
  EXPECT_EQ(pool->statistics().pinned_bytes, 0U);
}

TEST(PageLockerChoice, WithoutADriverItIsMlockAndSaysWhy) {
  if (CudaDriver::load()) GTEST_SKIP() << "this machine has a CUDA driver";
  const auto choice = choose_page_locker();
  EXPECT_EQ(choice.locker->name(), "mlock");
  EXPECT_THAT(choice.reason, HasSubstr("CUDA driver"));
  const auto refused = make_cuda_locker();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::unavailable);
}

}  // namespace
}  // namespace cuzk::memory
