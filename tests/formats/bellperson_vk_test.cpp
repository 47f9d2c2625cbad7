#include "formats/bellperson_vk.h"

#include <gtest/gtest.h>

#include "tests/formats/damage.h"
#include "tests/formats/samples.h"

namespace cuzk::formats {
namespace {

class BellpersonVkTest : public testing::Test {
 protected:
  bool accepts(const test::FileBytes& file) { return read_bellperson_vk(arena, file).has_value(); }

  void expect_fault(const test::FileBytes& file, Kind kind, std::string_view section, std::uint64_t offset) {
    const auto vk = read_bellperson_vk(arena, file);
    ASSERT_FALSE(vk.has_value());
    EXPECT_EQ(vk.error().kind(), kind) << vk.error().to_string();
    ASSERT_NE(vk.error().where(), nullptr);
    EXPECT_EQ(vk.error().where()->section, section);
    EXPECT_EQ(vk.error().where()->offset, offset) << vk.error().to_string();
  }

  Arena arena{2};
  groth16::VerifyingKey<Bls12_381> key = test::sample_params_key(arena).vk;
  test::FileBytes bytes = write_bellperson_vk(key);
};

TEST_F(BellpersonVkTest, ReadsBackWhatWasWritten) {
  EXPECT_EQ(bytes.size(), kBellpersonVkFixedBytes + 2 * 96);
  const auto read = test::must(read_bellperson_vk(arena, bytes));
  EXPECT_EQ(groth16::digest(read), groth16::digest(key));
  EXPECT_EQ(read.beta_g1, key.beta_g1);
  EXPECT_EQ(read.delta_g1, key.delta_g1);
}

TEST_F(BellpersonVkTest, RefusesEveryPrefixAndSurvivesFlips) {
  const auto parse = [this](const test::FileBytes& file) { return accepts(file); };
  test::expect_prefixes_refused(bytes, parse);
  test::survive_flips(bytes, 300, parse);
}

TEST_F(BellpersonVkTest, NamesThePointAndThePlace) {
  test::FileBytes off_curve = bytes;
  off_curve[383] ^= std::byte{1};  // last byte of beta_g2
  expect_fault(off_curve, Kind::not_on_curve, "beta_g2", 192);
  test::FileBytes too_large = bytes;
  std::fill_n(too_large.begin() + 868 + 96 + 48, 48, std::byte{0xff});
  expect_fault(too_large, Kind::non_canonical, "ic", 868 + 96 + 48);
  test::FileBytes flagged = bytes;
  flagged[576] |= std::byte{0x80};
  expect_fault(flagged, Kind::bad_flags, "delta_g1", 576);
}

TEST_F(BellpersonVkTest, RefusesIdentitiesEverywhere) {
  const std::pair<std::size_t, std::size_t> points[] = {{0, 96},   {96, 96},   {192, 192}, {384, 192},
                                                        {576, 96}, {672, 192}, {868, 96},  {868 + 96, 96}};
  for (const auto& [offset, size] : points) {
    test::FileBytes damaged = bytes;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(offset), size, std::byte{0});
    damaged[offset] = std::byte{0x40};
    const auto vk = read_bellperson_vk(arena, damaged);
    ASSERT_FALSE(vk.has_value());
    EXPECT_EQ(vk.error().kind(), Kind::identity_point);
    EXPECT_EQ(vk.error().where()->offset, offset);
  }
}

TEST_F(BellpersonVkTest, CountsAreComparedBeforeMemoryIsTaken) {
  for (const std::uint32_t count : {3u, 1u << 31, 0xffffffffu}) {
    test::FileBytes damaged = bytes;
    store_be(damaged.data() + 864, count);
    expect_fault(damaged, Kind::bad_count, "ic", 864);
  }
  test::FileBytes fewer = bytes;
  store_be(fewer.data() + 864, std::uint32_t{1});
  expect_fault(fewer, Kind::trailing_bytes, "", 868 + 96);
  test::FileBytes none(bytes.begin(), bytes.begin() + 868);
  store_be(none.data() + 864, std::uint32_t{0});
  expect_fault(none, Kind::bad_count, "ic", 864);
}

}  // namespace
}  // namespace cuzk::formats
