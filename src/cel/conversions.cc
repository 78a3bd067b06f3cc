// Conversions between numbers, text and bool: int("7"), string(1.5), bool("true").
#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

#include "cel/functions.h"
#include "cel/utf8.h"

namespace kumiko::cel {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

Value BadConversion(RunContext& run, const Value& from, std::string_view to) {
  return run.arena.Error(fmt::format("type conversion error from '{}' to '{}'", KindName(from), to));
}

// Decimal with an optional sign, whole text.
template <class Number>
std::optional<Number> ParseNumber(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) return std::nullopt;
  }
  Number value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

Value ToInt(RunContext& run, const Value& from) {
  if (from.kind == ValueKind::kInt) return from;
  if (from.kind == ValueKind::kUint) {
    if (from.natural >= static_cast<std::uint64_t>(kTwoTo63)) return Value::Error("integer overflow");
    return Value::Int(static_cast<std::int64_t>(from.natural));
  }
  if (from.kind == ValueKind::kDouble) {
    // The bounds themselves are refused: they may stand for a number beyond.
    if (!(from.real > -kTwoTo63 && from.real < kTwoTo63)) return Value::Error("integer overflow");
    return Value::Int(static_cast<std::int64_t>(from.real));
  }
  if (from.kind != ValueKind::kString) return NoSuchOverload();
  const auto parsed = ParseNumber<std::int64_t>(from.view());
  return parsed ? Value::Int(*parsed) : BadConversion(run, from, "int");
}

Value ToUint(RunContext& run, const Value& from) {
  if (from.kind == ValueKind::kUint) return from;
  if (from.kind == ValueKind::kInt) {
    if (from.integer < 0) return Value::Error("unsigned integer overflow");
    return Value::Uint(static_cast<std::uint64_t>(from.integer));
  }
  if (from.kind == ValueKind::kDouble) {
    if (!(from.real > -1.0 && from.real < kTwoTo64) || from.real < 0) return Value::Error("unsigned integer overflow");
    return Value::Uint(static_cast<std::uint64_t>(from.real));
  }
  if (from.kind != ValueKind::kString) return NoSuchOverload();
  const auto parsed = from.view().starts_with('+') ? std::nullopt : ParseNumber<std::uint64_t>(from.view());
  return parsed ? Value::Uint(*parsed) : BadConversion(run, from, "uint");
}

Value ToDouble(RunContext& run, const Value& from) {
  if (from.kind == ValueKind::kDouble) return from;
  if (from.kind == ValueKind::kInt) return Value::Double(static_cast<double>(from.integer));
  if (from.kind == ValueKind::kUint) return Value::Double(static_cast<double>(from.natural));
  if (from.kind != ValueKind::kString) return NoSuchOverload();
  const auto parsed = ParseNumber<double>(from.view());
  return parsed ? Value::Double(*parsed) : BadConversion(run, from, "double");
}

Value ToBool(RunContext& run, const Value& from) {
  static constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "True", "TRUE"};
  static constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "false", "False", "FALSE"};
  if (from.kind == ValueKind::kBool) return from;
  if (from.kind != ValueKind::kString) return NoSuchOverload();
  for (std::size_t i = 0; i < kTrue.size(); ++i) {
    if (from.view() == kTrue[i]) return Value::Bool(true);
    if (from.view() == kFalse[i]) return Value::Bool(false);
  }
  return BadConversion(run, from, "bool");
}

Value ToString(RunContext& run, const Value& from) {
  if (from.kind == ValueKind::kString) return from;
  if (from.kind == ValueKind::kBytes) {
    return IsValidUtf8(from.view()) ? Value::String(from.view())
                                    : Value::Error("invalid UTF-8 in bytes, cannot convert to string");
  }
  if (from.kind == ValueKind::kBool || from.IsNumber()) return Value::String(run.arena.Text(Describe(from)));
  return NoSuchOverload();
}

}  // namespace

// Shortest form that reads back; an exponent of at least two digits below -4 and above 5.
std::string FormatDouble(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 64> buffer = {};
  const auto scientific =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string text(buffer.data(), scientific.ptr);
  const int exponent = std::stoi(text.substr(text.find('e') + 1));
  if (exponent < -4 || exponent > 5) return text;
  const auto fixed = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  return {buffer.data(), fixed.ptr};
}

Value CallConversion(RunContext& run, Function function, std::span<const Value> args) {
  const Value& from = args[0];
  if (function == Function::kToInt) return ToInt(run, from);
  if (function == Function::kToUint) return ToUint(run, from);
  if (function == Function::kToDouble) return ToDouble(run, from);
  if (function == Function::kToBool) return ToBool(run, from);
  if (function == Function::kToString) return ToString(run, from);
  if (function == Function::kToBytes && (from.kind == ValueKind::kString || from.kind == ValueKind::kBytes)) {
    return Value::Text(ValueKind::kBytes, from.view());
  }
  return NoSuchOverload();
}

}  // namespace kumiko::cel
