#include "cel/struct_literal.h"

#include <limits>
#include <optional>

#include "cel/library/time.h"

namespace kumiko::cel {
namespace {

constexpr std::int64_t kNanosInSecond = 1'000'000'000;

std::optional<Value> Field(const StructLiteral& literal, std::span<const Value> values, std::string_view name) {
  std::optional<Value> found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool left_out = values[i].kind == ValueKind::kOptional && values[i].items == nullptr;
    if (literal.fields[i] == name && !left_out) found = values[i];
  }
  return found;
}

Value ZeroOf(TypeKind kind) {
  if (kind == TypeKind::kBool) return Value::Bool(false);
  if (kind == TypeKind::kInt) return Value::Int(0);
  if (kind == TypeKind::kUint) return Value::Uint(0);
  if (kind == TypeKind::kDouble) return Value::Double(0);
  return kind == TypeKind::kBytes ? Value::Text(ValueKind::kBytes, "") : Value::String("");
}

// Some wrappers hold less than the scalar they are checked as.
Value Narrow(std::string_view name, const Value& value) {
  if (name.ends_with("UInt32Value") && value.natural > std::numeric_limits<std::uint32_t>::max()) {
    return Value::Error(
        "field type conversion error for google.protobuf.UInt32Value.value value type: unsigned integer overflow");
  }
  if (name.ends_with(".Int32Value") && (value.integer > std::numeric_limits<std::int32_t>::max() ||
                                        value.integer < std::numeric_limits<std::int32_t>::min())) {
    return Value::Error(
        "field type conversion error for google.protobuf.Int32Value.value value type: integer overflow");
  }
  if (name.ends_with("FloatValue")) return Value::Double(static_cast<double>(static_cast<float>(value.real)));
  return value;
}

Value MakeTime(const Type& type, std::int64_t seconds, std::int64_t nanos, Dialect dialect) {
  if (type.kind == TypeKind::kTimestamp) {
    seconds += nanos / kNanosInSecond - (nanos % kNanosInSecond < 0 ? 1 : 0);
    nanos = (nanos % kNanosInSecond + kNanosInSecond) % kNanosInSecond;
    return Value::Timestamp(seconds, static_cast<std::int32_t>(nanos));
  }
  return DurationFromParts(seconds, nanos, dialect);
}

Value FieldMap(RunContext& run, const StructLiteral& literal, std::span<const Value> values) {
  Value* pairs = run.arena.Values(2 * values.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].kind == ValueKind::kOptional && values[i].items == nullptr) continue;
    pairs[2 * count] = Value::String(literal.fields[i]);
    pairs[2 * count + 1] = values[i];
    ++count;
  }
  return MakeMap(pairs, count);
}

}  // namespace

Value MakeStruct(RunContext& run, const StructLiteral& literal, std::span<const Value> values) {
  const Type& type = *literal.type;
  const auto integer = [&](std::string_view name) {
    const auto field = Field(literal, values, name);
    return field && field->kind == ValueKind::kInt ? field->integer : 0;
  };
  if (type.kind == TypeKind::kWrapper) {
    const auto value = Field(literal, values, "value");
    return value && value->kind != ValueKind::kNull ? Narrow(literal.name, *value) : ZeroOf(type.first->kind);
  }
  if (type.kind == TypeKind::kTimestamp || type.kind == TypeKind::kDuration) {
    return MakeTime(type, integer("seconds"), integer("nanos"), literal.dialect);
  }
  if (type.kind == TypeKind::kMap) return Field(literal, values, "fields").value_or(Value::Map(run.arena.Values(0), 0));
  if (type.kind == TypeKind::kList)
    return Field(literal, values, "values").value_or(Value::List(run.arena.Values(0), 0));
  if (type.kind == TypeKind::kDyn) {
    if (Field(literal, values, "null_value")) return Value::Null();
    for (const std::string_view name : {"number_value", "string_value", "bool_value", "struct_value", "list_value"}) {
      if (const auto value = Field(literal, values, name)) return *value;
    }
    return Value::Null();
  }
  if (type.kind == TypeKind::kObject && literal.is_map) return FieldMap(run, literal, values);
  if (type.kind == TypeKind::kAny) return Value::Error("conversion error: got Any with empty type-url");
  return run.arena.Error("unknown type: " + literal.name);
}

}  // namespace kumiko::cel
