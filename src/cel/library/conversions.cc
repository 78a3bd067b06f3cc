#include "cel/library/conversions.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "cel/library/time.h"
#include "cel/run_context.h"
#include "cel/utf8.h"

namespace kumiko::cel {
namespace {

// Of a byte of a time or duration that is read, and of what is written.
constexpr std::int64_t kTimeSteps = 8;
constexpr std::int64_t kWrittenTimeSteps = 160;
constexpr std::int64_t kWrittenDoubleSteps = 80;
constexpr std::int64_t kWrittenSteps = 16;
constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

Value BadText(RunContext& run, std::string_view to) {
  return run.arena.Error(fmt::format("type conversion error from 'string' to '{}'", to));
}

// ---- numbers

template <class Number>
std::optional<Number> ParseDecimal(std::string_view text) {
  Number value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> ParseInt(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  return ParseDecimal<std::int64_t>(text);
}

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; });
}

bool IsDigit(char c, bool hexadecimal) {
  const auto lower = static_cast<char>(c | 0x20);
  return (c >= '0' && c <= '9') || (hexadecimal && lower >= 'a' && lower <= 'f');
}

// A number without sign and infinities, checked and with what from_chars does not take (underscores, 0x) removed.
struct PlainNumber {
  std::string digits;
  bool hexadecimal = false;
};

std::optional<PlainNumber> ReadNumber(std::string_view text) {
  PlainNumber number;
  char previous = '.';  // what stands before: '0' for any digit and for the prefix
  if (text.size() > 1 && text[0] == '0' && (text[1] | 0x20) == 'x') {
    number.hexadecimal = true;
    text.remove_prefix(2);
    previous = '0';
  }
  bool dot = false, digits = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '_') {
      // Only between digits, or behind the prefix.
      if (previous != '0') return std::nullopt;
    } else if (c == '.') {
      if (dot || previous == '_') return std::nullopt;
      dot = true;
    } else if (IsDigit(c, number.hexadecimal)) {
      digits = true;
    } else {
      break;
    }
    previous = IsDigit(c, number.hexadecimal) ? '0' : c;
    if (c != '_') number.digits += c;
  }
  if (!digits || previous == '_') return std::nullopt;
  if (at == text.size()) return number.hexadecimal ? std::nullopt : std::optional(number);  // 0x needs an exponent
  if ((text[at] | 0x20) != (number.hexadecimal ? 'p' : 'e')) return std::nullopt;
  number.digits += text[at++];
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) number.digits += text[at++];
  previous = '.';
  for (; at < text.size(); ++at) {
    if (text[at] == '_') {
      if (previous != '0') return std::nullopt;
    } else if (IsDigit(text[at], false)) {
      number.digits += text[at];
    } else {
      return std::nullopt;
    }
    previous = text[at] == '_' ? '_' : '0';
  }
  if (previous != '0') return std::nullopt;
  return number;
}

Value ToInt(RunContext& run, std::span<const Value> args) {
  const Value& from = args[0];
  if (from.kind == ValueKind::kInt) return from;
  if (from.kind == ValueKind::kTimestamp) return Value::Int(from.integer);
  if (from.kind == ValueKind::kDuration) {
    return from.offset == 0 ? Value::Int(from.integer) : Value::Error("integer overflow");
  }
  if (from.kind == ValueKind::kUint) {
    if (from.natural > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return Value::Error("integer overflow");
    }
    return Value::Int(static_cast<std::int64_t>(from.natural));
  }
  if (from.kind == ValueKind::kDouble) {
    // The bounds themselves are refused: they may stand for a number beyond.
    if (!(from.real > -kTwoTo63 && from.real < kTwoTo63)) return Value::Error("integer overflow");
    return Value::Int(static_cast<std::int64_t>(from.real));
  }
  if (from.kind != ValueKind::kString) return NoSuchOverload();
  if (!Take(run, static_cast<std::int64_t>(from.size))) return NoSuchOverload();
  const auto parsed = ParseInt(from.view());
  return parsed ? Value::Int(*parsed) : BadText(run, "int");
}

