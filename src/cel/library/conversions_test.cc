#include "cel/library/conversions.h"

#include <gtest/gtest.h>

#include <limits>

#include "cel/library/time.h"
#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

TEST(Conversions, FollowTheReference) {
  const CallCase cases[] = {
      {"int", {Text("+7")}, "7"},
      {"int", {Text("-9223372036854775808")}, "-9223372036854775808"},
      {"int", {Text("9223372036854775808")}, "error: type conversion error from 'string' to 'int'"},
      {"int", {Text("0x10")}, "error: type conversion error from 'string' to 'int'"},
      {"int", {Value::Double(-7.9)}, "-7"},
      {"int", {Value::Double(9223372036854775807.0)}, "error: integer overflow"},
      {"int", {Value::Uint(std::numeric_limits<std::uint64_t>::max())}, "error: integer overflow"},
      {"int", {DurationFromText("1s")}, "1000000000"},
      {"int", {TimestampFromText("1969-12-31T23:59:58.5Z")}, "-2"},
      {"uint", {Text("+7")}, "error: type conversion error from 'string' to 'uint'"},
      {"uint", {Value::Double(-0.5)}, "error: unsigned integer overflow"},
      {"uint", {Value::Int(-1)}, "error: unsigned integer overflow"},
      {"bool", {Text("True")}, "true"},
      {"bool", {Text("yes")}, "error: type conversion error from 'string' to 'bool'"},
      {"string", {Value::Double(1e6)}, "1e+06"},
      {"string", {Value::Double(123456)}, "123456"},
      {"string", {Value::Double(-0.0)}, "-0"},
      {"string", {Value::Text(ValueKind::kBytes, "\xFF")}, "error: invalid UTF-8 in bytes, cannot convert to string"},
      {"string", {DurationFromText("1h30m")}, "5400s"},
      {"string", {TimestampFromText("2026-01-01T02:00:00.50+02:00")}, "2026-01-01T02:00:00.5+02:00"},
      {"string", {Value::Null()}, "error: no such overload"},
      {"timestamp", {Value::Int(253402300800)}, "error: timestamp overflow"},
      {"duration", {Text("1d")}, "error: type conversion error from 'string' to 'google.protobuf.Duration'"},
      {"type", {Value::Duration(1)}, "google.protobuf.Duration"},
      {"type", {Value::Text(ValueKind::kType, "int")}, "type"},
  };
  Arena arena;
  RunContext run{arena};
  for (const CallCase& it : cases) {
    EXPECT_EQ(Show(Call(run, ConversionsOverloads(), it.function, it.args)), it.shown) << it.function;
  }
}

TEST(Conversions, ReadDoublesInGoSyntax) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"1_0.5", "10.5"}, {"0x_1P-2", "0.25"},  {"0x1.P+2", "4"}, {"iNF", "+Inf"}, {"-Infinity", "-Inf"}, {"nan", "NaN"},
      {"-1e-400", "-0"}, {"4e-324", "5e-324"}, {"1.", "1"},      {".5", "0.5"},   {"1E+5", "100000"}};
  for (const auto& [text, shown] : cases) {
    ASSERT_TRUE(ParseDouble(text)) << text;
    EXPECT_EQ(FormatDouble(*ParseDouble(text)), shown) << text;
  }
  for (const std::string_view text : {"", "+", ".", "1e", "1_", "_1", "1__0", "1._5", "0x1", "0x1_P+2", "+nan", "infi",
                                      " 1", "+-1", "1e400", "0x1p2000", "1.2.3", "nan(1)"}) {
    EXPECT_FALSE(ParseDouble(text)) << text;
  }
}

}  // namespace
}  // namespace kumiko::cel
