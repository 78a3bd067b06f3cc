#include "cel/functions.h"

#include <fmt/core.h>

#include "cel/utf8.h"

namespace kumiko::cel {
namespace {

Value EqualityOf(RunContext& run, const Value& a, const Value& b, bool wanted) {
  const std::optional<bool> same = Equal(a, b, run.budget);
  // What cannot be compared is not equal, but asking for equality is an error.
  if (!same) return wanted ? NoSuchOverload() : Value::Bool(true);
  return Value::Bool(*same == wanted);
}

Value In(RunContext& run, const Value& item, const Value& container) {
  if (container.kind == ValueKind::kList) {
    for (std::size_t i = 0; i < container.size; ++i) {
      const std::optional<bool> same = Equal(item, container.items[i], run.budget);
      if (same && *same) return Value::Bool(true);
    }
    return Value::Bool(false);
  }
  if (container.kind == ValueKind::kMap) return Value::Bool(FindKey(container, item) != nullptr);
  if (item.kind != ValueKind::kString) return IsMap(container) ? Value::Bool(false) : NoSuchOverload();
  if (container.kind == ValueKind::kDomains) return Value::Bool(HasDomain(run, container.capacity, item.view()));
  if (container.kind == ValueKind::kDomain) {
    return Value::Bool(HasEntry(run, container.capacity, container.view(), item.view()));
  }
  return NoSuchOverload();
}

Value Size(RunContext& run, const Value& value) {
  if (value.kind == ValueKind::kString) return Value::Int(static_cast<std::int64_t>(CodePointCount(value.view())));
  if (value.kind == ValueKind::kBytes || value.kind == ValueKind::kList || value.kind == ValueKind::kMap) {
    return Value::Int(static_cast<std::int64_t>(value.size));
  }
  if (IsMap(value)) return Value::Int(static_cast<std::int64_t>(Keys(run, value).size));
  return NoSuchOverload();
}

bool IsZeroValue(const Value& value) {
  switch (value.kind) {
    case ValueKind::kNull:
      return true;
    case ValueKind::kBool:
      return !value.boolean;
    case ValueKind::kInt:
      return value.integer == 0;
    case ValueKind::kUint:
      return value.natural == 0;
    case ValueKind::kDouble:
      return value.real == 0;
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kList:
    case ValueKind::kMap:
      return value.size == 0;
    case ValueKind::kOptional:
      return value.items == nullptr;
    case ValueKind::kType:
    case ValueKind::kQuantity:
    case ValueKind::kSemver:
    case ValueKind::kDevice:
    case ValueKind::kDomains:
    case ValueKind::kDomain:
    case ValueKind::kError:
      return false;
  }
  return false;
}

Value CallOptional(RunContext& run, Function function, std::span<const Value> args) {
  if (function == Function::kOptionalNone) return Value::Optional(nullptr);
  if (function == Function::kOptionalOf) return Value::Optional(run.arena.Box(args[0]));
  if (function == Function::kOptionalOfNonZero) {
    return Value::Optional(IsZeroValue(args[0]) ? nullptr : run.arena.Box(args[0]));
  }
  if (args[0].kind != ValueKind::kOptional) return NoSuchOverload();
  const Value* inner = args[0].items;
  if (function == Function::kHasValue) return Value::Bool(inner != nullptr);
  if (function == Function::kValue) return inner != nullptr ? *inner : Value::Error("optional.none() dereference");
  if (function == Function::kOrValue) return inner != nullptr ? *inner : args[1];
  if (args[1].kind != ValueKind::kOptional) return NoSuchOverload();
  return inner != nullptr ? args[0] : args[1];
}

Value Includes(RunContext& run, const Value& list, const Value& item) {
  if (list.kind == ValueKind::kList) return In(run, item, list);
  const std::optional<bool> same = Equal(list, item, run.budget);
  return Value::Bool(same && *same);
}

}  // namespace

Value NoSuchOverload() {
  return Value::Error("no such overload");
}
Value NoSuchKey(RunContext& run, const Value& key) {
  return run.arena.Error("no such key: " + Describe(key));
}

Value CallFunction(RunContext& run, Function function, std::span<const Value> args) {
  for (const Value& arg : args) {
    if (arg.IsError()) return arg;
  }
  switch (function) {
    case Function::kNone:
      return NoSuchOverload();
    case Function::kNot:
      return args[0].kind == ValueKind::kBool ? Value::Bool(!args[0].boolean) : NoSuchOverload();
    case Function::kEqual:
      return EqualityOf(run, args[0], args[1], true);
    case Function::kNotEqual:
      return EqualityOf(run, args[0], args[1], false);
    case Function::kIn:
      return In(run, args[0], args[1]);
    case Function::kSize:
      return Size(run, args[0]);
    case Function::kIncludes:
      return Includes(run, args[0], args[1]);
    case Function::kTypeOf:
      return Value::Text(ValueKind::kType, KindName(args[0]));
    case Function::kToDyn:
      return args[0];
    case Function::kOptionalOf:
    case Function::kOptionalOfNonZero:
    case Function::kOptionalNone:
    case Function::kHasValue:
    case Function::kValue:
    case Function::kOr:
    case Function::kOrValue:
      return CallOptional(run, function, args);
    case Function::kNegate:
    case Function::kAdd:
    case Function::kSubtract:
    case Function::kMultiply:
    case Function::kDivide:
    case Function::kModulo:
    case Function::kLess:
    case Function::kLessEqual:
    case Function::kGreater:
    case Function::kGreaterEqual:
      return CallArithmetic(run, function, args);
    case Function::kToInt:
    case Function::kToUint:
    case Function::kToDouble:
    case Function::kToString:
    case Function::kToBool:
    case Function::kToBytes:
      return CallConversion(run, function, args);
    case Function::kContains:
    case Function::kStartsWith:
    case Function::kEndsWith:
    case Function::kMatches:
    case Function::kCharAt:
    case Function::kIndexOf:
    case Function::kLastIndexOf:
    case Function::kLowerAscii:
    case Function::kUpperAscii:
    case Function::kReplace:
    case Function::kSplit:
    case Function::kSubstring:
    case Function::kTrim:
    case Function::kJoin:
      return CallStrings(run, function, args);
    case Function::kIndex:  // an instruction of its own
      return NoSuchOverload();
    case Function::kQuantity:
    case Function::kIsQuantity:
    case Function::kIsInteger:
    case Function::kAsInteger:
    case Function::kAsApproximateFloat:
    case Function::kSign:
    case Function::kQuantityAdd:
    case Function::kQuantitySub:
    case Function::kCompareTo:
    case Function::kIsGreaterThan:
    case Function::kIsLessThan:
    case Function::kSemver:
    case Function::kIsSemver:
    case Function::kMajor:
    case Function::kMinor:
    case Function::kPatch:
      return CallKubernetes(run, function, args);
  }
  return NoSuchOverload();
}

std::string Describe(const Value& value) {
  if (value.kind == ValueKind::kBool) return value.boolean ? "true" : "false";
  if (value.kind == ValueKind::kInt) return std::to_string(value.integer);
  if (value.kind == ValueKind::kUint) return std::to_string(value.natural);
  if (value.kind == ValueKind::kDouble) return FormatDouble(value.real);
  if (value.kind == ValueKind::kString) return std::string(value.view());
  if (value.kind == ValueKind::kQuantity) return value.quantity->ToString();
  if (value.kind == ValueKind::kSemver) return value.semver->ToString();
  return std::string(KindName(value));
}

}  // namespace kumiko::cel
