#include "cel/hostile_expressions.h"

#include <fmt/core.h>

#include <cstdint>
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
  all.push_back({"equal maps",
                 "cel.bind(m, lists.range(6000).transformMap(i, v, v), "
                 "lists.range(100000).all(x, m == m))"});
  all.push_back({"maps in maps",
                 "cel.bind(m, lists.range(6000).transformMap(i, v, v), "
                 "lists.range(100000).all(x, m[x * 7919 % 6000] >= 0))"});
  all.push_back({"map of a range", "lists.range(50000).transformMap(i, v, v).size() == 1"});
  all.push_back({"entries of a range", "lists.range(50000).transformMapEntry(i, v, {v: i}).size() == 1"});
  all.push_back({"lists that grow in a loop", "lists.range(20000).map(x, lists.range(x)).flatten().size() == 1"});
  all.push_back({"names of no time zone",
                 thousand + ".all(x, " + thousand + ".all(y, timestamp(0).getHours(string(y)) >= 0 || true))"});
  all.push_back(
      {"names of time zones", thousand + ".all(x, timestamp(x * 86400).getHours(\"America/New_York\") >= 0)"});
  all.push_back({"times taken apart", "lists.range(100000).all(x, timestamp(x * 86400).getDayOfYear() >= 0)"});
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
  all.push_back({"pattern of letters", "\"a\".matches(r\"" + Repeat("\\pL", 3'000) + "\")"});
  all.push_back({"pattern of repeated letters", "\"a\".matches(r\"(\\pL{0,9}){41}\")"});
  all.push_back({"pattern of classes of letters", "\"a\".matches(r\"(?i)" + Repeat("[^\\PL]", 1'000) + "\")"});
  all.push_back({"pattern that may be empty", "\"a\".matches(\"" + Repeat("a?", 5'000) + "\")"});
  all.push_back({"pattern that may be empty often", "\"a\".matches(\"" + Repeat("a{0,9}", 1'600) + "\")"});
  all.push_back({"pattern found from its end", "\"" + Repeat("a-", 50) + "\".findAll(r\"(\\pL){0,35}\").size() == 1"});
  all.push_back({"patterns of letters", "[" + Numbered("\"\".matches(r\"\\pL{}\")", ",", 500) + "].size() == 1"});
  all.push_back({"long text as pattern", Chain("\"(a|b)*\\u00e9\"", "v + v", "\"a\".findAll(v, 1).size() == 1", 17)});
  all.push_back({"pattern with little room to run",
                 "lists.range(100000).all(x, \"b\".matches(\"((([^x])*){15}){0,8}\") || true)"});
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

// `count` letters a and b, without a pattern.
std::string RandomLetters(int count) {
  std::string text;
  std::uint32_t state = 1;
  for (int i = 0; i < count; ++i) {
    state = state * 1'664'525U + 1'013'904'223U;
    text += (state >> 31U) != 0 ? 'a' : 'b';
  }
  return text;
}

// Work that costs few units for what it takes: on long text, on what shares, and on many small things.
void AddCheapUnits(std::vector<HostileExpression>& all) {
  const std::string letters = "\"" + Repeat("a", 90'000) + "\"";
  const std::string wide = "\"" + Repeat("\xf0\x9f\x98\x80", 90'000) + "\"";
  const auto in_loop = [](std::string_view start, std::string_view step) {
    // The filter keeps the compiler from working out in advance what is done with the constant.
    return fmt::format("cel.bind(s, [{}].filter(y, true)[0], lists.range(100000).all(x, {}))", start, step);
  };
  all.push_back({"size of long text", in_loop(letters, "size(s) > x")});
  all.push_back({"size of wide text", in_loop(wide, "size(s) >= 0")});
  all.push_back({"letters of long text", in_loop(letters, "s.charAt(x % 90000) == \"a\"")});
  all.push_back({"letters of wide text", in_loop(wide, "s.charAt(x % 90000) != \"a\"")});
  all.push_back({"end of long text", in_loop(letters, "s.substring(89999) == \"a\"")});
  all.push_back({"end of wide text", in_loop(wide, "s.substring(89999) != \"a\"")});
  all.push_back({"long text as number", in_loop("\"" + Repeat("9", 90'000) + "\"", "double(s) > 1.0")});
  all.push_back({"long text as int", in_loop("\"" + Repeat("0", 90'000) + "\"", "int(s) == 0")});
  all.push_back({"long text as version", in_loop("\"1.2.3-" + Repeat("a.", 40'000) + "a\"", "isSemver(s)")});
  all.push_back({"long text as quantity", in_loop("\"" + Repeat("0", 90'000) + "1\"", "isQuantity(s)")});
  all.push_back({"long text as URL", in_loop("\"http://a/?" + Repeat("a=b&", 20'000) + "\"", "isURL(s)")});
  all.push_back({"long text as address", in_loop("\"" + Repeat("0:", 40'000) + "\"", "!isIP(s)")});
  all.push_back({"long text as block", in_loop("\"" + Repeat("0:", 40'000) + "/1\"", "!isCIDR(s)")});
  all.push_back(
      {"long text as duration", in_loop("\"" + Repeat("1h", 40'000) + "\"", "duration(s) != duration(\"0s\")")});
  all.push_back({"long text as time", in_loop(letters, "timestamp(s) == timestamp(0) || true")});
  all.push_back({"long text as label", in_loop(letters, "format.dns1123Label().validate(s).hasValue()")});
  all.push_back({"long text in upper case", in_loop(letters, "s.upperAscii() != \"\"")});
  all.push_back({"long text as bytes", in_loop(wide, "string(bytes(s)) == s")});
  all.push_back({"long text quoted", in_loop(wide, "strings.quote(s) != s")});
  all.push_back({"long text formatted", in_loop(wide, "\"%s\".format([[s]]) != s")});
  all.push_back({"long text in hex", in_loop(letters, "\"%x\".format([s]) != s")});
  all.push_back({"long text trimmed", in_loop("\"" + Repeat("\xe3\x80\x80", 90'000) + "\"", "s.trim() == \"\"")});
  all.push_back({"long text split", in_loop(letters, "s.split(\"\").size() > x")});
  all.push_back({"wide text split", in_loop(wide, "s.split(\"\").size() > 0")});
  all.push_back({"long text split at letters", in_loop(letters, "s.split(\"a\").size() > x")});
  all.push_back({"long text replaced", in_loop(letters, "s.replace(\"a\", \"b\") != s")});
  all.push_back({"long text replaced by nothing", in_loop(letters, "s.replace(\"a\", \"\") != s")});
  all.push_back(
      {"equal long texts", in_loop("[" + letters + "]", "[s, s, s, s, s, s, s, s] == [s, s, s, s, s, s, s, s]")});
  all.push_back({"long text in a list", in_loop(letters, "s in [s + \"\"]")});
  all.push_back({"long keys", in_loop(letters, "{s: 1}[s] == 1")});
  all.push_back({"long keys of one map",
                 "cel.bind(s, " + letters + ", cel.bind(m, {s: 1}, lists.range(100000).all(x, m[s] == 1)))"});
  all.push_back({"long keys in one map",
                 "cel.bind(s, " + letters + ", cel.bind(m, {s: 1}, lists.range(100000).all(x, s in m)))"});
  all.push_back(
      {"distinct long texts", "cel.bind(s, " + letters + ", lists.range(600).map(x, s).distinct().size() == 1)"});
  all.push_back({"sorted long texts", "cel.bind(s, " + letters + ", lists.range(600).map(x, s).sort().size() == 1)"});
  all.push_back({"sets of long texts",
                 "cel.bind(s, " + letters + ", cel.bind(l, lists.range(900).map(x, s), sets.equivalent(l, l)))"});
  all.push_back({"set of long texts without one",
                 "cel.bind(s, " + letters +
                     ", sets.contains(lists.range(900).map(x, s), [s + \"\", s.replace(\"a\", \"b\", 1)]))"});
  all.push_back({"largest of long texts", in_loop("lists.range(100).map(x, " + letters + ")", "s.max() != \"\"")});
  all.push_back(
      {"long texts found", in_loop("lists.range(100).map(x, " + letters + ")", "s.indexOf(s[0] + \"b\") == -1")});
  all.push_back({"long text joined", in_loop("lists.range(100).map(x, " + letters + ")", "s.join() != \"\"")});
  const std::string half = "\"" + Repeat("a", 20'000) + "\"";
  all.push_back({"indexOf in a loop", "cel.bind(s, " + letters.substr(0, 40'000) + "\", cel.bind(t, " + half +
                                          " + \"b\", lists.range(1000).all(x, s.indexOf(t) < 0)))"});
  all.push_back({"lastIndexOf in a loop", "cel.bind(s, " + letters.substr(0, 40'000) + "\", cel.bind(t, \"b\" + " +
                                              half + ", lists.range(1000).all(x, s.lastIndexOf(t) < 0)))"});
  all.push_back({"replace in a loop", "cel.bind(s, " + letters.substr(0, 40'000) + "\", cel.bind(t, " + half +
                                          " + \"b\", lists.range(1000).all(x, s.replace(t, s) == s)))"});
  all.push_back({"split in a loop", "cel.bind(s, " + letters.substr(0, 40'000) + "\", cel.bind(t, " + half +
                                        " + \"b\", lists.range(1000).all(x, s.split(t) == [s])))"});
  all.push_back({"contains in a loop", "cel.bind(s, " + letters.substr(0, 40'000) + "\", cel.bind(t, \"" +
                                           Repeat("a", 90) + "b\", lists.range(1000).all(x, !s.contains(t))))"});
  all.push_back(
      {"short text found everywhere", in_loop("\"" + Repeat("a", 100) + "\"", "s.findAll(\"a\").size() > 0")});
  all.push_back({"short text matched", in_loop("\"" + Repeat("a", 60) + "\"", "s.matches(\"^a+$\")")});
  all.push_back({"pattern of many states", "\"" + RandomLetters(90'000) + "\".matches(\"(a|b)*a(a|b){30}c\")"});
  all.push_back({"pattern of many states in a loop",
                 "cel.bind(s, \"" + RandomLetters(90'000) +
                     "\", [1,2,3,4,5,6,7,8,9].all(x, !s.substring(x).matches(\"(a|b)*a(a|b){30}c\")))"});
  all.push_back(
      {"found pattern of many states", "\"" + RandomLetters(90'000) + "\".find(\"(a|b)*a(a|b){30}c\") == \"\""});
  all.push_back({"all found of many states", "\"" + RandomLetters(90'000) + "\".findAll(\"a(a|b){30}a\").size() == 1"});
  all.push_back(
      {"query of a URL", in_loop("url(\"http://a/?" + Repeat("a=b&", 20'000) + "\")", "s.getQuery().size() == 1")});
  all.push_back({"distinct query of a URL",
                 in_loop("url(\"http://a/?" + Numbered("a{}=b", "&", 9'000) + "\")", "s.getQuery().size() > 1")});
  all.push_back(
      {"path of a URL", in_loop("url(\"http://a/" + Repeat("%20", 30'000) + "\")", "s.getEscapedPath() != \"\"")});
  all.push_back({"long URL", in_loop("\"http://a/" + Repeat("%20", 30'000) + "\"", "url(s) == url(s)")});
  all.push_back({"compared versions",
                 in_loop("semver(\"1.2.3-" + Repeat("a.", 40'000) + "a\")", "s.compareTo(s) == 0 && s == s")});
  all.push_back({"compared URLs", in_loop("url(\"http://a/" + Repeat("a", 90'000) + "\")", "s == s")});
  all.push_back({"compared quantities",
                 in_loop("quantity(\"" + Repeat("9", 400) + "e9000\")", "s.compareTo(quantity(\"1e-9000\")) > 0")});
  all.push_back({"added quantities", in_loop("quantity(\"9e9000\")", "s.add(quantity(\"1e-9000\")).isGreaterThan(s)")});
  all.push_back({"quantities as numbers", in_loop("quantity(\"9e9000\")", "s.asApproximateFloat() > 1.0")});
  all.push_back({"formatted numbers",
                 in_loop("\"" + Repeat("%.300f", 50) + "\"", "s.format([" + Repeat("1e300,", 49) + "1e300]) != s")});
  all.push_back({"formatted precision", in_loop("1.0", "\"%.900000f\".format([s]) != \"\"")});
  all.push_back({"formatted many", in_loop("[" + Repeat("1,", 9'999) + "1]", "\"%s\".format([s]) != \"\"")});
  all.push_back(
      {"formatted maps that share", Chain("{1: 1}", "{\"a\": v, \"b\": v}", "\"%s\".format([v]).size() == 1", 60)});
  all.push_back({"list found in itself", Chain("1", "[v, v]", "[v].indexOf(v) == 0", 60)});
  all.push_back({"lists that share in sets", Chain("1", "[v, v]", "sets.intersects([v], [v])", 60)});
  all.push_back({"summed lists that share", Chain("dyn(1)", "dyn([v, v])", "v.includes(v)", 60)});
  all.push_back({"flattened lists that double", Chain("[1]", "[v, v].flatten()", "v.size() == 1", 60)});
  all.push_back({"shared maps transformed",
                 Chain("{1: 1, 2: 2}", "v.transformMap(a, b, v.transformMap(c, d, v))", "v.size() == 1", 20)});
  all.push_back(
      {"maps of a thousand in a loop",
       "cel.bind(m, lists.range(1000).transformMap(i, v, v), lists.range(1000).all(x, m.map(k, k).size() > 0))"});
  all.push_back({"maps with long keys sorted",
                 "cel.bind(s, " + letters + ", [" + Repeat("{s + \"b\": 1, s + \"a\": 2},", 99) + "].size() == 1)"});
  all.push_back({"long keys transformed", "cel.bind(s, " + letters +
                                              ", cel.bind(m, {s + \"a\": 1, s + \"b\": 2}, "
                                              "lists.range(100000).all(x, m.transformMap(k, v, v).size() == 2)))"});
  all.push_back({"long text beside an error", in_loop(letters, "[][x] == s || true")});
  all.push_back({"free rounds", "lists.range(100000).all(x, lists.range(1000).filter(y, " + Repeat("false || ", 1'000) +
                                    "false) == [])"});
  all.push_back({"large pattern on short texts",
                 "lists.range(100000).all(x, \"bab\".matches(\"" + Repeat("(^.*b){0,29}", 14) + "\") || true)"});
  all.push_back(
      {"entries with one long key",
       "cel.bind(s, " + letters + ", lists.range(90).all(x, {s: x, s + \"\": x, s + \"b\": x}.size() == 2))"});
  all.push_back(
      {"device in a loop",
       "lists.range(100000).all(x, device.attributes.size() == 0 && device.attributes == device.attributes)"});
  all.push_back({"device maps in loops",
                 "lists.range(1000).all(x, lists.range(1000).all(y, device.attributes.all(d, d == \"\") && "
                 "device.capacity[string(y)].size() == 0))"});
  all.push_back({"strings of numbers", "lists.range(300000).all(x, string(x) != \"\")"});
  all.push_back({"strings of doubles", "lists.range(300000).all(x, string(double(x) / 3.0) != \"\")"});
  all.push_back({"joined numbers", "lists.range(150000).map(x, string(x)).join(\",\").size() == 1"});
  all.push_back({"errors in a loop", "lists.range(300000).exists(x, [][x] == 1)"});
  all.push_back(
      {"versions in a loop", "lists.range(300000).all(x, semver(\"1.2.3-a.\" + string(x)) != semver(\"1.2.3-a.b\"))"});
  all.push_back({"versions of a loop", "lists.range(100000).all(x, isSemver(string(x) + \".2.3\"))"});
  all.push_back({"quantities of a loop",
                 "lists.range(100000).all(x, quantity(string(x) + \"Gi\").isGreaterThan(quantity(\"-1\")))"});
  all.push_back({"addresses of a loop", "lists.range(100000).all(x, ip(\"::\" + string(x % 10000)).family() == 6)"});
  all.push_back(
      {"blocks of a loop", "lists.range(100000).all(x, !cidr(\"10.0.0.0/\" + string(x % 32)).containsIP(\"::1\"))"});
  all.push_back({"URLs of a loop", "lists.range(100000).all(x, url(\"http://a/\" + string(x)).getHost() == \"a\")"});
  all.push_back({"durations of a loop", "lists.range(100000).all(x, duration(string(x) + \"s\") >= duration(\"0s\"))"});
  all.push_back({"formats of a loop", "lists.range(100000).all(x, \"%d %s\".format([x, [x]]) != \"\")"});
  all.push_back({"labels of a loop",
                 "lists.range(100000).all(x, !format.dns1123Label().validate(\"a\" + string(x)).hasValue())"});
  all.push_back({"sorted texts of a loop", "lists.range(680).map(x, string(x * 7919 % 680)).sort().size() == 1"});
  all.push_back({"sorted lists of a loop", "lists.range(100000).all(x, [3, 1, 2].sort() == [1, 2, 3])"});
  all.push_back({"distinct lists of a loop", "lists.range(100000).all(x, [3, 1, 2].distinct().size() == 3)"});
  all.push_back({"maps of a loop", "lists.range(100000).all(x, {\"b\": x, \"a\": x}.size() == 2)"});
  all.push_back({"optionals of a loop", "lists.range(100000).all(x, [x][?1].optMap(y, y).orValue(x) == x)"});
  all.push_back({"long conditions of a loop", "lists.range(100000).all(x, " + Repeat("x >= 0 && ", 1'000) + "true)"});
  all.push_back(
      {"nested maps of a loop", "[1].transformMap(a, b, lists.range(100000).transformMap(c, d, {a: c})).size() == 2"});
}

// Nesting at its limit, of everything that nests.
void AddDepth(std::vector<HostileExpression>& all) {
  constexpr int kDeep = 120;
  const auto add = [&all](std::string_view name, std::string text) {
    all.push_back({fmt::format("deep {}", name), std::move(text)});
  };
  add("lists", Nested("[", "1", "]", kDeep) + " == " + Nested("[", "1", "]", kDeep));
  add("maps", Nested("{1: ", "1", "}", kDeep) + " == " + Nested("{1: ", "1", "}", kDeep));
  add("maps with two", Chain("1", "{1: v, 2: v, 3: v}", "v != {}", kDeep));
  add("optionals", Nested("optional.of(", "1", ")", kDeep) + " == " + Nested("optional.of(", "1", ")", kDeep));
  add("types", Nested("type(", "1", ")", kDeep) + " == type");
  add("negations", Repeat("!", kDeep) + "true");
  add("calls", Nested("string(", "1", ")", kDeep) + " == \"1\"");
  add("methods", "\"a\"" + Repeat(".trim()", kDeep) + " == \"a\"");
  add("indexes", Nested("[", "1", "]", kDeep) + Repeat("[0]", kDeep) + " == 1");
  add("optional indexes", "[1]" + Repeat("[?0]", kDeep) + ".hasValue()");
  add("sums", "1" + Repeat(" + 1", kDeep) + " == 1");
  add("sums of lists", Nested("[", "1", "] + []", kDeep) + " == []");
  add("conditionals of lists", Nested("(true ? [", "1", "] : [])", 80) + " == []");
  add("optMap with types", "optional.of([])" + Repeat(".optMap(x, {\"a\": x, \"b\": x})", kDeep) + ".hasValue()");
  add("optMap that binds", Nested("optional.of(1).optMap(x, cel.bind(y, {x: x}, ", "y", "))", 40) + ".hasValue()");
  add("filters", "[1]" + Repeat(".filter(x, x > 0)", kDeep) + ".size() == 1");
  add("transformed maps", "{1: 1}" + Repeat(".transformMap(k, v, {k: v})", kDeep) + ".size() == 1");
  add("transformed lists", "[1]" + Repeat(".transformList(i, v, [v, v])", kDeep) + ".size() == 1");
  add("mapped lists", "[1]" + Repeat(".map(v, [v, v])", kDeep) + ".size() == 1");
  add("mixed types", Chain("[]", "[v, [v]]", "v == v", kDeep));
  add("types of optionals", Chain("[]", "{optional.of(v): optional.of(v)}", "v == v", kDeep));
  add("joined types", Chain("[]", "true ? {\"a\": v, \"b\": v} : {}", "v == v", kDeep));
  add("wrong types", Chain("[]", "{\"a\": v, \"b\": v}", "[" + Repeat("v + 1,", 500) + "].size() == 1", kDeep));
  add("many types", Chain("[]", "{\"a\": v, \"b\": v}", "[" + Repeat("v == v,", 500) + "].size() == 1", 9));
  add("many lists of types", Chain("[]", "{[v]: [v, v]}", "[" + Repeat("[v, v, v] == v,", 900) + "].size() == 1", 9));
  add("chain of names", "device" + Repeat(".attributes", kDeep) + " == 1");
  add("alternatives", Nested("(false || ", "true", ")", kDeep));
}

}  // namespace

std::vector<HostileExpression> HostileExpressions() {
  std::vector<HostileExpression> all;
  AddLongTexts(all);
  AddGrowth(all);
  AddLoops(all);
  AddPatterns(all);
  AddSharedTrees(all);
  AddCheapUnits(all);
  AddDepth(all);
  return all;
}

}  // namespace kumiko::cel
