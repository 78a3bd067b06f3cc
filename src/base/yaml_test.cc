#include "base/yaml.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>

namespace kumiko {
namespace {

std::string ReadAsJson(std::string_view text) {
  const auto documents = ParseYamlDocuments(text, "f.yaml");
  if (!documents) return documents.error().message;
  std::string all;
  for (const Document& document : *documents) all += (all.empty() ? "" : " ") + WriteJson(document.value);
  return all;
}

Document ReadOne(std::string_view text) {
  auto documents = ParseYamlDocuments(text, "f.yaml");
  EXPECT_TRUE(documents.has_value()) << documents.error().message;
  if (!documents || documents->empty()) return {};
  return std::move(documents->front());
}

TEST(Yaml, ReadsPlainScalarsAsKubectlDoes) {
  struct Row {
    const char* text;
    const char* json;
  };
  constexpr Row kRows[] = {{"yes", "true"},
                           {"On", "true"},
                           {"y", "true"},
                           {"N", "false"},
                           {"off", "false"},
                           {"TRUE", "true"},
                           {"tRue", "\"tRue\""},
                           {"~", "null"},
                           {"Null", "null"},
                           {"0777", "511"},
                           {"08", "8"},
                           {"0x1F", "31"},
                           {"0o17", "15"},
                           {"0b101", "5"},
                           {"-0x10", "-16"},
                           {"1_000", "1000"},
                           {"+12", "12"},
                           {"18446744073709551615", "18446744073709551615"},
                           {"9223372036854775808", "9223372036854775808"},
                           {"-9223372036854775808", "-9223372036854775808"},
                           {"1.5", "1.5"},
                           {".5", "0.5"},
                           {"5.", "5"},
                           {"1e3", "1000"},
                           {"1e-2", "0.01"},
                           {"1:20", "\"1:20\""},
                           {"2026-05-01", "\"2026-05-01\""},
                           {"1.2.3", "\"1.2.3\""},
                           {"80Gi", "\"80Gi\""},
                           {"'123'", "\"123\""},
                           {"\"yes\"", "\"yes\""},
                           {"!!str 123", "\"123\""},
                           {"!!int \"7\"", "7"},
                           {"!!binary aGk=", "\"hi\""}};
  for (const Row& row : kRows)
    EXPECT_EQ(ReadAsJson(std::string("v: ") + row.text), std::string("{\"v\":") + row.json + "}") << row.text;
}

TEST(Yaml, RefusesNumbersThatJsonLacks) {
  EXPECT_EQ(ReadAsJson("v: .nan"),
            "f.yaml:1:4: .nan is not a number that Kubernetes can store; quote it if it is text");
}

TEST(Yaml, KnowsWhereFieldsStand) {
  const Document document = ReadOne(
      "metadata:\n"
      "  labels:\n"
      "    nvidia.com/gpu: \"true\"\n"
      "spec:\n"
      "  devices:\n"
      "    requests:\n"
      "    - name: gpu\n"
      "      exactly: {count: 2}\n");
  EXPECT_EQ(document.positions.At("metadata.labels[nvidia.com/gpu]"), (Position{3, 5}));
  EXPECT_EQ(document.positions.At("spec.devices.requests[0].exactly.count"), (Position{8, 17}));
  EXPECT_EQ(document.positions.At("spec.devices.requests[0]"), (Position{7, 7}));
  EXPECT_EQ(document.positions.At("spec.devices.requests[0].exactly.mode"), (Position{8, 7}));
  EXPECT_EQ(document.positions.At("spec.nothing.here[3].at[a.b/c].all"), (Position{4, 1}));
  EXPECT_EQ(document.Where("spec"), "f.yaml:4:1");
}

TEST(Yaml, CountsColumnsInCharacters) {
  const Document document = ReadOne("{ä: 1, bö: 2, c: 3}");
  EXPECT_EQ(document.positions.At("c"), (Position{1, 15}));
}

TEST(Yaml, ReadsSeveralDocumentsAndLeavesOutEmptyOnes) {
  EXPECT_EQ(ReadAsJson("---\n# nothing\n---\na: 1\n---\n---\nb: 2\n...\n"), "{\"a\":1} {\"b\":2}");
  EXPECT_EQ(ReadAsJson(""), "");
  EXPECT_EQ(ReadAsJson("# only a comment\n"), "");
  EXPECT_EQ(ReadAsJson("%YAML 1.1\n---\na: 1\n"), "{\"a\":1}");
  EXPECT_EQ(ReadOne("---\n---\na: 1\n").positions.At("a"), (Position{3, 1}));
}

TEST(Yaml, RefusesTextBehindTheEndOfADocument) {
  EXPECT_EQ(ReadAsJson("{a: 1} {b: 2}"), "f.yaml:1:8: text behind the end of the document; begin a new one with ---");
}

TEST(Yaml, RefusesBracketsThatOpenNothing) {
  EXPECT_EQ(ReadAsJson(","), "f.yaml:1:1: unexpected ','");
  EXPECT_EQ(ReadAsJson("a: 1\n---\n}"), "f.yaml:3:1: illegal flow end");
  for (const char* text : {"{a: 1}}", "[1]]", ",",           "a: 1\n}", "- 1\n]", "a: b]\n,", "\"a\" \"b\"",
                           "?",       ":",    "? a\n: b\n:", "!",       "&a",     "&a &b",    "*x",
                           "!!str",   "%",    "---]",        "--- |\n", "...",    "@"}) {
    const auto documents = ParseYamlDocuments(text, "f.yaml");
    EXPECT_TRUE(documents.has_value() || documents.error().message.starts_with("f.yaml:")) << text;
  }
}

TEST(Yaml, ReadsJsonWithItsEscapes) {
  EXPECT_EQ(ReadAsJson("{\"a\":[1,true,null,\"\\u00e9\\/\\ud83d\\ude00\"],\n\t\"b\":{\"c\":-1.5e2}}"),
            "{\"a\":[1,true,null,\"é/😀\"],\"b\":{\"c\":-150}}");
}

TEST(Yaml, NamesBothLinesOfADuplicateKey) {
  EXPECT_EQ(ReadAsJson("a: 1\nb: 2\na: 3\n"), "f.yaml:3:1: duplicate key \"a\", first used on line 1");
  EXPECT_EQ(ReadAsJson("yes: 1\ntrue: 2\n"), "f.yaml:2:1: duplicate key \"true\", first used on line 1");
}

TEST(Yaml, AppliesMergeKeysBelowWrittenOnes) {
  EXPECT_EQ(ReadAsJson("base: &b {x: 1, z: 2}\nuse:\n  <<: *b\n  z: 3\n"),
            "{\"base\":{\"x\":1,\"z\":2},\"use\":{\"z\":3,\"x\":1}}");
  EXPECT_EQ(ReadAsJson("- &a {x: 1}\n- &b {x: 2, z: 4}\n- <<: [*a, *b]\n"),
            "[{\"x\":1},{\"x\":2,\"z\":4},{\"x\":1,\"z\":4}]");
  EXPECT_EQ(ReadAsJson("<<: 5\n"), "f.yaml:1:5: << needs a map or a list of maps");
  EXPECT_EQ(ReadAsJson("\"<<\": 5\n"), "{\"<<\":5}");
}

TEST(Yaml, RefusesAliasBombs) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += fmt::format("a{0}: &a{0} [{1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}]\n", i, before);
  }
  EXPECT_NE(ReadAsJson(bomb).find("more than 10 times larger"), std::string::npos);
  EXPECT_NE(ReadAsJson("a: &a [*a]").find("an alias inside the value it stands for"), std::string::npos);
}

