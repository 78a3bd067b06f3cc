// Kubernetes' functions on lists; those of CEL's extension are in extended_lists.cc.
#include "cel/library/lists.h"

#include "cel/library/sorting.h"
#include "cel/library/time.h"
#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

constexpr std::int64_t kItemSteps = 2;

// Overloads differ only in the type of the items. As in the reference the first item decides whether one is meant.
bool IsListOf(const Value& value, ValueKind kind) {
  return value.kind == ValueKind::kList && (value.size == 0 || value.items[0].kind == kind);
}

// Negative, 0 or positive; 0 for items of kinds that do not compare, which these functions pass over.
int Order(const Value& a, const Value& b) {
  bool ordered = true;
  return Compare(a, b, ordered).value_or(0);
}

template <ValueKind kind>
Value IsSorted(RunContext& run, std::span<const Value> args) {
  if (!IsListOf(args[0], kind)) return NoSuchOverload();
  const Value* previous = nullptr;
  for (const Value& item : args[0].list()) {
    if (!Take(run, kItemSteps + ReadingSteps(item))) break;
    if (!HasOrder(item.kind)) return WrongInside();
    if (previous != nullptr && Order(*previous, item) > 0) return Value::Bool(false);
    previous = &item;
  }
  return Value::Bool(true);
}

enum class Pick { kMin, kMax };

template <ValueKind kind, Pick pick>
Value Extreme(RunContext& run, std::span<const Value> args) {
  if (!IsListOf(args[0], kind)) return NoSuchOverload();
  const Value* best = nullptr;
  for (const Value& item : args[0].list()) {
    if (!Take(run, kItemSteps + ReadingSteps(item))) break;
    if (!HasOrder(item.kind)) return WrongInside();
    if (best == nullptr) {
      best = &item;
      continue;
    }
    const int order = Order(*best, item);
    if (pick == Pick::kMin ? order > 0 : order < 0) best = &item;
  }
  if (best != nullptr) return *best;
  return Value::Error(pick == Pick::kMin ? "min called on empty list" : "max called on empty list");
}

Value Zero(ValueKind kind) {
  if (kind == ValueKind::kInt) return Value::Int(0);
  if (kind == ValueKind::kUint) return Value::Uint(0);
  return kind == ValueKind::kDouble ? Value::Double(0) : Value::Duration(0);
}

Value Plus(const Value& sum, const Value& item) {
  if (sum.kind != item.kind || sum.kind == ValueKind::kDuration || sum.kind == ValueKind::kTimestamp) {
    // A timestamp among durations makes the sum a timestamp.
    const Value time = AddTimes(sum, item);
    return IsNoSuchOverload(time) ? WrongInside() : time;
  }
  if (sum.kind == ValueKind::kDouble) return Value::Double(sum.real + item.real);
  if (sum.kind == ValueKind::kUint) {
    std::uint64_t natural = 0;
    const bool overflows = __builtin_add_overflow(sum.natural, item.natural, &natural);
    return overflows ? Value::Error("unsigned integer overflow") : Value::Uint(natural);
  }
  std::int64_t integer = 0;
  const bool overflows = __builtin_add_overflow(sum.integer, item.integer, &integer);
  return overflows ? Value::Error("integer overflow") : Value::Int(integer);
}

template <ValueKind kind>
Value Sum(RunContext& run, std::span<const Value> args) {
  if (!IsListOf(args[0], kind)) return NoSuchOverload();
  Value sum = Zero(kind);
  for (const Value& item : args[0].list()) {
    if (!Take(run, kItemSteps + ReadingSteps(item))) break;
    sum = Plus(sum, item);
    if (sum.IsError()) break;
  }
  return sum;
}

Value IndexOf(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kList) return NoSuchOverload();
  for (std::size_t i = 0; i < args[0].size && run.budget >= 0; ++i) {
    if (Equal(args[0].items[i], args[1], run.budget) == true) return Value::Int(static_cast<std::int64_t>(i));
  }
  return Value::Int(-1);
}

Value LastIndexOf(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kList) return NoSuchOverload();
  for (std::size_t i = args[0].size; i-- > 0 && run.budget >= 0;) {
    if (Equal(args[0].items[i], args[1], run.budget) == true) return Value::Int(static_cast<std::int64_t>(i));
  }
  return Value::Int(-1);
}

