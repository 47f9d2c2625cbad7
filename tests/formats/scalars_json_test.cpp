#include "formats/scalars_json.h"

#include <gtest/gtest.h>

#include "formats/trapdoor_json.h"
#include "tests/support/must.h"

namespace cuzk::formats {
namespace {

using C = Bls12_381;
constexpr std::string_view kNames[] = {"r", "s"};

std::string digits(unsigned low) {
  std::string text(64, '0');
  text[1] = static_cast<char>('0' + low);
  return text;
}
std::string object(const std::string& r, const std::string& s) {
  return R"({"s": ")" + s + R"(", "more": [1, {}], "r": ")" + r + "\"}";
}
Kind fault(std::string_view text) {
  const auto scalars = read_scalars_json<C>(text, kNames);
  return scalars ? Kind::none : scalars.error().kind();
}

TEST(ScalarsJsonTest, ReadsByNameInTheOrderAskedFor) {
  const auto scalars = test::must(read_scalars_json<C>(object(digits(3), digits(5)), kNames));
  ASSERT_EQ(scalars.size(), 2u);
  EXPECT_EQ(scalars[0], C::Fr::from_u64(3));
  EXPECT_EQ(scalars[1], C::Fr::from_u64(5));
}

TEST(ScalarsJsonTest, FaultsHaveNames) {
  EXPECT_EQ(fault("[]"), Kind::bad_json);
  EXPECT_EQ(fault("{"), Kind::bad_json);
  EXPECT_EQ(fault(""), Kind::bad_json);
  EXPECT_EQ(fault(R"({"r": 7})"), Kind::missing_field);
  EXPECT_EQ(fault(object(digits(1), std::string(64, 'f'))), Kind::non_canonical);
  EXPECT_EQ(fault(object(digits(1), std::string(64, 'g'))), Kind::bad_number);
  EXPECT_EQ(fault(object(digits(1), "00")), Kind::bad_length);
  EXPECT_EQ(fault(R"({"s": "", )" + object(digits(1), digits(2)).substr(1)), Kind::bad_json) << "s twice";
  EXPECT_EQ(fault(std::string(kMaxScalarsJsonBytes + 1, ' ')), Kind::bad_length);
}

TEST(ScalarsJsonTest, SyntaxHasAnOffset) {
  const auto scalars = read_scalars_json<C>(R"({"r": "", "s": 07})", kNames);
  ASSERT_FALSE(scalars);
  EXPECT_EQ(scalars.error().kind(), Kind::bad_number);
  EXPECT_EQ(scalars.error().where()->offset, 15u);
  EXPECT_EQ(scalars.error().where()->section, "s");
}

TEST(ScalarsJsonTest, TrapdoorsHaveFiveNames) {
  std::string text = "{\"zeta\": \"\"";
  unsigned low = 0;
  for (const char* name : {"tau", "alpha", "beta", "gamma", "delta"})
    text += ", \"" + std::string(name) + "\": \"" + digits(++low) + "\"";
  const auto trapdoor = test::must(read_trapdoor_json<C>(text + "}"));
  EXPECT_EQ(trapdoor.values().tau, C::Fr::from_u64(1));
  EXPECT_EQ(trapdoor.values().alpha, C::Fr::from_u64(2));
  EXPECT_EQ(trapdoor.values().delta, C::Fr::from_u64(5));
  const auto missing = read_trapdoor_json<C>(object(digits(1), digits(2)));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind(), Kind::missing_field);
  std::string zero = text + "}";
  zero.replace(zero.find(digits(4)), digits(4).size(), digits(0));
  const auto refused = read_trapdoor_json<C>(zero);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), Kind::bad_number);
  EXPECT_EQ(refused.error().where()->section, "gamma");
}

}  // namespace
}  // namespace cuzk::formats
