#include "cel/hostile_expressions.h"

#include <fmt/core.h>

#include <string_view>

namespace kumiko::cel {
namespace {

std::string Repeat(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

std::string Nested(std::string_view open, std::string_view inner, std::string_view close, int times) {
  return Repeat(open, times) + std::string(inner) + Repeat(close, times);
}

// cel.bind(v, start, cel.bind(v, step, ... last)): `step` runs on the result of the one before, `times` times.
std::string Chain(std::string_view start, std::string_view step, std::string_view last, int times) {
  return fmt::format("cel.bind(v, {}, {})", start, Nested(fmt::format("cel.bind(v, {}, ", step), last, ")", times));
}

// Part 0, part 1, ... with a separator; {} in `part` is the number.
std::string Numbered(std::string_view part, std::string_view separator, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) {
    text += (i > 0 ? separator : "");
    text += fmt::format(fmt::runtime(part), i);
  }
  return text;
}

void AddLongTexts(std::vector<HostileExpression>& all) {
  for (const std::string_view part : {"(",
                                      "[",
                                      "{",
                                      "{1:",
                                      "f(",
                                      "a.b(",
                                      "!",
                                      "-",
                                      "[?",
                                      "a[",
                                      "x ? ",
                                      "true ? true : ",
                                      "has(",
                                      "a.",
                                      "cel.bind(x,1,",
                                      "[1].all(x,",
                                      "'",
                                      "\"\"\"",
                                      "`",
                                      "1+",
                                      ".",
                                      "a&&",
                                      "a,",
                                      "@",
                                      "\\",
                                      "//",
                                      "\n",
                                      "[1,",
                                      "optional.of(1).optMap(x,",
                                      "a.?b."}) {
    all.push_back({fmt::format("{} without end", part == "\n" ? "new lines" : part),
                   Repeat(part, static_cast<int>(100'000 / part.size()))});
  }
  all.push_back({"longest string", "\"" + Repeat("a", 99'000) + "\" == \"\""});
  all.push_back({"longest wide string", "\"" + Repeat("\xf0\x9f\x98\x80", 99'000) + "\".size() == 1"});
  all.push_back({"too long", Repeat("a", 10'000'000)});
  all.push_back({"long list", "[" + Repeat("1,", 49'000) + "].size() == 1"});
  all.push_back({"long list of lists", "[" + Repeat("[],", 33'000) + "].size() == 1"});
  all.push_back({"long map", "{" + Numbered("{}:1", ",", 12'000) + "}.size() == 1"});
  all.push_back({"long map of one key", "{" + Repeat("1:1,", 24'000) + "}.size() == 1"});
  all.push_back({"long &&", "true" + Repeat("&&true", 16'000)});
  all.push_back({"long ||", "false" + Repeat("||false", 14'000)});
  all.push_back({"unknown names", "[" + Numbered("a{}", ",", 15'000) + "]"});
  all.push_back({"wrong types", "[" + Repeat("1+\"\",", 16'000) + "].size() == 1"});
  all.push_back({"many calls", "[" + Repeat("size(\"\"),", 11'000) + "].size() == 1"});
  all.push_back({"many patterns", "[" + Numbered("\"\".matches(\"a{}.*b\")", ",", 3'500) + "].size() == 1"});
  all.push_back({"many macros", "[" + Repeat("[1].map(x,x),", 7'000) + "].size() == 1"});
  all.push_back({"long digits", "quantity(\"" + Repeat("9", 90'000) + "\").isInteger()"});
  all.push_back({"long version", "isSemver(\"1.2.3-" + Repeat("a.", 40'000) + "a\")"});
  all.push_back({"long integer", Repeat("9", 99'000) + " == 1"});
  all.push_back({"long double", "1." + Repeat("9", 99'000) + " == 1.0"});
  all.push_back({"long URL", "isURL(\"http://a/?" + Repeat("a=b&", 24'000) + "\")"});
  all.push_back({"long format", "\"" + Repeat("%s", 40'000) + "\".format([1]) == \"\""});
}

void AddGrowth(std::vector<HostileExpression>& all) {
  all.push_back({"lists that double", Chain("[1]", "v + v", "v == v", 60)});
  all.push_back({"strings that double", Chain("\"abcdefghij\"", "v + v", "v == v", 60)});
  all.push_back({"bytes that double", Chain("b'abcdefghij'", "v + v", "v == v", 60)});
  all.push_back({"lists that share", Chain("1", "[v, v]", "v == v", 60)});
  all.push_back({"maps that share", Chain("1", "{1: v, 2: v}", "v == v", 60)});
  all.push_back({"replaced text that grows", Chain("\"aa\"", "v.replace(\"a\", \"aaaaaaaa\")", "v.size() == 1", 40)});
  all.push_back({"replaced nothing", Chain("\"a\"", "v.replace(\"\", \"abcdefgh\")", "v.size() == 1", 40)});
  all.push_back({"joined text that grows", Chain("\"ab\"", "[v, v, v].join(v)", "v.size() == 1", 40)});
  all.push_back({"formatted text that grows", Chain("\"ab\"", "\"%s%s%s\".format([v, v, v])", "v.size() == 1", 40)});
  all.push_back({"formatted lists that share", Chain("[1]", "[v, v]", "\"%s\".format([v]).size() == 1", 60)});
  all.push_back({"quoted text", Chain("\"\\\\\"", "strings.quote(v)", "v.size() == 1", 60)});
  all.push_back({"split into letters", Chain("\"aa\"", "v.split(\"\").join(v)", "v.size() == 1", 40)});
  all.push_back({"flattened lists that share", Chain("[1]", "[v, v]", "v.flatten(100).size() == 1", 60)});
  all.push_back({"sets that share", Chain("[1]", "[v, v]", "sets.equivalent(v, v)", 60)});
  all.push_back({"distinct lists that share", Chain("[1]", "[v, v]", "v.distinct().size() == 1", 60)});
  all.push_back({"types that share", Chain("[]", "{\"a\": v, \"b\": v}", "v == v", 60)});
  all.push_back({"ever wider keys",
                 "cel.bind(x0, [], " + Numbered("cel.bind(y{0}, {{1: x0}}, y{0} == y{0}) && ", "", 60) + "true)"});
  all.push_back({"quantities that grow", Chain("quantity(\"1e1000\")", "v.add(v)", "v == v", 200)});
}

void AddLoops(std::vector<HostileExpression>& all) {
  std::string loops = "true";
  for (int i = 0; i < 12; ++i) loops = fmt::format("[1,2,3,4,5,6,7,8,9,10].all(x{}, {})", i, loops);
  all.push_back({"loops in loops", loops});
  const std::string thousand = "lists.range(1000)";
  all.push_back(
      {"loop over loop over loop", thousand + ".all(x, " + thousand + ".all(y, " + thousand + ".all(z, true)))"});
  all.push_back({"maps of maps", thousand + ".map(x, " + thousand + ".map(y, " + thousand + ")).size() == 1"});
  all.push_back({"longest range", "lists.range(1000000).size() == 1"});
  all.push_back({"ranges of ranges", "lists.range(1000000).map(x, lists.range(1000000)).size() == 1"});
  all.push_back({"too long a range", "lists.range(9223372036854775807).size() == 1"});
  all.push_back({"distinct range", "lists.range(100000).distinct().size() == 1"});
  all.push_back({"sorted range", "lists.range(1000000).sort().size() == 1"});
  all.push_back({"sorted by text", "lists.range(100000).sortBy(x, string(x)).size() == 1"});
  all.push_back({"reversed range", Chain("lists.range(100000)", "v.reverse()", "v.size() == 1", 100)});
  all.push_back({"sliced range", Chain("lists.range(900000)", "v.slice(0, 900000)", "v.size() == 1", 100)});
  all.push_back({"sets of ranges", "sets.contains(lists.range(100000), lists.range(100000))"});
  all.push_back({"range in range", "lists.range(100000).all(x, x in lists.range(100000))"});
  all.push_back({"range found in itself", "lists.range(30000).all(x, lists.range(30000).indexOf(x) >= 0)"});
  all.push_back(
      {"equal ranges", "lists.range(900000) == lists.range(900000) && lists.range(900000) == lists.range(900000)"});
  all.push_back({"map of a range", "lists.range(50000).transformMap(i, v, v).size() == 1"});
  all.push_back({"entries of a range", "lists.range(50000).transformMapEntry(i, v, {v: i}).size() == 1"});
  all.push_back({"lists that grow in a loop", "lists.range(20000).map(x, lists.range(x)).flatten().size() == 1"});
  all.push_back({"names of time zones", thousand + ".all(x, timestamp(0).getHours(\"America/New_York\") >= 0)"});
  all.push_back(
      {"times taken apart", "lists.range(100000).all(x, timestamp(\"2024-01-01T00:00:00Z\").getDayOfYear() >= 0)"});
}

void AddPatterns(std::vector<HostileExpression>& all) {
  const std::string text = "\"" + Repeat("a", 40'000) + "\"";
  all.push_back({"pattern that backtracks", text + ".matches(\"(a*)*b\")"});
  all.push_back({"pattern of repeats", "\"a\".matches(\"((((a{100}){100}){100}){100}){100}\")"});
  all.push_back({"large pattern", "\"a\".matches(\"" + Repeat("(a|b)*", 15'000) + "\")"});
  all.push_back({"deep pattern", "\"a\".matches(\"" + Nested("(", "a", ")", 20'000) + "\")"});
  all.push_back(
      {"patterns made in a loop", "lists.range(10000).all(x, \"aaaa\".matches(\"a{0,\" + string(x) + \"}.*(b|c)*\"))"});
  all.push_back({"pattern that doubles", Chain("\"(a|b)*\"", "v + v", "\"a\".matches(v)", 30)});
  all.push_back({"findAll of nothing", text + ".findAll(\"\").size() == 1"});
  all.push_back({"findAll of letters", text + ".findAll(\"a\").size() == 1"});
  all.push_back({"contains", text + ".contains(\"" + Repeat("a", 20'000) + "b\")"});
  all.push_back({"indexOf", text + ".indexOf(\"" + Repeat("a", 20'000) + "b\") == 1"});
  all.push_back({"lastIndexOf", text + ".lastIndexOf(\"b" + Repeat("a", 20'000) + "\") == 1"});
}

void AddSharedTrees(std::vector<HostileExpression>& all) {
  // A macro that writes its target twice must not double the work for each level.
  all.push_back({"optMap of optMap", "optional.of(1)" + Repeat(".optMap(x, x)", 120) + ".hasValue()"});
  all.push_back(
      {"optFlatMap of optFlatMap", "optional.of(1)" + Repeat(".optFlatMap(x, optional.of(x))", 120) + ".hasValue()"});
  all.push_back({"optMap in optMap", Nested("optional.of(1).optMap(x, ", "1", ")", 60) + ".hasValue()"});
  all.push_back({"map of map", "[1]" + Repeat(".map(x, x)", 120) + ".size() == 1"});
  all.push_back({"sortBy of sortBy", "[1]" + Repeat(".sortBy(x, x)", 60) + ".size() == 1"});
  all.push_back({"sortBy in sortBy", Nested("[1].sortBy(x, ", "x", ")[0]", 60) + " == 1"});
  all.push_back({"map in map", Nested("[1].map(x, ", "1", ")", 100) + ".size() == 1"});
  all.push_back({"bind in bind", Nested("cel.bind(x, 1, ", "true", ")", 120)});
  all.push_back({"conditionals", Nested("(true ? ", "true", " : false)", 120)});
}

}  // namespace

std::vector<HostileExpression> HostileExpressions() {
  std::vector<HostileExpression> all;
  AddLongTexts(all);
  AddGrowth(all);
  AddLoops(all);
  AddPatterns(all);
  AddSharedTrees(all);
  return all;
}

}  // namespace kumiko::cel