Value Includes(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kList) return Value::Bool(Equal(args[0], args[1], run.budget) == true);
  for (const Value& item : args[0].list()) {
    if (run.budget < 0) break;
    if (Equal(item, args[1], run.budget) == true) return Value::Bool(true);
  }
  return Value::Bool(false);
}

constexpr Overload OnList(std::string_view name, NativeFunction call, TypeRef result, TypeRef list) {
  return Member(name, call, CostRule::kListScan, result, 1, list);
}

constexpr Overload kKubernetesOverloads[] = {
    OnList("isSorted", IsSorted<ValueKind::kInt>, &kBoolType, &kListOfInt),
    OnList("isSorted", IsSorted<ValueKind::kUint>, &kBoolType, &kListOfUint),
    OnList("isSorted", IsSorted<ValueKind::kDouble>, &kBoolType, &kListOfDouble),
    OnList("isSorted", IsSorted<ValueKind::kBool>, &kBoolType, &kListOfBool),
    OnList("isSorted", IsSorted<ValueKind::kDuration>, &kBoolType, &kListOfDuration),
    OnList("isSorted", IsSorted<ValueKind::kTimestamp>, &kBoolType, &kListOfTimestamp),
    OnList("isSorted", IsSorted<ValueKind::kString>, &kBoolType, &kListOfString),
    OnList("isSorted", IsSorted<ValueKind::kBytes>, &kBoolType, &kListOfBytes),
    OnList("sum", Sum<ValueKind::kInt>, &kIntType, &kListOfInt),
    OnList("sum", Sum<ValueKind::kUint>, &kUintType, &kListOfUint),
    OnList("sum", Sum<ValueKind::kDouble>, &kDoubleType, &kListOfDouble),
    OnList("sum", Sum<ValueKind::kDuration>, &kDurationType, &kListOfDuration),
    OnList("max", Extreme<ValueKind::kInt, Pick::kMax>, &kIntType, &kListOfInt),
    OnList("max", Extreme<ValueKind::kUint, Pick::kMax>, &kUintType, &kListOfUint),
    OnList("max", Extreme<ValueKind::kDouble, Pick::kMax>, &kDoubleType, &kListOfDouble),
    OnList("max", Extreme<ValueKind::kBool, Pick::kMax>, &kBoolType, &kListOfBool),
    OnList("max", Extreme<ValueKind::kDuration, Pick::kMax>, &kDurationType, &kListOfDuration),
    OnList("max", Extreme<ValueKind::kTimestamp, Pick::kMax>, &kTimestampType, &kListOfTimestamp),
    OnList("max", Extreme<ValueKind::kString, Pick::kMax>, &kStringType, &kListOfString),
    OnList("max", Extreme<ValueKind::kBytes, Pick::kMax>, &kBytesType, &kListOfBytes),
    OnList("min", Extreme<ValueKind::kInt, Pick::kMin>, &kIntType, &kListOfInt),
    OnList("min", Extreme<ValueKind::kUint, Pick::kMin>, &kUintType, &kListOfUint),
    OnList("min", Extreme<ValueKind::kDouble, Pick::kMin>, &kDoubleType, &kListOfDouble),
    OnList("min", Extreme<ValueKind::kBool, Pick::kMin>, &kBoolType, &kListOfBool),
    OnList("min", Extreme<ValueKind::kDuration, Pick::kMin>, &kDurationType, &kListOfDuration),
    OnList("min", Extreme<ValueKind::kTimestamp, Pick::kMin>, &kTimestampType, &kListOfTimestamp),
    OnList("min", Extreme<ValueKind::kString, Pick::kMin>, &kStringType, &kListOfString),
    OnList("min", Extreme<ValueKind::kBytes, Pick::kMin>, &kBytesType, &kListOfBytes),
    Member("indexOf", IndexOf, CostRule::kListScan, &kIntType, 2, &kListOfA, &kParameterA),
    Member("lastIndexOf", LastIndexOf, CostRule::kListScan, &kIntType, 2, &kListOfA, &kParameterA),
};

constexpr Overload kIncludesOverloads[] = {
    Member("includes", Includes, CostRule::kListScan, &kBoolType, 2, &kDynType, &kDynType),
};

}  // namespace

std::span<const Overload> KubernetesListsOverloads() {
  return kKubernetesOverloads;
}

std::span<const Overload> IncludesOverloads() {
  return kIncludesOverloads;
}

}  // namespace kumiko::cel