TEST(Yaml, RefusesDepthFastAndClearly) {
  const auto start = std::chrono::steady_clock::now();
  for (const std::string unit : {"[", "{a: ", "- ", "? ", "{? ", "[{a: "}) {
    std::string bomb;
    for (int i = 0; i < 20'000; ++i) bomb += unit;
    const std::string message = ReadAsJson(bomb);
    EXPECT_TRUE(message.find("nested deeper than 100 levels") != std::string::npos ||
                message.find("a key must be plain text") != std::string::npos)
        << unit << " " << message;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(ReadAsJson(std::string(2'000'000, '[')), "f.yaml:1:101: nested deeper than 100 levels");
  EXPECT_EQ(ReadAsJson("{a: \"" + std::string(200, '[') + "\", b: it's, c: '{{', d: 1 # [[\n}"),
            "{\"a\":\"" + std::string(200, '[') + "\",\"b\":\"it's\",\"c\":\"{{\",\"d\":1}");
  EXPECT_EQ(ReadAsJson(std::string(100, '[') + std::string(100, ']')), std::string(100, '[') + std::string(100, ']'));
}

TEST(Yaml, RefusesWhatIsNoText) {
  EXPECT_EQ(ReadAsJson("a: \xff"), "f.yaml:1:4: byte 0xff is not UTF-8; save the file as UTF-8");
  EXPECT_EQ(ReadAsJson(std::string_view("ab\0c", 4)), "f.yaml:1:3: byte 0x00 does not belong in a text file");
  EXPECT_EQ(ReadAsJson("a: 1\n\x04"), "f.yaml:2:1: byte 0x04 does not belong in a text file");
  EXPECT_EQ(ReadAsJson("\xEF\xBB\xBF"
                       "a: 1"),
            "{\"a\":1}");
}

TEST(Yaml, RefusesTextThatIsCutOff) {
  for (const char* text : {"a: \"abc", "a: [1, 2", "{a: 1", "a: 'x"}) {
    const auto documents = ParseYamlDocuments(text, "f.yaml");
    ASSERT_FALSE(documents.has_value()) << text;
    EXPECT_EQ(documents.error().message.rfind("f.yaml:1:", 0), 0u) << documents.error().message;
  }
}

TEST(Yaml, NamesTabsInTheIndentation) {
  EXPECT_NE(ReadAsJson("a:\n\tb: 1\n").find("indented with a tab"), std::string::npos) << ReadAsJson("a:\n\tb: 1\n");
}

TEST(Yaml, RefusesKeysThatAreNoText) {
  EXPECT_NE(ReadAsJson("{[1]: 2}").find("a key must be plain text"), std::string::npos);
  EXPECT_EQ(ReadAsJson("80: x\n1.5: w\non: z\n"), "{\"80\":\"x\",\"1.5\":\"w\",\"true\":\"z\"}");
}

TEST(Yaml, WritesKubectlsLayoutAndQuotesWhatWouldChangeItsType) {
  const Json value = *ParseJson(
      R"({"kind":"Pod","labels":{},"list":[{"a":1,"b":[true]},[1,2],"yes"],"n":"123","d":"2026-05-01","e":"",)"
      R"("text":"line 1\nline 2\n","c":"a: b","v":"1.2.3","img":"nvcr.io/x:1","t":"12:30","none":null})");
  EXPECT_EQ(WriteYaml(value),
            "kind: Pod\n"
            "labels: {}\n"
            "list:\n"
            "- a: 1\n"
            "  b:\n"
            "  - true\n"
            "- - 1\n"
            "  - 2\n"
            "- \"yes\"\n"
            "\"n\": \"123\"\n"
            "d: \"2026-05-01\"\n"
            "e: \"\"\n"
            "text: |\n"
            "  line 1\n"
            "  line 2\n"
            "c: \"a: b\"\n"
            "v: \"1.2.3\"\n"
            "img: nvcr.io/x:1\n"
            "t: \"12:30\"\n"
            "none: null\n");
}

// Trees of text that is hard to write: words of other types, blanks, breaks, indicators.
Json AnyTree(int depth) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 6 : 4);
  if (kind == 4) {
    JsonArray list;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) list.push_back(AnyTree(depth - 1));
    return list;
  }
  if (kind == 5) {
    JsonObject object;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      object[StringAt(AnyTree(0), {}).empty() ? "k" + std::to_string(i) : std::to_string(i)] = AnyTree(depth - 1);
    }
    return object;
  }
  if (kind == 0) return Json(*rc::gen::arbitrary<std::int64_t>());
  if (kind == 1) return Json(*rc::gen::element<Json>(nullptr, true, false, 0.5, -1e300, std::uint64_t{1} << 63));
  static const std::vector<std::string> kPieces = {"yes", "1",    "e", " ",  "\n", ":",   "#",  "- ", "\"",
                                                   "\\",  "'",    "ä", "😀", "0x", ".",   "_",  "~",  "null",
                                                   "\t",  "\x1b", "{", "]",  "|",  "---", "&a", "*"};
  std::string text;
  for (int i = *rc::gen::inRange(0, 6); i > 0; --i) text += *rc::gen::elementOf(kPieces);
  return Json(text);
}

