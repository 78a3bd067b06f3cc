#include "base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <set>
#include <thread>

#include "base/field_path.h"
#include "base/flat_map.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/random.h"
#include "base/suggest.h"

namespace kumiko {
namespace {

TEST(Text, SplitsJoinsAndTrims) {
  EXPECT_EQ(Split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(Split("", ','), std::vector<std::string_view>{""});
  EXPECT_EQ(Join(std::vector<std::string>{"a", "b"}, ", "), "a, b");
  EXPECT_EQ(Trim(" \ta b\n"), "a b");
  EXPECT_EQ(Trim("  "), "");
}

TEST(Text, ReadsWholeNumbersOnly) {
  EXPECT_EQ(ParseInt64("-12"), -12);
  for (const char* text : {"", "1x", " 1", "+1", "9223372036854775808"}) EXPECT_FALSE(ParseInt64(text)) << text;
}

TEST(Text, FindsInvalidUtf8) {
  EXPECT_FALSE(FindInvalidUtf8("aé日😀"));
  EXPECT_EQ(FindInvalidUtf8("ab\xff"), 2u);
  // Overlong, surrogate, beyond the last code point, cut off.
  for (const char* text : {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE6\x97"}) {
    EXPECT_EQ(FindInvalidUtf8(text), 0u);
  }
  EXPECT_EQ(DecodeUtf8("😀"), U'😀');
}

TEST(FieldPath, PutsUnusualKeysInBrackets) {
  EXPECT_EQ(ChildPath(ItemPath(ChildPath("", "spec"), 2), "name"), "spec[2].name");
  EXPECT_EQ(ChildPath("metadata.labels", "nvidia.com/gpu"), "metadata.labels[nvidia.com/gpu]");
  EXPECT_EQ(ParentPath("metadata.labels[nvidia.com/gpu]"), "metadata.labels");
  EXPECT_EQ(ParentPath("a.b"), "a");
  EXPECT_EQ(ParentPath("a"), "");
}

TEST(Suggest, FindsTheNearestWord) {
  const std::vector<std::string> words = {"apply", "delete", "describe", "get"};
  EXPECT_EQ(Suggest("aply", words), "apply");
  EXPECT_EQ(Suggest("DELETE", words), "delete");
  EXPECT_EQ(Suggest("dleete", words), "delete");
  EXPECT_EQ(Suggest("xyz", words), std::nullopt);
  EXPECT_EQ(Suggest("", words), std::nullopt);
  EXPECT_EQ(EditDistance("abcd", "acbd"), 1);
  EXPECT_EQ(EditDistance("", "abc"), 3);
}

TEST(Random, ReplaysFromItsSeed) {
  Random a(42);
  Random b(42);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.Next(), b.Next());
  EXPECT_NE(Random(1).Next(), Random(2).Next());
  // Pinned: recorded runs replay with these numbers.
  EXPECT_EQ(Random(0).Next(), 11091344671253066420u);
}

TEST(Random, DrawsEveryNumberBelowTheBound) {
  Random random(7);
  std::array<int, 5> seen{};
  for (int i = 0; i < 5000; ++i) ++seen[static_cast<std::size_t>(random.Below(5))];
  for (const int count : seen) EXPECT_GT(count, 800);
  for (int i = 0; i < 100; ++i) EXPECT_LT(random.Fraction(), 1.0);
}

TEST(Random, ShufflesWithoutLosingItems) {
  Random random(7);
  std::vector<int> items(50);
  std::iota(items.begin(), items.end(), 0);
  const std::vector<int> before = items;
  random.Shuffle(items);
  EXPECT_NE(items, before);
  EXPECT_EQ(std::set<int>(items.begin(), items.end()).size(), 50u);
}

TEST(Random, MakesNamesAndUuidsInKubernetesForm) {
  Random random(7);
  const std::string suffix = RandomSuffix(random);
  EXPECT_EQ(suffix.size(), 5u);
  EXPECT_EQ(suffix.find_first_not_of("bcdfghjklmnpqrstvwxz2456789"), std::string::npos);
  const std::string uuid = RandomUuid(random);
  EXPECT_EQ(uuid.size(), 36u);
  EXPECT_EQ(uuid[14], '4');
  EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
}

TEST(Log, WritesPairsInBothForms) {
  const std::vector<LogField> fields = {{"claim", "ml/\"x\"\n"}, {"devices", 2}, {"ok", true}, {"share", 0.5}};
  EXPECT_EQ(FormatLogFields(LogFormat::kText, "allocated claim", fields),
            "\"allocated claim\" claim=\"ml/\\\"x\\\"\\n\" devices=2 ok=true share=0.5");
  EXPECT_EQ(FormatLogFields(LogFormat::kJson, "allocated claim", fields),
            R"("msg":"allocated claim","claim":"ml/\"x\"\n","devices":2,"ok":true,"share":0.5)");
}

TEST(Log, IsQuietUntilTold) {
  EXPECT_FALSE(LogEnabled(LogLevel::kInfo));
  EXPECT_TRUE(LogEnabled(LogLevel::kWarning));
  SetLogLevel(LogLevel::kOff);
  EXPECT_FALSE(LogEnabled(LogLevel::kError));
  SetLogLevel(LogLevel::kWarning);
  EXPECT_EQ(LogLevelFromName("debug", LogLevel::kWarning), LogLevel::kDebug);
  EXPECT_EQ(LogLevelFromName("loud", LogLevel::kWarning), LogLevel::kWarning);
}

TEST(Guarded, CountsRightFromSeveralThreads) {
  Guarded<int> count(0);
  {
    const auto add = [&] {
      for (int i = 0; i < 10'000; ++i) count.With([](int& value) { ++value; });
    };
    const std::jthread first(add);
    const std::jthread second(add);
  }
  EXPECT_EQ(std::as_const(count).With([](const int& value) { return value; }), 20'000);
}

TEST(FlatMap, IsSearchedByViewsOfStrings) {
  StringFlatMap<int> map;
  map.emplace("gpu-0", 1);
  EXPECT_EQ(map.find(std::string_view("gpu-0"))->second, 1);
  EXPECT_EQ(map.find(std::string_view("gpu-1")), map.end());
}

}  // namespace
}  // namespace kumiko
