#include "cel/library/optionals.h"

#include "cel/device_access.h"
#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

constexpr Type kOptionalOfListOfA{TypeKind::kOptional, &kListOfA};
constexpr Type kOptionalOfMapOfAToB{TypeKind::kOptional, &kMapOfAToB};
constexpr Type kOptionalOfB{TypeKind::kOptional, &kParameterB};

bool IsZeroValue(RunContext& run, const Value& value) {
  if (value.kind == ValueKind::kNull) return true;
  if (value.kind == ValueKind::kBool) return !value.boolean;
  if (value.kind == ValueKind::kInt || value.kind == ValueKind::kDuration) {
    return value.integer == 0 && value.offset == 0;
  }
  if (value.kind == ValueKind::kUint) return value.natural == 0;
  if (value.kind == ValueKind::kDouble) return value.real == 0;
  if (value.kind == ValueKind::kString || value.kind == ValueKind::kBytes || value.kind == ValueKind::kList) {
    return value.size == 0;
  }
  // The zero of the reference's time is the first second of year 1.
  if (value.kind == ValueKind::kTimestamp) return value.integer == -62'135'596'800 && value.nanos() == 0;
  return IsMap(value) && MapSize(run, value) == 0;
}

Value None(RunContext&, std::span<const Value>) {
  return Value::Optional(nullptr);
}
Value Of(RunContext& run, std::span<const Value> args) {
  return Value::Optional(run.arena.Box(args[0]));
}
Value OfNonZeroValue(RunContext& run, std::span<const Value> args) {
  return Value::Optional(IsZeroValue(run, args[0]) ? nullptr : run.arena.Box(args[0]));
}
Value HasValue(RunContext&, std::span<const Value> args) {
  return args[0].kind == ValueKind::kOptional ? Value::Bool(args[0].items != nullptr) : NoSuchOverload();
}
Value ValueOf(RunContext&, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kOptional) return NoSuchOverload();
  return args[0].items != nullptr ? *args[0].items : Value::Error("optional.none() dereference");
}
Value Or(RunContext&, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kOptional) return NoSuchOverload();
  return args[0].items != nullptr ? args[0] : args[1];
}
Value OrValue(RunContext&, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kOptional) return NoSuchOverload();
  return args[0].items != nullptr ? *args[0].items : args[1];
}

Value First(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kList) return NoSuchOverload();
  return Value::Optional(args[0].size == 0 ? nullptr : run.arena.Box(args[0].items[0]));
}
Value Last(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kList) return NoSuchOverload();
  return Value::Optional(args[0].size == 0 ? nullptr : run.arena.Box(args[0].items[args[0].size - 1]));
}

Value Unwrap(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kList) return NoSuchOverload();
  // The first item tells the type of the list.
  if (args[0].size > 0 && args[0].items[0].kind != ValueKind::kOptional) return NoSuchOverload();
  run.budget -= static_cast<std::int64_t>(args[0].size);
  Value* items = run.arena.Values(args[0].size);
  std::size_t count = 0;
  for (const Value& item : args[0].list()) {
    if (item.kind != ValueKind::kOptional) {
      return run.arena.Error("value " + Describe(item) + " is not optional");
    }
    if (item.items != nullptr) items[count++] = *item.items;
  }
  return Value::List(items, count);
}

constexpr Overload kOverloads[] = {
    Global("optional.of", Of, CostRule::kUnit, &kOptionalOfA, 1, &kParameterA),
    Global("optional.ofNonZeroValue", OfNonZeroValue, CostRule::kUnit, &kOptionalOfA, 1, &kParameterA),
    Global("optional.none", None, CostRule::kUnit, &kOptionalOfA),
    Member("value", ValueOf, CostRule::kUnit, &kParameterA, 1, &kOptionalOfA),
    Member("hasValue", HasValue, CostRule::kUnit, &kBoolType, 1, &kOptionalOfA),
    Member("or", Or, CostRule::kUnit, &kOptionalOfA, 2, &kOptionalOfA, &kOptionalOfA),
    Member("orValue", OrValue, CostRule::kUnit, &kParameterA, 2, &kOptionalOfA, &kParameterA),
    Member("first", First, CostRule::kUnit, &kOptionalOfA, 1, &kListOfA),
    Member("last", Last, CostRule::kUnit, &kOptionalOfA, 1, &kListOfA),
    Global("optional.unwrap", Unwrap, CostRule::kUnit, &kListOfA, 1, &kListOfOptionalOfA),
    Member("unwrapOpt", Unwrap, CostRule::kUnit, &kListOfA, 1, &kListOfOptionalOfA),
    Global("_[?_]", nullptr, CostRule::kUnit, &kOptionalOfA, 2, &kListOfA, &kIntType),
    Global("_[?_]", nullptr, CostRule::kUnit, &kOptionalOfA, 2, &kOptionalOfListOfA, &kIntType),
    Global("_[?_]", nullptr, CostRule::kUnit, &kOptionalOfB, 2, &kMapOfAToB, &kParameterA),
    Global("_[?_]", nullptr, CostRule::kUnit, &kOptionalOfB, 2, &kOptionalOfMapOfAToB, &kParameterA),
    Global("_[_]", nullptr, CostRule::kUnit, &kOptionalOfA, 2, &kOptionalOfListOfA, &kIntType),
    Global("_[_]", nullptr, CostRule::kUnit, &kOptionalOfB, 2, &kOptionalOfMapOfAToB, &kParameterA),
};

}  // namespace

const Value& Held(const Value& value) {
  return value.kind == ValueKind::kOptional && value.items != nullptr ? Held(*value.items) : value;
}

std::span<const Overload> OptionalsOverloads() {
  return kOverloads;
}

}  // namespace kumiko::cel
