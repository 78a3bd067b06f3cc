#include "cel/run_context.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

#include "cel/library/ip.h"
#include "cel/library/named_formats.h"
#include "cel/library/url.h"

namespace kumiko::cel {

namespace {

// Two objects, so that the two answers can be told apart.
constexpr char kNoSuchOverload[] = "no such overload";
constexpr char kWrongInside[] = "no such overload";

}  // namespace

Value NoSuchOverload() {
  return Value::Error(kNoSuchOverload);
}

Value WrongInside() {
  return Value::Error(kWrongInside);
}

bool IsNoSuchOverload(const Value& value) {
  return value.IsError() && value.text == kNoSuchOverload;
}

Value NoSuchKey(RunContext& run, const Value& key) {
  return run.arena.Error("no such key: " + Describe(key));
}

std::string FormatDouble(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 64> buffer = {};
  const auto scientific =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(scientific.ptr - buffer.data()));
  const std::string_view exponent_text = text.substr(text.find('e') + 1);
  int exponent = 0;
  std::from_chars(exponent_text.data() + (exponent_text.starts_with('+') ? 1 : 0),
                  exponent_text.data() + exponent_text.size(), exponent);
  if (exponent < -4 || exponent > 5) return std::string(text);
  const auto fixed = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  return {buffer.data(), fixed.ptr};
}

std::string Describe(const Value& value) {
  switch (value.kind) {
    case ValueKind::kBool:
      return value.boolean ? "true" : "false";
    case ValueKind::kInt:
      return std::to_string(value.integer);
    case ValueKind::kUint:
      return std::to_string(value.natural);
    case ValueKind::kDouble:
      return FormatDouble(value.real);
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kType:
    case ValueKind::kError:
      return std::string(value.view());
    case ValueKind::kQuantity:
      return value.quantity->ToString();
    case ValueKind::kSemver:
      return value.semver->ToString();
    case ValueKind::kIp:
      return ToString(*value.ip);
    case ValueKind::kCidr:
      return ToString(*value.cidr);
    case ValueKind::kUrl:
      return value.url->text;
    case ValueKind::kNamedFormat:
      return std::string(value.format->name);
    case ValueKind::kNull:
      return "null";
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
    case ValueKind::kList:
    case ValueKind::kMap:
    case ValueKind::kOptional:
    case ValueKind::kDevice:
    case ValueKind::kDomains:
    case ValueKind::kDomain:
      return std::string(KindName(value));
  }
  return "";
}

}  // namespace kumiko::cel
