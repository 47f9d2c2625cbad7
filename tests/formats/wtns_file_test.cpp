#include "formats/wtns_file.h"

#include <gtest/gtest.h>

#include "tests/formats/damage.h"
#include "tests/formats/samples.h"

namespace cuzk::formats {
namespace {

template <class C> class WtnsFileTest : public testing::Test {
 protected:
  static bool accepts(const test::FileBytes& bytes) { return read_wtns<C>(bytes).has_value(); }
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(WtnsFileTest, Curves);

TYPED_TEST(WtnsFileTest, ReadsBackWhatWasWritten) {
  using C = TypeParam;
  const test::FileBytes bytes = test::Sample<C>::wtns();
  EXPECT_EQ(bytes.size(), 12u + 12 + 40 + 12 + 5 * 32);
  const auto header = test::must(read_wtns_header(bytes));
  EXPECT_EQ(header.curve, C::id);
  EXPECT_EQ(header.num_wires, 5u);
  const auto witness = test::must(read_wtns<C>(bytes));
  ASSERT_EQ(witness.size(), 5u);
  EXPECT_EQ(witness.values()[4], U256::from_u64(27));
}

TYPED_TEST(WtnsFileTest, RefusesEveryPrefixAndSurvivesFlips) {
  const test::FileBytes bytes = test::Sample<TypeParam>::wtns();
  test::expect_prefixes_refused(bytes, TestFixture::accepts);
  test::survive_flips(bytes, 2000, TestFixture::accepts);
}

TYPED_TEST(WtnsFileTest, RefusesValuesFromROn) {
  using Fr = typename TypeParam::Fr;
  test::FileBytes bytes = test::Sample<TypeParam>::wtns();
  std::byte* const last = bytes.data() + bytes.size() - 32;
  Fr::Constants::p_minus_1.to_le_bytes(last);
  EXPECT_TRUE(TestFixture::accepts(bytes));
  Fr::modulus.to_le_bytes(last);
  const auto witness = read_wtns<TypeParam>(bytes);
  ASSERT_FALSE(witness.has_value());
  EXPECT_EQ(witness.error().kind(), Kind::non_canonical);
  EXPECT_EQ(witness.error().where()->offset, bytes.size() - 32);
}

TEST(WtnsFile, SaysWhichMagicWasFound) {
  const auto raw = read_wtns_header(test::FileBytes(96));
  ASSERT_FALSE(raw.has_value());
  EXPECT_EQ(raw.error().kind(), Kind::bad_magic);
  EXPECT_NE(raw.error().to_string().find("wtns"), std::string::npos);
}

}  // namespace
}  // namespace cuzk::formats
