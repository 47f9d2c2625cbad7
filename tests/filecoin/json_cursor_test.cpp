#include "filecoin/wire/json_cursor.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/gen/seed.h"

namespace cuzk::filecoin {
namespace {

/// The kind of the first fault; none when the whole text was taken.
template <class Take> std::string fault_of(std::string_view text, Take take) {
  JsonCursor cursor(text);
  if (take(cursor) && cursor.expect_end()) return {};
  EXPECT_TRUE(cursor.fault().has_value()) << text;
  return cursor.fault() ? std::string(to_string(cursor.fault()->kind)) : "no fault";
}

std::string number_fault(std::string_view text, std::uint64_t& value) {
  return fault_of(text, [&](JsonCursor& cursor) { return cursor.number(value); });
}

TEST(JsonCursor, numbers) {
  std::uint64_t value = 0;
  for (const auto& [text, expected] : std::initializer_list<std::pair<std::string_view, std::uint64_t>>{
           {"0", 0}, {" 7 ", 7}, {"\n\t 255\r", 255}, {"18446744073709551615", ~std::uint64_t{0}}}) {
    EXPECT_EQ(number_fault(text, value), "") << text;
    EXPECT_EQ(value, expected);
  }
  for (const std::string_view text : {"18446744073709551616", "00", "01", "-1", "1.0", "1e3", "x", "\"1\"", "[1]"})
    EXPECT_EQ(number_fault(text, value), "bad_number") << text;
  EXPECT_EQ(number_fault("1 2", value), "trailing_bytes");
}

TEST(JsonCursor, arrays_of_32_bytes) {
  std::mt19937_64 random(test::run_seed());
  for (int round = 0; round < 200; ++round) {
    JsonCursor::Array32 bytes, taken{};
    std::string tight = "[", loose = " [ ";
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const auto value = static_cast<unsigned>(random() % (round % 2 == 0 ? 256 : 12));
      bytes[i] = static_cast<std::byte>(value);
      tight += (i > 0 ? "," : "") + std::to_string(value);
      loose += (i > 0 ? " ,\n" : "") + std::to_string(value);
    }
    // With room behind the array it is read fast, without it slowly.
    const std::string room(200, ' ');
    for (const std::string& text : {tight + "]", tight + "]" + room, loose + " ]", loose + "]" + room}) {
      EXPECT_EQ(fault_of(text, [&](JsonCursor& cursor) { return cursor.bytes32(taken); }), "") << text;
      EXPECT_EQ(taken, bytes);
    }
  }
}

TEST(JsonCursor, arrays_that_are_not_32_bytes) {
  const auto array = [](std::string_view first, std::size_t count) {
    std::string text = "[" + std::string(first);
    for (std::size_t i = 1; i < count; ++i) text += ",1";
    return text + "]";
  };
  const std::pair<std::string, std::string_view> cases[] = {{array("1", 31), "bad_length"},
                                                            {array("1", 33), "bad_length"},
                                                            {"[]", "bad_length"},
                                                            {array("256", 32), "bad_number"},
                                                            {array("1000", 32), "bad_number"},
                                                            {array("-1", 32), "bad_number"},
                                                            {array("01", 32), "bad_number"},
                                                            {array("1.5", 32), "bad_number"},
                                                            {array("1 2", 32), "bad_json"},
                                                            {array("", 32), "bad_number"},
                                                            {array("null", 32), "bad_number"},
                                                            {"{}", "bad_json"},
                                                            {"[1,1", "truncated"},
                                                            {"", "truncated"}};
  for (const auto& [text, kind] : cases) {
    for (const std::string& room : {std::string(), std::string(200, ' ')}) {
      JsonCursor::Array32 bytes;
      const std::string found = fault_of(text + room, [&](JsonCursor& cursor) { return cursor.bytes32(bytes); });
      EXPECT_EQ(found, kind) << text;
    }
  }
}

TEST(JsonCursor, strings) {
  const auto string_of = [](std::string_view text) {
    JsonCursor cursor(text);
    std::string_view value;
    return cursor.string(value) ? std::string(value) : std::string(to_string(cursor.fault()->kind));
  };
  EXPECT_EQ(string_of(R"("comm_r")"), "comm_r");
  EXPECT_EQ(string_of(R"(  "")"), "");
  EXPECT_EQ(string_of(R"("\u0063omm\t\"\\\/\u005F\u005f")"), "comm\t\"\\/__");
  EXPECT_EQ(string_of(R"("\u00e9")"), "?");
  for (const std::string_view text : {R"("\x")", R"("\u12g4")", "\"\n\"", "7"}) EXPECT_EQ(string_of(text), "bad_json");
  for (const std::string_view text : {R"("abc)", R"("abc\)", R"("\u00)", "\""}) {
    EXPECT_EQ(string_of(text), "truncated") << text;
  }
  EXPECT_EQ(string_of("\"" + std::string(257, 'a') + "\""), "bad_length");
}

TEST(JsonCursor, any_value_is_skipped) {
  const auto skip = [](std::string_view text) {
    return fault_of(text, [](JsonCursor& cursor) { return cursor.skip_value(); });
  };
  for (const std::string_view text : {"null", "true", " false ", "0", "-12.5e+7", "1E9", R"("a\"b")", "[]", "{}",
                                      "[1, [2], {}]", R"({"a": {"b": [null, "\u00e9\ud83d"]}, "c": -0.1})"}) {
    EXPECT_EQ(skip(text), "") << text;
  }
  for (const std::string_view text : {"nul1", "[1,]", "[1 2]", R"({"a" 1})", R"({"a":1,})", "{1:2}", "]", "'a'"})
    EXPECT_NE(skip(text), "") << text;
  for (const std::string_view text : {"-x", "1. ", "1ex", ".5", "+1"}) EXPECT_EQ(skip(text), "bad_number") << text;
  for (const std::string_view text : {"-", "1.", "1e", "1e+", "nul", "[", "{\"a\""})
    EXPECT_EQ(skip(text), "truncated") << text;
  EXPECT_EQ(skip(std::string(64, '[') + std::string(64, ']')), "");
  EXPECT_EQ(skip(std::string(66, '[') + std::string(66, ']')), "bad_json");
  EXPECT_EQ(skip("\"" + std::string(100000, 'a') + "\""), "");
}

TEST(JsonCursor, text_out_of_base64_is_read_through_a_window) {
  // Longer than some windows, so that tokens of all kinds lie across their borders.
  std::string text = "[";
  for (std::size_t i = 0; i < 60000; ++i) text += R"({"name)" + std::to_string(i) + "\":" + std::to_string(i) + "}, ";
  text += "null]";
  const std::string packed = encode_base64(text_bytes(text));
  Base64Stream stream(packed);
  JsonCursor cursor(stream);
  ASSERT_TRUE(cursor.expect('['));
  for (std::size_t i = 0; i < 60000; ++i) {
    std::string_view name;
    std::uint64_t value = 0;
    ASSERT_TRUE(cursor.expect('{') && cursor.string(name));
    ASSERT_EQ(name, "name" + std::to_string(i));
    ASSERT_TRUE(cursor.expect(':') && cursor.number(value) && cursor.expect('}') && cursor.expect(','));
    ASSERT_EQ(value, i);
  }
  EXPECT_TRUE(cursor.null() && cursor.expect(']') && cursor.expect_end());
  EXPECT_EQ(cursor.offset(), text.size());
}

}  // namespace
}  // namespace cuzk::filecoin
