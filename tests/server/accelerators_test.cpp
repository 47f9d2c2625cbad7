#include "server/accelerators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/must.h"

namespace cuzk::server {
namespace {

using backend::CudaDeviceInfo;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<CudaDeviceInfo> kThree = {{.ordinal = 0, .name = "A", .uuid = "GPU-7b01", .memory_bytes = 1},
                                            {.ordinal = 1, .name = "A", .uuid = "GPU-7b02", .memory_bytes = 1},
                                            {.ordinal = 2, .name = "B", .uuid = "GPU-9c00", .memory_bytes = 1}};

std::vector<int> ordinals(const ChosenAccelerators& chosen) {
  std::vector<int> list;
  for (const CudaDeviceInfo& device : chosen.devices) list.push_back(device.ordinal);
  return list;
}

TEST(Accelerators, AllWhereNoneIsNamed) {
  const auto chosen = choose_accelerators({}, kThree);
  EXPECT_THAT(ordinals(chosen), ElementsAre(0, 1, 2));
  EXPECT_THAT(chosen.warnings, IsEmpty());
}

TEST(Accelerators, ByOrdinalUuidAndItsFirstLetters) {
  const auto chosen = choose_accelerators({"2", "GPU-7b02", "GPU-9"}, kThree);
  EXPECT_THAT(ordinals(chosen), ElementsAre(2, 1));
  EXPECT_THAT(chosen.warnings, IsEmpty());
}

TEST(Accelerators, NamesThatMeanNoneOrSeveralAreTold) {
  const auto chosen = choose_accelerators({"3", "GPU-7b", "0"}, kThree);
  EXPECT_THAT(ordinals(chosen), ElementsAre(0));
  EXPECT_THAT(chosen.warnings, ElementsAre(HasSubstr("3 is no device here; there are 0 = A (GPU-7b01), 1 = "),
                                           HasSubstr("GPU-7b means several devices")));
}

TEST(Accelerators, NamesHaveNoEffectWhereThereIsNoDevice) {
  const VisibleDevices none = fail(Code::unavailable, "no driver");
  EXPECT_THAT(choose_accelerators({}, none).warnings, IsEmpty());
  const auto chosen = choose_accelerators({"0"}, none);
  EXPECT_THAT(chosen.devices, IsEmpty());
  EXPECT_THAT(chosen.warnings, ElementsAre(HasSubstr("the CPU proves: no driver")));
}

}  // namespace
}  // namespace cuzk::server