Value ToUint(RunContext& run, std::span<const Value> args) {
  const Value& from = args[0];
  if (from.kind == ValueKind::kUint) return from;
  if (from.kind == ValueKind::kInt) {
    if (from.integer < 0) return Value::Error("unsigned integer overflow");
    return Value::Uint(static_cast<std::uint64_t>(from.integer));
  }
  if (from.kind == ValueKind::kDouble) {
    if (!(from.real >= 0 && from.real < kTwoTo64)) return Value::Error("unsigned integer overflow");
    return Value::Uint(static_cast<std::uint64_t>(from.real));
  }
  if (from.kind != ValueKind::kString) return NoSuchOverload();
  if (!Take(run, static_cast<std::int64_t>(from.size))) return NoSuchOverload();
  const auto parsed = ParseDecimal<std::uint64_t>(from.view());
  return parsed ? Value::Uint(*parsed) : BadText(run, "uint");
}

Value ToDouble(RunContext& run, std::span<const Value> args) {
  const Value& from = args[0];
  if (from.kind == ValueKind::kDouble) return from;
  if (from.kind == ValueKind::kInt) return Value::Double(static_cast<double>(from.integer));
  if (from.kind == ValueKind::kUint) return Value::Double(static_cast<double>(from.natural));
  if (from.kind != ValueKind::kString) return NoSuchOverload();
  // Digits are read one by one.
  if (!Take(run, static_cast<std::int64_t>(from.size))) return NoSuchOverload();
  const auto parsed = ParseDouble(from.view());
  return parsed ? Value::Double(*parsed) : BadText(run, "double");
}

// ---- the rest

Value ToBool(RunContext& run, std::span<const Value> args) {
  static constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "True", "TRUE"};
  static constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "false", "False", "FALSE"};
  const Value& from = args[0];
  if (from.kind == ValueKind::kBool) return from;
  if (from.kind != ValueKind::kString) return NoSuchOverload();
  if (std::find(kTrue.begin(), kTrue.end(), from.view()) != kTrue.end()) return Value::Bool(true);
  if (std::find(kFalse.begin(), kFalse.end(), from.view()) != kFalse.end()) return Value::Bool(false);
  return BadText(run, "bool");
}

Value ToString(RunContext& run, std::span<const Value> args) {
  const Value& from = args[0];
  if (from.kind == ValueKind::kString) return from;
  if (from.kind == ValueKind::kBytes) {
    if (!Take(run, static_cast<std::int64_t>(from.size / 2))) return NoSuchOverload();
    return IsValidUtf8(from.view()) ? Value::String(from.view())
                                    : Value::Error("invalid UTF-8 in bytes, cannot convert to string");
  }
  const bool time = from.kind == ValueKind::kTimestamp || from.kind == ValueKind::kDuration;
  run.budget -= time ? kWrittenTimeSteps : from.kind == ValueKind::kDouble ? kWrittenDoubleSteps : kWrittenSteps;
  if (from.kind == ValueKind::kTimestamp) return Value::String(run.arena.Text(TimestampText(from)));
  if (from.kind == ValueKind::kDuration) return Value::String(run.arena.Text(DurationText(from)));
  if (from.kind == ValueKind::kBool || from.IsNumber()) return Value::String(run.arena.Text(Describe(from)));
  return NoSuchOverload();
}

Value ToBytes(RunContext&, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kString && args[0].kind != ValueKind::kBytes) return NoSuchOverload();
  return Value::Text(ValueKind::kBytes, args[0].view());
}

Value ToTimestamp(RunContext& run, std::span<const Value> args) {
  const Value& from = args[0];
  if (from.kind == ValueKind::kTimestamp) return from;
  if (from.kind == ValueKind::kInt) return TimestampFromSeconds(from.integer);
  if (from.kind != ValueKind::kString || !Take(run, kTimeSteps * static_cast<std::int64_t>(from.size))) {
    return NoSuchOverload();
  }
  return TimestampFromText(from.view(), ++run.identities);
}

