#include "server/setup_device.h"

#include <gtest/gtest.h>

#include "tests/support/must.h"

namespace cuzk::server {
namespace {

const backend::CudaDeviceInfo kNowhere{99, "Device", "GPU-00112233-4455-6677-8899-aabbccddeeff",
                                       std::uint64_t{1} << 30};

VisibleDevices none() { return fail(Code::unavailable, "no driver"); }

TEST(SetupDevice, CpuIsTheCpu) {
  Arena arena{1};
  for (const auto& visible : {none(), VisibleDevices(std::vector{kNowhere})}) {
    const auto device = test::must(open_setup_device<Bn254>(arena, "cpu", visible));
    EXPECT_EQ(device.name, "cpu");
    EXPECT_EQ(device.multiples, nullptr);
  }
}

TEST(SetupDevice, AutoWithoutADeviceIsTheCpu) {
  Arena arena{1};
  for (const auto& visible : {none(), VisibleDevices(std::vector<backend::CudaDeviceInfo>{})}) {
    const auto device = test::must(open_setup_device<Bls12_381>(arena, "auto", visible));
    EXPECT_EQ(device.name, "cpu");
    EXPECT_EQ(device.note, "");
    EXPECT_EQ(device.multiples, nullptr);
  }
}

TEST(SetupDevice, AutoSaysWhyADeviceIsNotUsed) {
  Arena arena{1};
  const auto device = test::must(open_setup_device<Bn254>(arena, "auto", std::vector{kNowhere}));
  EXPECT_EQ(device.name, "cpu");
  EXPECT_EQ(device.multiples, nullptr);
  EXPECT_TRUE(device.note.starts_with("Device (GPU-00112233-4455-6677-8899-aabbccddeeff) is not used: "))
      << device.note;
}

TEST(SetupDevice, ANamedDeviceIsUsedOrNothing) {
  Arena arena{1};
  const auto refused = [&](const std::string& name, const VisibleDevices& visible) {
    const auto device = open_setup_device<Bn254>(arena, name, visible);
    EXPECT_FALSE(device) << name;
    return device ? Code::internal : device.error().code();
  };
  EXPECT_EQ(refused("0", none()), Code::unavailable);
  EXPECT_EQ(refused("7", std::vector{kNowhere}), Code::invalid_argument);
  EXPECT_NE(refused("99", std::vector{kNowhere}), Code::invalid_argument);
  EXPECT_NE(refused("GPU-0011", std::vector{kNowhere}), Code::invalid_argument);
}

TEST(SetupDevice, MultiplesOfADeviceAreThoseOfTheCpu) {
  const auto visible = visible_accelerators();
  if (!visible) GTEST_SKIP() << visible.error().message();
  Arena arena{2};
  const auto device = test::must(open_setup_device<Bn254>(arena, "auto", visible));
  ASSERT_NE(device.multiples, nullptr) << device.note;
  EXPECT_EQ(device.name, full_name(visible->front()));
  const std::vector<U256> scalars{U256::from_u64(0), U256::from_u64(1), U256::from_u64(12'345'678'901)};
  std::vector<Bn254::G1Affine> found(scalars.size()), expected(scalars.size());
  test::must(device.multiples->in_g1(scalars, found));
  test::must(groth16::cpu_multiples<Bn254>(arena, scalars.size(), 0)->in_g1(scalars, expected));
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace cuzk::server