RC_GTEST_PROP(YamlProperty, WhatIsWrittenReadsBackTheSame, ()) {
  const Json value = AnyTree(3);
  const std::string text = WriteYaml(value);
  const auto documents = ParseYamlDocuments(text, "f.yaml");
  RC_LOG() << text;
  if (!documents) RC_FAIL(documents.error().message);
  if (value.is_null()) {
    RC_ASSERT(documents->empty());
  } else {
    RC_ASSERT(documents->size() == 1u);
    RC_ASSERT(WriteJson(documents->front().value) == WriteJson(value));
  }
}

RC_GTEST_PROP(YamlProperty, PiecesOfYamlNeverBreakTheReader, ()) {
  static const std::vector<std::string> kTokens = {
      "[",   "]",  "{",  "}",      ",", ":",   ": ", "- ", "? ", "\n",    "\n  ",  " ", "a",           "1",
      "&a ", "*a", "<<", "!!str ", "!", "|\n", ">",  "\"", "'",  "---\n", "...\n", "#", "%YAML 1.1\n", "\t"};
  std::string text;
  for (int i = *rc::gen::inRange(0, 14); i > 0; --i) text += *rc::gen::elementOf(kTokens);
  RC_LOG() << text;
  const auto documents = ParseYamlDocuments(text, "f.yaml");
  if (documents) return;
  RC_ASSERT(documents.error().message.starts_with("f.yaml"));
  RC_ASSERT(documents.error().code == Code::kInvalidArgument);
}

