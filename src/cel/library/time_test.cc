#include "cel/library/time.h"

#include <gtest/gtest.h>

#include <limits>

#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

std::string ShowTime(const Value& value) {
  if (value.IsError()) return std::string(value.view());
  return value.kind == ValueKind::kTimestamp ? TimestampText(value) : DurationText(value);
}

TEST(Time, ReadsAndPrintsTimestamps) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"2020-01-01T1:00:00Z", "2020-01-01T01:00:00Z"},
      {"2020-01-01T01:00:00,50Z", "2020-01-01T01:00:00.5Z"},
      {"2020-01-01T01:00:00.1234567891Z", "2020-01-01T01:00:00.123456789Z"},
      {"2020-01-01T01:00:00+24:60", "2020-01-01T01:00:00+25:00"},
      {"2020-01-01T01:00:00-00:00", "2020-01-01T01:00:00Z"},
      {"0001-01-01T00:00:00-01:00", "0001-01-01T00:00:00-01:00"},
      {"9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"},
      {"9999-12-31T23:59:59-01:00", "timestamp overflow"},
      {"0000-01-01T00:00:00Z", "timestamp overflow"},
  };
  for (const auto& [text, shown] : cases) EXPECT_EQ(ShowTime(TimestampFromText(text)), shown);
  for (const std::string_view text :
       {"", "2020-01-01t01:00:00Z", "2020-02-30T01:00:00Z", "2020-02-29T24:00:00Z", "2020-02-29T23:59:60Z",
        "2020-01-01T01:00:00.Z", "2020-01-01T01:00:00Z ", "2020-01-01 01:00:00Z", "2020-01-01T01:00:00",
        "2020-1-01T01:00:00Z", "2020-01-01T01:00:00+0100", "2020-01-01T01:00:00+24:61"}) {
    EXPECT_EQ(ShowTime(TimestampFromText(text)), "type conversion error from 'string' to 'google.protobuf.Timestamp'")
        << text;
  }
}

TEST(Time, ReadsAndPrintsDurations) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"0", "0s"},
      {"+1.5h", "5400s"},
      {"-1h2m3.5s", "-3723.5s"},
      {".5s", "0.5s"},
      {"5.s", "5s"},
      {"1\u00B5s1\u03BCs", "0.000002s"},
      {"1.0000000001s", "1s"},
      {"0.9999999999999999999999999s", "1s"},
      {"-9223372036854775808ns", "-9223372036.854776s"},
  };
  for (const auto& [text, shown] : cases) EXPECT_EQ(ShowTime(DurationFromText(text)), shown) << text;
  for (const std::string_view text : {"", "-", "1", "1x", ".s", "1h-5m", "1d", "9223372036854775808ns", "9000000h"}) {
    EXPECT_EQ(ShowTime(DurationFromText(text)), "type conversion error from 'string' to 'google.protobuf.Duration'")
        << text;
  }
}

TEST(Time, DurationsOfTheSpecificationAreLonger) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"(string(duration("315576000000s999999999ns")))", R"("315576000000.999999999s")"},
      {R"(string(duration("-9223372037s")))", R"("-9223372037s")"},
      {R"(string(duration("-1s") + duration("9223372037s") - duration("9223372036s")))", R"("0s")"},
      {R"(duration("315576000001s"))", "compile error: invalid duration argument"},
      {R"(duration("315576000000s") + duration("1s"))", "error: integer overflow"},
      {R"(duration("9223372037s") > duration("9223372036s") && duration("-9223372037s") < duration("0s"))", "true"},
      {R"(duration("36893488147.419103232s") == duration("0s"))", "false"},
      {R"(duration("9223372037s").getHours())", "2562047"},
      {R"(timestamp("9999-12-31T23:59:59Z") - timestamp("0001-01-01T00:00:00Z") == duration("315537897599s"))", "true"},
      {R"(timestamp("0001-01-01T00:00:00Z") + duration("315537897599s") == timestamp("9999-12-31T23:59:59Z"))", "true"},
      {R"(string(google.protobuf.Duration{seconds: 9223372037}))", R"("9223372037s")"},
      {R"(google.protobuf.Duration{seconds: 315576000001})", "error: integer overflow"},
  };
  for (const auto& [text, answer] : cases) EXPECT_EQ(Answer(text, Dialect::kSpecification), answer) << text;
  EXPECT_EQ(Answer(R"(duration("9223372037s"))").substr(0, 14), "compile error:");
  EXPECT_EQ(Answer(R"(string(google.protobuf.Duration{seconds: 9223372037}))"), R"("9223372036.854776s")");
}

