#include "base/json.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "base/random.h"

namespace kumiko {
namespace {

std::string Again(std::string_view text) {
  const auto value = ParseJson(text);
  return value ? WriteJson(*value) : value.error().message;
}

TEST(Json, KeepsIntegersExactAndMembersInOrder) {
  EXPECT_EQ(Again(R"({"z":18446744073709551615,"a":[-9223372036854775808,1.5,true,null,"é\n"]})"),
            R"({"z":18446744073709551615,"a":[-9223372036854775808,1.5,true,null,"é\n"]})");
  EXPECT_EQ(Again("\"\\ud83d\\ude00\""), "\"😀\"");
}

TEST(Json, WritesNumbersThatReadBackAsTheSameKind) {
  EXPECT_EQ(Again("[1,1.0,0.1]"), "[1,1.0,0.1]");
}

TEST(Json, DoublesAreReadAsTheNearest) {
  for (const char* text : {"9.844674407370955e+19", "-2.2500000005551111e-07", "1.7976931348623157e+308", "5e-324"}) {
    EXPECT_EQ(Again(text), text);
  }
  EXPECT_EQ(Again("98446744073709551616"), "9.844674407370955e+19");
  EXPECT_EQ(Again("1E-400"), "0.0");
  Random random(7);
  for (int i = 0; i < 10'000; ++i) {
    const auto number = std::bit_cast<double>(random.Next());
    if (!std::isfinite(number)) continue;
    EXPECT_EQ(ParseJson(WriteJson(number))->as_double(), number);
  }
}

TEST(Json, NamesLineAndColumnOfErrors) {
  EXPECT_EQ(Again("{\"a\":1,\n \"ä\":x}"), "line 2, column 6: unexpected 'x'");
  EXPECT_EQ(Again("{\"a\":1,\n \"a\":2}"), "line 2, column 4: duplicate key \"a\"");
  EXPECT_EQ(Again("[1,2"), "line 1, column 5: the text ends in the middle of a value");
  EXPECT_EQ(Again("[1] [2]"), "line 1, column 5: text after the end of the value");
  EXPECT_EQ(Again(""), "line 1, column 1: the text ends in the middle of a value");
}

TEST(Json, RefusesWhatJsonDoesNotAllow) {
  for (const char* text : {"[1,]", "{a:1}", "'a'", "[01]", "NaN", "// x\n1", "\"\xff\"", "\"a\nb\"", "1e999", "+1"}) {
    EXPECT_FALSE(ParseJson(text).has_value()) << text;
  }
}

TEST(Json, TellsWhereDuplicatesAreAndKeepsTheLast) {
  const auto parsed =
      ParseJsonWithDuplicates(R"({"a": 1, "b": [{}, {"c": 1, "d": 2, "c": {"e": 3, "e": 4}}], "a": 2})");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(WriteJson(parsed->value), R"({"a":2,"b":[{},{"c":{"e":4},"d":2}]})");
  ASSERT_EQ(parsed->duplicates.size(), 3U);
  EXPECT_EQ(parsed->duplicates[0].object_path, "b[1]");
  EXPECT_EQ(parsed->duplicates[0].name, "c");
  EXPECT_EQ(parsed->duplicates[0].position, 2U);
  EXPECT_EQ(parsed->duplicates[1].object_path, "b[1].c");
  EXPECT_EQ(parsed->duplicates[2].object_path, "");
  EXPECT_EQ(parsed->duplicates[2].name, "a");
}

TEST(Json, RefusesMoreThan100Levels) {
  EXPECT_TRUE(ParseJson(std::string(100, '[') + std::string(100, ']')).has_value());
  EXPECT_FALSE(ParseJson(std::string(101, '[') + std::string(101, ']')).has_value());
  EXPECT_EQ(Again(std::string(20'000, '[')), "line 1, column 101: nested deeper than 100 levels");
}

TEST(Json, FindsMembersByPath) {
  const Json pod = *ParseJson(R"({"metadata":{"name":"a","uid":5}})");
  EXPECT_EQ(StringAt(pod, {"metadata", "name"}), "a");
  EXPECT_EQ(StringAt(pod, {"metadata", "uid"}), "");
  EXPECT_EQ(StringAt(pod, {"spec", "name"}), "");
  EXPECT_EQ(FindPath(pod, {"metadata", "name", "x"}), nullptr);
  EXPECT_EQ(Find(Json(1), "x"), nullptr);
  EXPECT_EQ(JsonTypeName(pod), "map");
}

TEST(Json, IndentsForPeople) {
  EXPECT_EQ(WriteJsonPretty(*ParseJson(R"({"a":[1,{}],"b":[]})")),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}");
}

TEST(Json, EscapesWhatATextMustNotHold) {
  std::string out;
  AppendJsonText(std::string_view("a\"\\\n\x01\0é/", 9), out);
  EXPECT_EQ(out, R"("a\"\\\n\u0001\u0000é/")");
  EXPECT_EQ(ParseJson(out), Json(std::string_view("a\"\\\n\x01\0é/", 9)));
}

}  // namespace
}  // namespace kumiko