RC_GTEST_PROP(YamlProperty, ArbitraryBytesNeverBreakTheReader, (const std::string& bytes)) {
  const auto documents = ParseYamlDocuments(bytes, "f.yaml");
  if (!documents) RC_ASSERT(!documents.error().message.empty());
}

TEST(Yaml, RefusesSingleQuotesThatNeverClose) {
  const auto open = ParseYamlDocuments("image: 'b\nname: x\n", "f.yaml");
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().message, "f.yaml:1:8: the quote ' that begins here is never closed");
  EXPECT_TRUE(ParseYamlDocuments("a: 'it''s'\nb: ''\nc: ''''\nd: don't\n", "f.yaml"));
  EXPECT_TRUE(ParseYamlDocuments("[{'a': 'b'}, '']", "f.yaml"));
}

TEST(Yaml, SaysInPlainWordsWhatIsWrongWithALine) {
  EXPECT_EQ(ParseYamlDocuments("a: b: c\n", "f.yaml").error().message,
            "f.yaml:1:5: a second ': ' on this line; quote the value, or indent it on a line of its own");
  EXPECT_EQ(ParseYamlDocuments("a: |\n  x\n y\n", "f.yaml").error().message,
            "f.yaml:3:2: this line is indented unlike the map that it stands in");
}

}  // namespace
}  // namespace kumiko
