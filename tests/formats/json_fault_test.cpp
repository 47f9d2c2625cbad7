#include "formats/json_fault.h"

#include <gtest/gtest.h>

namespace cuzk::formats {
namespace {

void expect(std::string_view text, std::uint64_t offset, std::string_view section, Kind kind = Kind::bad_json) {
  const Error error = json_fault(text, 4, "refused");
  EXPECT_EQ(error.code(), Code::malformed);
  EXPECT_EQ(error.kind(), kind) << text;
  EXPECT_EQ(error.message(), "refused");
  ASSERT_NE(error.where(), nullptr);
  EXPECT_EQ(error.where()->offset, offset) << text;
  EXPECT_EQ(error.where()->section, section) << text;
}

TEST(JsonFault, NumbersNameTheirMember) {
  expect(R"({"a": 1, "b": 01})", 14, "b", Kind::bad_number);
  expect(R"({"a": 99999999999999999999})", 6, "a", Kind::bad_number);
  expect(R"({"sectors": [{"n": 1}, {"n": 1.}]})", 29, "sectors[1].n", Kind::bad_number);
  expect("[1, -]", 4, "[1]", Kind::bad_number);
}

TEST(JsonFault, SyntaxHasAnOffset) {
  expect(R"({"a": tru})", 6, "a");
  expect(R"({"a": 1 "b": 2})", 8, "");
  expect(R"({"a": "\q"})", 6, "a");
  expect("{\"a\": 1} x", 9, "");
  expect("[1, 2}", 5, "");
  expect("[[[[[1]]]]]", 4, "[0][0][0][0]");  // deeper than allowed
}

TEST(JsonFault, AnEndThatComesTooEarlyIsTheLastToken) {
  for (const std::string_view text : {"", "{", "{\"a\"", "{\"a\": \"b", "[1, 2", "[1,"}) {
    const Error error = json_fault(text, 4, "refused");
    EXPECT_GE(error.where()->offset + 1, text.size()) << text;
  }
}

TEST(JsonFault, NamesAreShownShortAndPrintable) {
  const Error error = json_fault("{\"a\x01" + std::string(100, 'n') + "\": 01}", 4, "refused");
  EXPECT_LE(error.where()->section.size(), 48u);
}

TEST(JsonFault, SurvivesEveryCut) {
  constexpr std::string_view text = R"({"a": [1, {"b": "c\n"}, null, true], "d": -1.5e3, "e": {"f": []}})";
  for (std::size_t length = 0; length < text.size(); ++length) {
    const Error error = json_fault(text.substr(0, length), 4, "refused");
    EXPECT_LE(error.where()->offset, length);
  }
}

}  // namespace
}  // namespace cuzk::formats
