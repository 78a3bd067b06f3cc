#include "cel/qualify.h"

#include <cmath>
#include <limits>
#include <string>

#include "cel/device_access.h"

namespace kumiko::cel {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;

// The index of a list that the key stands for; nullopt and an error when it stands for none.
std::optional<std::int64_t> IndexOf(RunContext& run, const Value& key, Value& error) {
  if (key.kind == ValueKind::kInt) return key.integer;
  if (key.kind == ValueKind::kUint && key.natural <= std::numeric_limits<std::int64_t>::max()) {
    return static_cast<std::int64_t>(key.natural);
  }
  if (key.kind == ValueKind::kDouble && key.real >= -kTwoTo63 && key.real < kTwoTo63 &&
      key.real == std::trunc(key.real)) {
    return static_cast<std::int64_t>(key.real);
  }
  error = key.IsNumber() ? run.arena.Error("unsupported index value " + Describe(key) + " in list")
                         : run.arena.Error("unsupported index type '" + std::string(KindName(key)) + "' in list");
  return std::nullopt;
}

}  // namespace

bool IsQualifier(const Value& key) {
  return key.kind == ValueKind::kString || key.IsNumber() || key.kind == ValueKind::kBool;
}

Value InvalidQualifier(RunContext& run, const Value& key) {
  return run.arena.Error("invalid qualifier type: " + std::string(GoTypeName(key)));
}

std::optional<Value> Qualify(RunContext& run, const Value& operand, const Value& key, bool optional) {
  if (!IsQualifier(key)) return InvalidQualifier(run, key);
  if (IsMap(operand)) {
    std::optional<Value> found = Lookup(run, operand, key);
    if (found || optional) return found;
  } else if (operand.kind == ValueKind::kList) {
    Value error;
    const std::optional<std::int64_t> index = IndexOf(run, key, error);
    if (!index) return error;
    if (*index >= 0 && static_cast<std::uint64_t>(*index) < operand.size) return operand.items[*index];
    if (optional) return std::nullopt;
    return run.arena.Error("index out of bounds: " + Describe(key));
  }
  // A scalar has no fields: the message is that of a missing one.
  return optional ? std::nullopt : std::optional(NoSuchKey(run, key));
}

Value TestField(RunContext& run, const Value& operand, const Value& name) {
  // Unlike `in`, it takes every domain to be there.
  if (operand.kind == ValueKind::kDomains) return Value::Bool(true);
  if (IsMap(operand)) return Value::Bool(HasKey(run, operand, name));
  if (operand.kind != ValueKind::kList) return Value::Bool(false);
  Value error;
  IndexOf(run, name, error);
  return error;
}

std::string_view GoTypeName(const Value& value) {
  switch (value.kind) {
    case ValueKind::kNull:
      return "types.Null";
    case ValueKind::kBool:
      return "types.Bool";
    case ValueKind::kInt:
      return "types.Int";
    case ValueKind::kUint:
      return "types.Uint";
    case ValueKind::kDouble:
      return "types.Double";
    case ValueKind::kString:
      return "types.String";
    case ValueKind::kBytes:
      return "types.Bytes";
    case ValueKind::kTimestamp:
      return "types.Timestamp";
    case ValueKind::kDuration:
      return "types.Duration";
    case ValueKind::kList:
      return "*types.baseList";
    case ValueKind::kMap:
    case ValueKind::kDomain:
    case ValueKind::kDevice:
      return "*types.baseMap";
    case ValueKind::kDomains:
      return "cel.mapper";
    case ValueKind::kOptional:
      return "*types.Optional";
    case ValueKind::kType:
      return "*types.Type";
    case ValueKind::kQuantity:
      return value.offset == 0 ? "cel.Quantity" : "*cel.Quantity";
    case ValueKind::kSemver:
      return "cel.Semver";
    case ValueKind::kIp:
      return "cel.IP";
    case ValueKind::kCidr:
      return "cel.CIDR";
    case ValueKind::kUrl:
      return "cel.URL";
    case ValueKind::kNamedFormat:
      return "cel.Format";
    case ValueKind::kError:
      return "*types.Err";
  }
  return "";
}

}  // namespace kumiko::cel
