#include "support/utf8.h"

#include <string>

#include <gtest/gtest.h>

namespace cuzk {
namespace {

TEST(Utf8, KnowsWhatIsWellFormed) {
  for (const char* text : {"", "label", "caf\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x94\x91", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
  for (const char* text :
       {"\xff", "a\x80", "\xc3", "\xc3(", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
  }
}

TEST(Utf8, LongTextsAreCutBetweenSequences) {
  EXPECT_EQ(shortened("label", 5), "label");
  EXPECT_EQ(shortened("labels", 5), "la...");
  EXPECT_EQ(shortened("a\xc3\xa9\xc3\xa9\xc3\xa9", 5), "a...");
  EXPECT_EQ(shortened("\xf0\x9f\x94\x91\xf0\x9f\x94\x91", 7), "\xf0\x9f\x94\x91...");
  EXPECT_EQ(shortened("\xf0\x9f\x94\x91\xf0\x9f\x94\x91", 6), "...");
  EXPECT_EQ(shortened("\x80\x80\x80\x80\x80\x80\x80", 5).size(), 3U);
}

TEST(Utf8, LengthsAreThoseOfTheFront) {
  EXPECT_EQ(utf8_length("ab"), 1U);
  EXPECT_EQ(utf8_length("\xc3\xa9x"), 2U);
  EXPECT_EQ(utf8_length("\xe2\x82\xac"), 3U);
  EXPECT_EQ(utf8_length("\xf0\x9f\x94\x91"), 4U);
}

}  // namespace
}  // namespace cuzk
