#include "cel/utf8.h"

#include <gtest/gtest.h>

namespace kumiko::cel {
namespace {

TEST(Utf8, TellsValidText) {
  for (const char* text : {"", "abcdefghijklmnop", "h\xC3\xA9", "abcdefgh\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    EXPECT_TRUE(IsValidUtf8(text)) << text;
  }
  // A stray byte, an overlong form, a surrogate, a cut form, a number beyond the last.
  for (const char* text : {"abcdefgh\x80", "\xC0\x80", "\xED\xA0\x80", "abc\xE2\x82", "\xF4\x90\x80\x80"}) {
    EXPECT_FALSE(IsValidUtf8(text)) << text;
  }
}

TEST(Utf8, CountsCodePoints) {
  EXPECT_EQ(CodePointCount("abcdefghijk"), 11U);
  EXPECT_EQ(CodePointCount("abcdefghij\xC3\xA9k"), 12U);
  EXPECT_EQ(CodePointCount("a\x80\x80"), 3U);
  EXPECT_EQ(CodePointOffset("abcdefghijk", 3), 3U);
  EXPECT_EQ(CodePointOffset("abc", 3), 3U);
  EXPECT_EQ(CodePointOffset("abc", 4), std::string_view::npos);
  EXPECT_EQ(CodePointOffset("\xC3\xA9\xC3\xA9x", 2), 4U);
  EXPECT_EQ(CodePointOffset("ab\xC3\xA9x", 3), 4U);
  EXPECT_EQ(CodePointOffset("ab\xC3\xA9x", 5), std::string_view::npos);
}

}  // namespace
}  // namespace kumiko::cel
