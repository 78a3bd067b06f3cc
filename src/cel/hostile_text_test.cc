// Text that nobody means well with: it must fail, or run to its limit, without deep recursion or long waits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "cel/expression.h"

namespace kumiko::cel {
namespace {

using ::testing::HasSubstr;

std::string Repeat(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

std::string CompileError(const std::string& text) {
  const auto expression = Expression::Compile(text);
  return expression ? "compiled" : expression.error().message;
}

TEST(NestingLimit, IsTheReferences) {
  const auto nested = [](std::string_view open, std::string_view inner, std::string_view close, int times) {
    return Repeat(open, times) + std::string(inner) + Repeat(close, times);
  };
  EXPECT_EQ(CompileError(nested("(", "true", ")", 249)), "compiled");
  EXPECT_THAT(CompileError(nested("(", "true", ")", 250)), HasSubstr("expression recursion limit exceeded: 250"));
  EXPECT_EQ(CompileError(nested("[", "", "]", 249) + " == []"), "compiled");
  EXPECT_THAT(CompileError(nested("[", "", "]", 251) + " == []"), HasSubstr("recursion"));
  EXPECT_EQ(CompileError(nested("dyn(", "1", ")", 249)), "compiled");
  EXPECT_THAT(CompileError(nested("dyn(", "1", ")", 250)), HasSubstr("recursion limit exceeded"));
  EXPECT_EQ(CompileError(Repeat("true ? true : ", 249) + "true"), "compiled");
  EXPECT_THAT(CompileError(Repeat("true ? true : ", 250) + "true"), HasSubstr("recursion limit exceeded"));
}

TEST(ChainLimit, HoldsForOperatorsButNotForLogic) {
  EXPECT_EQ(CompileError("1" + Repeat(" + 1", 248) + " == 1"), "compiled");
  EXPECT_THAT(CompileError("1" + Repeat(" + 1", 250) + " == 1"), HasSubstr("max recursion depth exceeded"));
  EXPECT_THAT(CompileError("dyn(1)" + Repeat(".a", 300)), HasSubstr("max recursion depth exceeded"));
  EXPECT_EQ(CompileError("true" + Repeat(" && true", 10'000)), "compiled");
  EXPECT_EQ(CompileError("true" + Repeat(" || true", 10'000)), "compiled");
}

TEST(DeepText, FailsCleanly) {
  for (const char* part : {"(",          "[",    "{",
                           "a(",         "a.b(", "!",
                           "-",          "[?",   "{1:",
                           "a[",         "x ? ", "true ? true : ",
                           "has(",       "a.",   "cel.bind(x,1,",
                           "[1].all(x,", "'",    "\"\"\"",
                           "`",          "b'",   "1+",
                           ".",          "?",    "a.?b[?"}) {
    for (const char* tail : {"", "1", "true", ")"}) {
      const bool compiled = Expression::Compile(Repeat(part, 20'001) + tail).has_value();
      // However long, a row of ! is one negation.
      EXPECT_EQ(compiled, std::string_view(part) == "!" && std::string_view(tail) == "true") << part << tail;
    }
  }
}

TEST(SourceSize, IsLimitedInCodePoints) {
  const std::string limit = "true" + Repeat(" ", 100'000 - 4);
  EXPECT_EQ(CompileError(limit), "compiled");
  EXPECT_THAT(CompileError(limit + " "),
              HasSubstr("expression code point size exceeds limit: size: 100001, limit 100000"));
  EXPECT_EQ(CompileError("\"" + Repeat("ä", 90'000) + "\" != \"\""), "compiled");
}

TEST(Bytes, ThatAreNoUtf8AreRefused) {
  for (const char* text :
       {"\xff", "\"\xc3\"", "\"\xed\xa0\x80\"", "\"\xc0\xaf\"", "true \xf8", "\"\xf4\x90\x80\x80\""}) {
    EXPECT_THAT(CompileError(text), HasSubstr("not UTF-8"));
  }
  EXPECT_FALSE(Expression::Compile(std::string_view("true\0", 5)).has_value());
  EXPECT_FALSE(Expression::Compile("").has_value());
}

TEST(Work, EndsAtTheCostLimit) {
  const std::string list = "[1,2,3,4,5,6,7,8,9,10]";
  std::string loops = "true";
  for (int i = 0; i < 12; ++i) loops = list + ".all(x" + std::to_string(i) + ", " + loops + ")";
  // Doubles a list, then a comparison, at every level.
  std::string doubling = "a == a";
  std::string sharing = "x39 == x39";
  for (int i = 39; i > 0; --i) {
    doubling = "cel.bind(a, a + a, " + doubling + ")";
    sharing = "cel.bind(x" + std::to_string(i) + ", [x" + std::to_string(i - 1) + ", x" + std::to_string(i - 1) +
              "], " + sharing + ")";
  }
  for (const std::string& text : {loops, "cel.bind(a, [1], " + doubling + ")", "cel.bind(x0, 1, " + sharing + ")",
                                  "cel.bind(a, \"aaaaaaaaaa\", " + doubling + ")"}) {
    const auto expression = Expression::Compile(text);
    ASSERT_TRUE(expression.has_value()) << expression.error().message;
    const auto matches = expression->Matches({});
    ASSERT_FALSE(matches.has_value());
    EXPECT_THAT(matches.error().message, HasSubstr("actual cost limit exceeded"));
  }
}

TEST(Types, DoNotGrowWithoutBound) {
  std::string text = "x60 == x60";
  for (int i = 60; i > 0; --i) {
    const std::string before = "x" + std::to_string(i - 1);
    text = "cel.bind(x" + std::to_string(i) + ", {" + before + ": " + before + "}, " + text + ")";
  }
  (void)Expression::Compile("cel.bind(x0, [], " + text + ")");
}

TEST(RandomText, NeverCrashes) {
  static constexpr std::string_view kParts[] = {"device",
                                                ".attributes",
                                                "[\"a\"]",
                                                ".x",
                                                "(",
                                                ")",
                                                "[",
                                                "]",
                                                "{",
                                                "}",
                                                ",",
                                                ":",
                                                "?",
                                                ".?",
                                                "1",
                                                "1u",
                                                "1.5",
                                                "\"s\"",
                                                "true",
                                                "null",
                                                " && ",
                                                " || ",
                                                "!",
                                                "-",
                                                "+",
                                                "*",
                                                "/",
                                                "%",
                                                "==",
                                                "<",
                                                " in ",
                                                ".all(x, ",
                                                ".map(x, ",
                                                "cel.bind(x, ",
                                                "has(",
                                                "x",
                                                "quantity(\"1Gi\")",
                                                "semver(\"1.0.0\")",
                                                ".compareTo(",
                                                "optional.of(",
                                                "optional.none()",
                                                ".orValue(",
                                                ".value()",
                                                "size(",
                                                "dyn(",
                                                "[?",
                                                "'",
                                                "\"",
                                                "\\",
                                                "\xc3\xa4",
                                                "//",
                                                "\n",
                                                "`",
                                                ".split(",
                                                ".join()",
                                                ".replace(",
                                                "int(",
                                                "string(",
                                                "type(",
                                                ".optMap(x, "};
  std::mt19937 random(7);
  std::uniform_int_distribution<std::size_t> part(0, std::size(kParts) - 1);
  std::uniform_int_distribution<int> length(1, 24);
  for (int i = 0; i < 30'000; ++i) {
    std::string text;
    for (int n = length(random); n > 0; --n) text += kParts[part(random)];
    const auto expression = Expression::Compile(text);
    if (!expression) continue;
    (void)expression->Matches({});
    (void)expression->ExplainMismatch({});
  }
}

}  // namespace
}  // namespace kumiko::cel