template <Dialect dialect>
Value ToDuration(RunContext& run, std::span<const Value> args) {
  const Value& from = args[0];
  if (from.kind == ValueKind::kDuration) return from;
  if (from.kind != ValueKind::kString || !Take(run, kTimeSteps * static_cast<std::int64_t>(from.size))) {
    return NoSuchOverload();
  }
  return DurationFromText(from.view(), dialect);
}

Value TypeOf(RunContext&, std::span<const Value> args) {
  return Value::Text(ValueKind::kType, KindName(args[0]));
}

Value Same(RunContext&, std::span<const Value> args) {
  return args[0];
}

constexpr Overload From(std::string_view name, NativeFunction call, TypeRef result, TypeRef argument,
                        CostRule cost = CostRule::kUnit) {
  return Global(name, call, cost, result, 1, argument);
}

constexpr Overload kOverloads[] = {
    From("type", TypeOf, &kTypeOfA, &kParameterA),
    From("dyn", Same, &kDynType, &kParameterA, CostRule::kDyn),
    From("bool", ToBool, &kBoolType, &kBoolType),
    From("bool", ToBool, &kBoolType, &kStringType),
    From("bytes", ToBytes, &kBytesType, &kBytesType),
    From("bytes", ToBytes, &kBytesType, &kStringType, CostRule::kToBytes),
    From("double", ToDouble, &kDoubleType, &kDoubleType),
    From("double", ToDouble, &kDoubleType, &kIntType),
    From("double", ToDouble, &kDoubleType, &kStringType),
    From("double", ToDouble, &kDoubleType, &kUintType),
    From("duration", ToDuration<Dialect::kKubernetes>, &kDurationType, &kDurationType),
    From("duration", ToDuration<Dialect::kKubernetes>, &kDurationType, &kStringType),
    From("int", ToInt, &kIntType, &kIntType),
    From("int", ToInt, &kIntType, &kDoubleType),
    From("int", ToInt, &kIntType, &kDurationType),
    From("int", ToInt, &kIntType, &kStringType),
    From("int", ToInt, &kIntType, &kTimestampType),
    From("int", ToInt, &kIntType, &kUintType),
    From("string", ToString, &kStringType, &kStringType),
    From("string", ToString, &kStringType, &kBoolType),
    From("string", ToString, &kStringType, &kBytesType, CostRule::kFromBytes),
    From("string", ToString, &kStringType, &kDoubleType),
    From("string", ToString, &kStringType, &kDurationType),
    From("string", ToString, &kStringType, &kIntType),
    From("string", ToString, &kStringType, &kTimestampType),
    From("string", ToString, &kStringType, &kUintType),
    From("timestamp", ToTimestamp, &kTimestampType, &kTimestampType),
    From("timestamp", ToTimestamp, &kTimestampType, &kIntType),
    From("timestamp", ToTimestamp, &kTimestampType, &kStringType),
    From("uint", ToUint, &kUintType, &kUintType),
    From("uint", ToUint, &kUintType, &kDoubleType),
    From("uint", ToUint, &kUintType, &kIntType),
    From("uint", ToUint, &kUintType, &kStringType),
};

constexpr auto kSpecification = [] {
  auto all = std::to_array(kOverloads);
  for (Overload& overload : all) {
    if (overload.name == "duration") overload.call = ToDuration<Dialect::kSpecification>;
  }
  return all;
}();

}  // namespace

std::span<const Overload> ConversionsOverloads(Dialect dialect) {
  if (dialect == Dialect::kSpecification) return kSpecification;
  return kOverloads;
}

std::optional<double> ParseDouble(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (EqualsIgnoringCase(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (EqualsIgnoringCase(text, "inf") || EqualsIgnoringCase(text, "infinity")) return negative ? -kInfinity : kInfinity;
  const std::optional<PlainNumber> number = ReadNumber(text);
  if (!number) return std::nullopt;
  // Unlike from_chars it tells numbers that are too small from those that are too large.
  const std::string written = (number->hexadecimal ? "0x" : "") + number->digits;
  const double value = std::strtod(written.c_str(), nullptr);
  if (std::isinf(value)) return std::nullopt;
  return negative ? -value : value;
}

}  // namespace kumiko::cel
