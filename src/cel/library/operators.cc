#include "cel/library/operators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "cel/device_access.h"
#include "cel/library/time.h"
#include "cel/run_context.h"
#include "cel/utf8.h"

namespace kumiko::cel {
namespace {

// Budget that copying one item of a list takes: more than a step, for the copies stay until the run ends.
constexpr std::int64_t kCopyCost = 6;

enum class Operator { kAdd, kSubtract, kMultiply, kDivide, kModulo };
enum class Relation { kLess, kLessEqual, kGreater, kGreaterEqual };

// Text, timestamps and durations have methods, and say so little when they are asked for an operator they lack.
bool HasMethods(const Value& value) {
  return value.kind == ValueKind::kString || value.kind == ValueKind::kTimestamp || value.kind == ValueKind::kDuration;
}
Value Lacks(const Value& operand, std::string_view message) {
  return HasMethods(operand) ? NoSuchOverload() : Value::Error(message);
}

template <class T>
bool Overflows(Operator op, T a, T b, T& result) {
  if (op == Operator::kAdd) return __builtin_add_overflow(a, b, &result);
  if (op == Operator::kSubtract) return __builtin_sub_overflow(a, b, &result);
  return __builtin_mul_overflow(a, b, &result);
}

template <class T>
bool Quotient(Operator op, T a, T b, T& result) {
  if constexpr (std::numeric_limits<T>::is_signed) {
    if (a == std::numeric_limits<T>::min() && b == -1) return false;
  }
  result = op == Operator::kDivide ? a / b : a % b;
  return true;
}

template <class T>
Value Integers(Operator op, T a, T b, Value (*make)(T), std::string_view overflow) {
  T result = 0;
  if (op == Operator::kDivide || op == Operator::kModulo) {
    if (b == 0) return Value::Error(op == Operator::kDivide ? "division by zero" : "modulus by zero");
    return Quotient(op, a, b, result) ? make(result) : Value::Error(overflow);
  }
  return Overflows(op, a, b, result) ? Value::Error(overflow) : make(result);
}

Value Doubles(Operator op, double a, double b) {
  switch (op) {
    case Operator::kAdd:
      return Value::Double(a + b);
    case Operator::kSubtract:
      return Value::Double(a - b);
    case Operator::kMultiply:
      return Value::Double(a * b);
    case Operator::kDivide:
      return Value::Double(a / b);
    case Operator::kModulo:
      break;
  }
  return Value::Error("no such overload: _%_");
}

Value Concatenate(RunContext& run, const Value& a, const Value& b) {
  if (a.kind == ValueKind::kList) {
    // No new list when one adds nothing: it is the same key of a map.
    if (b.size == 0) return a;
    if (a.size == 0) return b;
    run.budget -= kCopyCost * static_cast<std::int64_t>(a.size + b.size);
    if (run.budget < 0) return NoSuchOverload();  // the run ends before anybody sees it
    Value* items = run.arena.Values(a.size + b.size);
    std::copy_n(b.items, b.size, std::copy_n(a.items, a.size, items));
    return Value::List(items, a.size + b.size);
  }
  if (!Take(run, StepsForBytes(a.size + b.size))) return NoSuchOverload();
  if (a.size == 0) return b;
  if (b.size == 0) return a;
  char* text = run.arena.Chars(a.size + b.size);
  std::memcpy(text, a.text, a.size);
  std::memcpy(text + a.size, b.text, b.size);
  return Value::Text(a.kind, {text, a.size + b.size});
}

bool IsTime(const Value& value) {
  return value.kind == ValueKind::kTimestamp || value.kind == ValueKind::kDuration;
}

Value Arithmetic(Operator op, const Value& a, const Value& b, std::string_view lacking) {
  const bool same = a.kind == b.kind;
  if (a.kind == ValueKind::kInt) {
    return same ? Integers<std::int64_t>(op, a.integer, b.integer, Value::Int, "integer overflow") : NoSuchOverload();
  }
  if (a.kind == ValueKind::kUint) {
    return same ? Integers<std::uint64_t>(op, a.natural, b.natural, Value::Uint, "unsigned integer overflow")
                : NoSuchOverload();
  }
  if (a.kind != ValueKind::kDouble || op == Operator::kModulo) return Lacks(a, lacking);
  return same ? Doubles(op, a.real, b.real) : NoSuchOverload();
}

template <Dialect dialect>
Value Add(RunContext& run, std::span<const Value> args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.kind == ValueKind::kString || a.kind == ValueKind::kBytes || a.kind == ValueKind::kList) {
    return a.kind == b.kind ? Concatenate(run, a, b) : NoSuchOverload();
  }
  if (IsTime(a)) return AddTimes(a, b, dialect);
  return Arithmetic(Operator::kAdd, a, b, "no such overload: _+_");
}
template <Dialect dialect>
Value Subtract(RunContext&, std::span<const Value> args) {
  if (IsTime(args[0])) return SubtractTimes(args[0], args[1], dialect);
  return Arithmetic(Operator::kSubtract, args[0], args[1], "no such overload: _-_");
}
Value Multiply(RunContext&, std::span<const Value> args) {
  return Arithmetic(Operator::kMultiply, args[0], args[1], "no such overload: _*_");
}
Value Divide(RunContext&, std::span<const Value> args) {
  return Arithmetic(Operator::kDivide, args[0], args[1], "no such overload: _/_");
}
Value Modulo(RunContext&, std::span<const Value> args) {
  return Arithmetic(Operator::kModulo, args[0], args[1], "no such overload: _%_");
}

Value Negate(RunContext&, std::span<const Value> args) {
  const Value& value = args[0];
  if (value.kind == ValueKind::kDouble) return Value::Double(-value.real);
  if (value.kind == ValueKind::kInt) {
    return Integers<std::int64_t>(Operator::kSubtract, 0, value.integer, Value::Int, "integer overflow");
  }
  if (value.kind == ValueKind::kDuration) return NegateDuration(value);
  return value.kind == ValueKind::kBool ? NoSuchOverload() : Lacks(value, "no such overload: -_");
}

// A map of the device may meet one that an expression made.
std::optional<bool> AreEqual(RunContext& run, std::span<const Value> args) {
  const std::optional<bool> same = Equal(args[0], args[1], run.budget);
  if (!same || *same || !IsMap(args[0]) || !IsMap(args[1])) return same;
  if (args[0].kind == ValueKind::kMap && args[1].kind == ValueKind::kMap) return same;
  return Equal(Materialize(run, args[0]), Materialize(run, args[1]), run.budget);
}

Value Not(RunContext&, std::span<const Value> args) {
  return args[0].kind == ValueKind::kBool ? Value::Bool(!args[0].boolean) : NoSuchOverload();
}

bool HasOrder(const Value& value) {
  return value.IsNumber() || value.kind == ValueKind::kString || value.kind == ValueKind::kBytes ||
         value.kind == ValueKind::kBool || IsTime(value);
}

bool Holds(Relation relation, int order) {
  switch (relation) {
    case Relation::kLess:
      return order < 0;
    case Relation::kLessEqual:
      return order <= 0;
    case Relation::kGreater:
      return order > 0;
    case Relation::kGreaterEqual:
      return order >= 0;
  }
  return false;
}

Value Order(Relation relation, const Value& a, const Value& b, std::string_view lacking) {
  bool ordered = false;
  if (const std::optional<int> order = Compare(a, b, ordered)) return Value::Bool(Holds(relation, *order));
  if (ordered) return Value::Error("NaN values cannot be ordered");
  if (a.kind == ValueKind::kDouble && std::isnan(a.real)) return Value::Error("NaN values cannot be ordered");
  return HasOrder(a) ? NoSuchOverload() : Value::Error(lacking);
}
Value Less(RunContext&, std::span<const Value> args) {
  return Order(Relation::kLess, args[0], args[1], "no such overload: _<_");
}
Value LessEqual(RunContext&, std::span<const Value> args) {
  return Order(Relation::kLessEqual, args[0], args[1], "no such overload: _<=_");
}
Value Greater(RunContext&, std::span<const Value> args) {
  return Order(Relation::kGreater, args[0], args[1], "no such overload: _>_");
}
Value GreaterEqual(RunContext&, std::span<const Value> args) {
  return Order(Relation::kGreaterEqual, args[0], args[1], "no such overload: _>=_");
}

// In the specification nothing is less or greater than NaN.
template <NativeFunction order>
Value UnlessNaN(RunContext& run, std::span<const Value> args) {
  const auto is_nan = [](const Value& value) { return value.kind == ValueKind::kDouble && std::isnan(value.real); };
  const bool unordered = args[0].IsNumber() && args[1].IsNumber() && (is_nan(args[0]) || is_nan(args[1]));
  return unordered ? Value::Bool(false) : order(run, args);
}

Value Size(RunContext& run, std::span<const Value> args) {
  const Value& value = args[0];
  if (value.kind == ValueKind::kString) return Value::Int(static_cast<std::int64_t>(ValidCodePointCount(value.view())));
  if (value.kind == ValueKind::kBytes || value.kind == ValueKind::kList) {
    return Value::Int(static_cast<std::int64_t>(value.size));
  }
  if (IsMap(value)) return Value::Int(static_cast<std::int64_t>(MapSize(run, value)));
  return Lacks(value, "no such overload: size");
}

Value NotStrictlyFalse(RunContext&, std::span<const Value> args) {
  return Value::Bool(!args[0].IsFalse());
}

// The macros transformMap and transformMapEntry expand to this; the compiler turns them into loops instead.
Value MapInsert(RunContext&, std::span<const Value>) {
  return NoSuchOverload();
}

constexpr Overload Cross(std::string_view name, NativeFunction call, TypeRef a, TypeRef b) {
  Overload overload = Global(name, call, CostRule::kUnit, &kBoolType, 2, a, b);
  overload.cross_type = true;
  return overload;
}
constexpr Overload Binary(std::string_view name, NativeFunction call, TypeRef type, CostRule cost = CostRule::kUnit) {
  return Global(name, call, cost, type, 2, type, type);
}
constexpr Overload Relates(std::string_view name, NativeFunction call, TypeRef type, CostRule cost = CostRule::kUnit) {
  return Global(name, call, cost, &kBoolType, 2, type, type);
}

constexpr std::size_t kOrderCount = 14;
constexpr std::array<Overload, kOrderCount> OrderOverloads(std::string_view name, NativeFunction call) {
  return {Relates(name, call, &kBoolType),
          Relates(name, call, &kIntType),
          Cross(name, call, &kIntType, &kDoubleType),
          Cross(name, call, &kIntType, &kUintType),
          Relates(name, call, &kUintType),
          Cross(name, call, &kUintType, &kDoubleType),
          Cross(name, call, &kUintType, &kIntType),
          Relates(name, call, &kDoubleType),
          Cross(name, call, &kDoubleType, &kIntType),
          Cross(name, call, &kDoubleType, &kUintType),
          Relates(name, call, &kStringType, CostRule::kCompare),
          Relates(name, call, &kBytesType, CostRule::kCompare),
          Relates(name, call, &kTimestampType),
          Relates(name, call, &kDurationType)};
}

constexpr NativeFunction kAdd = Add<Dialect::kKubernetes>;
constexpr NativeFunction kSubtract = Subtract<Dialect::kKubernetes>;

constexpr Overload kPlain[] = {
    Global("!_", Not, CostRule::kUnit, &kBoolType, 1, &kBoolType),
    Global("@not_strictly_false", NotStrictlyFalse, CostRule::kUnit, &kBoolType, 1, &kBoolType),
    Global("_==_", EqualValues, CostRule::kEqual, &kBoolType, 2, &kParameterA, &kParameterA),
    Global("_!=_", NotEqualValues, CostRule::kCompare, &kBoolType, 2, &kParameterA, &kParameterA),
    Binary("_+_", kAdd, &kBytesType, CostRule::kConcatText),
    Binary("_+_", kAdd, &kDoubleType),
    Binary("_+_", kAdd, &kDurationType),
    Global("_+_", kAdd, CostRule::kUnit, &kTimestampType, 2, &kDurationType, &kTimestampType),
    Global("_+_", kAdd, CostRule::kUnit, &kTimestampType, 2, &kTimestampType, &kDurationType),
    Binary("_+_", kAdd, &kIntType),
    Binary("_+_", kAdd, &kListOfA, CostRule::kConcatLists),
    Binary("_+_", kAdd, &kStringType, CostRule::kConcatText),
    Binary("_+_", kAdd, &kUintType),
    Binary("_-_", kSubtract, &kDoubleType),
    Binary("_-_", kSubtract, &kDurationType),
    Binary("_-_", kSubtract, &kIntType),
    Global("_-_", kSubtract, CostRule::kUnit, &kTimestampType, 2, &kTimestampType, &kDurationType),
    Global("_-_", kSubtract, CostRule::kUnit, &kDurationType, 2, &kTimestampType, &kTimestampType),
    Binary("_-_", kSubtract, &kUintType),
    Binary("_*_", Multiply, &kDoubleType),
    Binary("_*_", Multiply, &kIntType),
    Binary("_*_", Multiply, &kUintType),
    Binary("_/_", Divide, &kDoubleType),
    Binary("_/_", Divide, &kIntType),
    Binary("_/_", Divide, &kUintType),
    Binary("_%_", Modulo, &kIntType),
    Binary("_%_", Modulo, &kUintType),
    Global("-_", Negate, CostRule::kUnit, &kDoubleType, 1, &kDoubleType),
    Global("-_", Negate, CostRule::kUnit, &kIntType, 1, &kIntType),
    Global("@in", In, CostRule::kInList, &kBoolType, 2, &kParameterA, &kListOfA),
    Global("@in", In, CostRule::kUnit, &kBoolType, 2, &kParameterA, &kMapOfAToB),
    Global("_[_]", nullptr, CostRule::kIndexList, &kParameterA, 2, &kListOfA, &kIntType),
    Global("_[_]", nullptr, CostRule::kIndexMap, &kParameterB, 2, &kMapOfAToB, &kParameterA),
    Global("size", Size, CostRule::kUnit, &kIntType, 1, &kBytesType),
    Member("size", Size, CostRule::kUnit, &kIntType, 1, &kBytesType),
    Global("size", Size, CostRule::kUnit, &kIntType, 1, &kListOfA),
    Member("size", Size, CostRule::kUnit, &kIntType, 1, &kListOfA),
    Global("size", Size, CostRule::kUnit, &kIntType, 1, &kMapOfAToB),
    Member("size", Size, CostRule::kUnit, &kIntType, 1, &kMapOfAToB),
    Global("size", Size, CostRule::kUnit, &kIntType, 1, &kStringType),
    Member("size", Size, CostRule::kUnit, &kIntType, 1, &kStringType),
    Global("cel.@mapInsert", MapInsert, CostRule::kUnit, &kMapOfAToB, 3, &kMapOfAToB, &kParameterA, &kParameterB),
    Global("cel.@mapInsert", MapInsert, CostRule::kUnit, &kMapOfAToB, 2, &kMapOfAToB, &kMapOfAToB),
};

struct OrderFunctions {
  NativeFunction less, less_equal, greater, greater_equal;
};

constexpr auto WithOrder(const OrderFunctions& order_functions) {
  std::array<Overload, std::size(kPlain) + 4 * kOrderCount> all = {};
  auto next = std::copy(std::begin(kPlain), std::end(kPlain), all.begin());
  for (const auto& [name, call] : {std::pair<std::string_view, NativeFunction>{"_<_", order_functions.less},
                                   {"_<=_", order_functions.less_equal},
                                   {"_>_", order_functions.greater},
                                   {"_>=_", order_functions.greater_equal}}) {
    const auto order = OrderOverloads(name, call);
    next = std::copy(order.begin(), order.end(), next);
  }
  return all;
}
constexpr auto kOverloads = WithOrder({Less, LessEqual, Greater, GreaterEqual});
constexpr auto kSpecification = [] {
  auto all = WithOrder({UnlessNaN<Less>, UnlessNaN<LessEqual>, UnlessNaN<Greater>, UnlessNaN<GreaterEqual>});
  for (Overload& overload : all) {
    // Durations are longer there.
    if (overload.call == kAdd) overload.call = Add<Dialect::kSpecification>;
    if (overload.call == kSubtract) overload.call = Subtract<Dialect::kSpecification>;
  }
  return all;
}();

}  // namespace

Value EqualValues(RunContext& run, std::span<const Value> args) {
  const std::optional<bool> same = AreEqual(run, args);
  return same ? Value::Bool(*same) : NoSuchOverload();
}

Value NotEqualValues(RunContext& run, std::span<const Value> args) {
  const std::optional<bool> same = AreEqual(run, args);
  return Value::Bool(!same || !*same);
}

Value In(RunContext& run, std::span<const Value> args) {
  const Value& item = args[0];
  const Value& container = args[1];
  if (container.kind != ValueKind::kList) {
    return IsMap(container) ? Value::Bool(HasKey(run, container, item)) : NoSuchOverload();
  }
  for (const Value& other : container.list()) {
    const std::optional<bool> same = Equal(item, other, run.budget);
    if (same && *same) return Value::Bool(true);
    if (run.budget < 0) break;
  }
  return Value::Bool(false);
}

std::span<const Overload> OperatorsOverloads(Dialect dialect) {
  if (dialect == Dialect::kSpecification) return kSpecification;
  return kOverloads;
}

}  // namespace kumiko::cel
