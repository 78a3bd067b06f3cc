#include "cel/library/format_string.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cel/expression.h"
#include "cel/library/format_number.h"
#include "cel/library/time.h"
#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

std::string Format(std::string_view pattern, const std::vector<Value>& items) {
  Arena arena;
  RunContext run{arena};
  return Show(Call(run, FormatStringOverloads(), "format", {Text(pattern), Value::List(items.data(), items.size())}));
}

TEST(FormatString, FormatsScalars) {
  EXPECT_EQ(Format("%s %s %s %s", {Text("a"), Value::Double(1e6), Value::Bool(true), Value::Null()}),
            "a 1e+06 true null");
  EXPECT_EQ(Format("%d %b %o %x %X", {Value::Int(-8), Value::Int(-5), Value::Uint(8), Value::Int(-255), Text("hi")}),
            "-8 -101 10 -ff 6869");
  EXPECT_EQ(Format("%b %%", {Value::Bool(true)}), "1 %");
  EXPECT_EQ(Format("%.3d|%.1x", {Value::Int(1), Text("a")}), "1|61");
  EXPECT_EQ(Format("%s", {TimestampFromText("2020-01-01T00:00:00.50+02:00")}), "2020-01-01T00:00:00.5+02:00");
}

TEST(FormatString, NestedValuesLookLikeLiterals) {
  const Value items[] = {Text("a\"\u200B"),       Value::Double(1.5),
                         Value::Double(INFINITY), Value::Text(ValueKind::kBytes, "x"),
                         DurationFromText("1h"),  TimestampFromText("2020-01-01T00:00:00Z")};
  EXPECT_EQ(Format("%s", {Value::List(items, 6)}),
            "[\"a\\\"\\u200b\", 1.500000, \"+Inf\", b\"x\", duration(\"3600s\"), timestamp(\"2020-01-01T00:00:00Z\")]");
  // Sorted as text: 10 before 2.
  Value pairs[] = {Value::Int(2), Text("b"), Value::Int(10), Value::Null()};
  EXPECT_EQ(Format("%s", {MakeMap(pairs, 2)}), "{10:null, 2:\"b\"}");
}

TEST(FormatString, NumbersAreThoseOfTheReference) {
  EXPECT_EQ(FormatFixed(1234567.891, 2), "1,234,567.89");
  EXPECT_EQ(FormatFixed(0.005, 2), "0.01");
  EXPECT_EQ(FormatFixed(2.5, 0), "2");
  EXPECT_EQ(FormatFixed(-1e-10, 6), "-0.000000");
  EXPECT_EQ(FormatFixed(-0.0, 6), "0.000000");
  EXPECT_EQ(FormatFixed(-INFINITY, 6), "-\u221E");
  EXPECT_EQ(FormatFixed(0.1, 300), "0.1000000000000000055511151231257827021181583404541015625");
  EXPECT_EQ(FormatFixed(1.5, 256), "1.5");
  EXPECT_EQ(FormatFixed(0.1, 2'000'000), "0.1" + std::string(127, '0'));
  EXPECT_EQ(FormatFixed(1.5, 10'000'010), "%!(NOVERB)");
  EXPECT_EQ(FormatScientific(1052.0329999, 6), "1.052033\u00D710\u2070\u00B3");
  EXPECT_EQ(FormatScientific(-1e-300, 6), "-1.000000\u00D710\u207B\u00B3\u2070\u2070");
  EXPECT_EQ(FormatScientific(1.5, 20), "       1.500000\u00D710\u2070\u2070");
  EXPECT_EQ(FormatScientific(NAN, 6), "   NaN");
  EXPECT_EQ(Format("%f %e", {Text("Infinity"), Text("-Infinity")}), "\u221E     -\u221E");
}

TEST(FormatString, SaysWhatIsWrong) {
  EXPECT_EQ(Format("%s", {}), "error: index 0 out of range");
  EXPECT_EQ(Format("%", {}), "error: index 0 out of range");
  EXPECT_EQ(Format("%", {Text("a")}), "error: unexpected end of string");
  EXPECT_EQ(Format("%\u00E9", {Text("a")}),
            "error: could not parse formatting clause: unrecognized formatting clause \"\u00C3\"");
  EXPECT_EQ(Format("%.f", {Value::Double(1)}),
            "error: could not parse formatting clause: error while parsing precision: error while converting precision "
            "to integer: strconv.Atoi: parsing \"\": invalid syntax");
  EXPECT_EQ(Format("%d", {Text("a")}),
            "error: error during formatting: decimal clause can only be used on integers, was given string");
  EXPECT_EQ(Format("%f", {Text("x")}),
            "error: error during formatting: fixed-point clause can only be used on doubles, was given string");
  const Value optional = Value::Optional(nullptr);
  EXPECT_EQ(Format("%s", {Value::List(&optional, 1)}),
            "error: error during formatting: no formatting function for optional_type");
  EXPECT_EQ(Format("%s", {Value::Text(ValueKind::kBytes, "\xFF")}),
            "error: error during formatting: could not convert argument \"invalid UTF-8 in bytes, cannot convert to "
            "string\" to string");
  EXPECT_EQ(Format("a", {Text("unused")}), "a");
}

// The first line of what is wrong: "1:12: index 1 out of range"; "" when it compiles.
std::string CompileMistake(std::string_view text) {
  CompileOptions options;
  options.derived_attribute = true;
  const auto compiled = Expression::Compile(text, options);
  if (compiled) return "";
  const std::string& message = compiled.error().message;
  const std::size_t begin = message.find("<input>:") + 8;
  return message.substr(begin, message.find('\n') - begin);
}

TEST(FormatString, LiteralsAreCheckedBeforeTheyRun) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"'%s %d %f %f %b %x'.format([[1, 'a'], 1u, 1.0, 'NaN', true, b'a'])", ""},
      {"'%s %d'.format([null, dyn('a')])", ""},
      {"'%s %d'.format(['a'])", "1:15: index 1 out of range"},
      {"'%'.format([])", "1:11: unexpected end of string"},
      {"'%s'.format(['a', 'b'])", "1:12: too many arguments supplied to string.format (expected 1, got 2)"},
      {"'%q'.format([1])", "1:12: could not parse formatting clause: unrecognized formatting clause \"q\""},
      {"'%d'.format([1.0])",
       "1:14: error during formatting: decimal clause can only be used on integers, was given double"},
      {"'%s'.format([[1, {'a': optional.none()}]])",
       "1:37: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, "
       "lists, types, durations, and timestamps, was given optional_type"},
      {"'%b'.format([timestamp(1)])",
       "1:23: error during formatting: only integers and bools can be formatted as binary, was given "
       "google.protobuf.Timestamp"},
      {"('%d' + '').format(['a'])", ""},
      {"'%d'.format(['a'].map(x, x))", ""},
  };
  for (const auto& [text, mistake] : cases) EXPECT_EQ(CompileMistake(text), mistake) << text;
}

}  // namespace
}  // namespace kumiko::cel
