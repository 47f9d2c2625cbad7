#include "support/json_writer.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

namespace cuzk {
namespace {

void write_sample(JsonWriter& out) {
  out.begin_object();
  out.key("pi_a").begin_array().string("1").string("2").end_array();
  out.key("empty").begin_object().end_object();
  out.key("none").begin_array().end_array();
  out.key("n").integer(3);
  out.key("ok").boolean(true);
  out.key("nested").begin_array().begin_array().null().end_array().end_array();
  out.end_object();
}

TEST(JsonWriter, WritesCompactText) {
  JsonWriter out;
  write_sample(out);
  EXPECT_EQ(out.take(), R"({"pi_a":["1","2"],"empty":{},"none":[],"n":3,"ok":true,"nested":[[null]]})");
}

// The expected text is what JSON.stringify(value, null, 1) of a JavaScript engine prints for the same value.
TEST(JsonWriter, IndentsLikeSnarkjs) {
  JsonWriter out(JsonWriter::Style::indented);
  write_sample(out);
  EXPECT_EQ(out.take(),
            "{\n \"pi_a\": [\n  \"1\",\n  \"2\"\n ],\n \"empty\": {},\n \"none\": [],\n \"n\": 3,\n \"ok\": true,\n"
            " \"nested\": [\n  [\n   null\n  ]\n ]\n}");
}

TEST(JsonWriter, WritesNumbersExactly) {
  JsonWriter out;
  out.begin_array();
  out.integer(std::numeric_limits<std::uint64_t>::max()).integer(std::numeric_limits<std::int64_t>::min());
  out.integer(std::uint8_t{200}).integer(-1);
  out.real(0.1).real(-2.5e-300).real(1.0);
  out.real(std::numeric_limits<double>::infinity()).real(std::nan(""));
  out.end_array();
  EXPECT_EQ(out.take(), "[18446744073709551615,-9223372036854775808,200,-1,0.1,-2.5e-300,1,null,null]");
}

std::string quoted(std::string_view text) { return JsonWriter().string(text).take(); }

TEST(JsonWriter, EscapesStrings) {
  EXPECT_EQ(quoted("a\"b\\c/\b\f\n\r\t"), R"("a\"b\\c/\b\f\n\r\t")");
  EXPECT_EQ(quoted(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
  EXPECT_EQ(quoted("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"), "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
}

TEST(JsonWriter, ReplacesWhatIsNoUtf8) {
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(quoted("a\xff"), "\"a" + bad + "\"");
  EXPECT_EQ(quoted("\xc0\xaf"), "\"" + bad + bad + "\"") << "overlong";
  EXPECT_EQ(quoted("\xe0\x80\x80"), "\"" + bad + bad + bad + "\"") << "overlong";
  EXPECT_EQ(quoted("\xed\xa0\x80"), "\"" + bad + bad + bad + "\"") << "surrogate";
  EXPECT_EQ(quoted("\xf4\x90\x80\x80"), "\"" + bad + bad + bad + bad + "\"") << "above U+10FFFF";
  EXPECT_EQ(quoted("\xe2\x82"), "\"" + bad + bad + "\"") << "cut off";
}

RC_GTEST_PROP(JsonWriter, AnotherParserReadsItBack, (const std::string& text, std::int64_t integer, double real)) {
  for (const auto style : {JsonWriter::Style::compact, JsonWriter::Style::indented}) {
    JsonWriter out(style);
    out.begin_object().key(text).begin_array().string(text).integer(integer).real(real).end_array().end_object();
    const auto parsed = nlohmann::json::parse(out.take());  // throws on text that is no JSON or no UTF-8
    const auto& values = parsed.front();
    RC_ASSERT(values.at(1).get<std::int64_t>() == integer);
    RC_ASSERT(values.at(2).get<double>() == real);
    RC_ASSERT(values.at(0).get<std::string>() == parsed.begin().key());
  }
}

}  // namespace
}  // namespace cuzk