TEST(Time, SumsStayInRange) {
  const Value first = TimestampFromText("0001-01-01T00:00:00-01:00");
  const Value last = TimestampFromText("9999-12-31T23:59:59Z");
  const Value second = DurationFromText("1s");
  const Value least = Value::Duration(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(ShowTime(AddTimes(DurationFromText("1.5s"), TimestampFromText("2020-01-01T01:00:00-01:30"))),
            "2020-01-01T01:00:01.5-01:30");
  EXPECT_EQ(ShowTime(SubtractTimes(first, DurationFromText("1h"))), "0000-12-31T23:00:00-01:00");
  EXPECT_EQ(ShowTime(SubtractTimes(first, DurationFromText("2h"))), "timestamp overflow");
  EXPECT_EQ(ShowTime(AddTimes(last, second)), "timestamp overflow");
  EXPECT_EQ(ShowTime(SubtractTimes(last, first)), "integer overflow");
  EXPECT_EQ(ShowTime(SubtractTimes(last, least)), "integer overflow");
  EXPECT_EQ(ShowTime(AddTimes(least, least)), "integer overflow");
  EXPECT_EQ(ShowTime(SubtractTimes(TimestampFromText("2020-01-01T00:00:00.25Z"),
                                   TimestampFromText("2020-01-01T00:00:01.5Z"))),
            "-1.25s");
  EXPECT_EQ(ShowTime(SubtractTimes(second, last)), "no such overload");
}

TEST(Time, FieldsFollowTheZone) {
  const Value time = TimestampFromText("2023-11-14T22:13:20.789Z");  // a Tuesday
  const Value first = TimestampFromText("0001-01-01T00:00:00Z");
  const Value far = Value::Timestamp(999'999'999'999, 0);  // only message literals make such
  const CallCase cases[] = {
      {"getFullYear", {time}, "2023"},
      {"getMonth", {time}, "10"},
      {"getDate", {time}, "14"},
      {"getDayOfMonth", {time}, "13"},
      {"getDayOfYear", {time}, "317"},
      {"getDayOfWeek", {time}, "2"},
      {"getHours", {time}, "22"},
      {"getMilliseconds", {time}, "789"},
      {"getHours", {time, Text("+1:30")}, "23"},
      {"getHours", {time, Text("-00:30")}, "21"},
      {"getHours", {time, Text("-01:-1")}, "21"},
      {"getHours", {time, Text("99:00")}, "1"},
      {"getFullYear", {time, Text("99999999999999999:00")}, "1871"},
      {"getFullYear", {first, Text("-01:00")}, "0"},
      {"getDayOfYear", {first, Text("-01:00")}, "365"},
      {"getFullYear", {far}, "33658"},
      {"getMonth", {far}, "8"},
      {"getDate", {far}, "27"},
      {"getDayOfYear", {far}, "269"},
      {"getDayOfWeek", {far}, "5"},
      {"getHours", {far, Text("America/New_York")}, "21"},
      {"getFullYear", {Value::Timestamp(std::numeric_limits<std::int64_t>::max(), 0)}, "292277026596"},
      {"getHours", {time, Text("x:30")}, "error: strconv.Atoi: parsing \"x\": invalid syntax"},
      {"getHours", {time, Text("1:5:6")}, "error: strconv.Atoi: parsing \"5:6\": invalid syntax"},
      {"getHours",
       {time, Text("9999999999999999999999:0")},
       "error: strconv.Atoi: parsing \"9999999999999999999999\": value out of range"},
      {"getHours", {time, Text("UTC")}, "22"},
      {"getHours", {time, Text("Nowhere/At_All")}, "error: unknown time zone Nowhere/At_All"},
      {"getHours", {time, Text("../x")}, "error: time: invalid location name"},
      {"getHours", {time, Value::Int(1)}, "error: no such overload"},
      {"getSeconds", {DurationFromText("-1500ms")}, "-1"},
      {"getMilliseconds", {DurationFromText("-1500ms")}, "-1500"},
      {"getHours", {DurationFromText("2562046h59m59.999999999s")}, "2562047"},
      {"getFullYear", {DurationFromText("1s")}, "error: no such overload"},
  };
  Arena arena;
  RunContext run{arena};
  for (const CallCase& it : cases) {
    EXPECT_EQ(Show(Call(run, TimeOverloads(), it.function, it.args)), it.shown) << it.function;
  }
}

}  // namespace
}  // namespace kumiko::cel
