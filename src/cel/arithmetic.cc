// Arithmetic and order of numbers, text and lists; integers never overflow silently.
#include <algorithm>
#include <limits>

#include "cel/functions.h"

namespace kumiko::cel {
namespace {

constexpr std::string_view kIntegerOverflow = "integer overflow";
constexpr std::string_view kUintOverflow = "unsigned integer overflow";

Value IntArithmetic(Function function, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflow = false;
  if (function == Function::kAdd) {
    overflow = __builtin_add_overflow(a, b, &result);
  } else if (function == Function::kSubtract) {
    overflow = __builtin_sub_overflow(a, b, &result);
  } else if (function == Function::kMultiply) {
    overflow = __builtin_mul_overflow(a, b, &result);
  } else {
    const bool divide = function == Function::kDivide;
    if (b == 0) return Value::Error(divide ? "division by zero" : "modulus by zero");
    overflow = a == std::numeric_limits<std::int64_t>::min() && b == -1;
    if (!overflow) result = divide ? a / b : a % b;
  }
  return overflow ? Value::Error(kIntegerOverflow) : Value::Int(result);
}

Value UintArithmetic(Function function, std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  bool overflow = false;
  if (function == Function::kAdd) {
    overflow = __builtin_add_overflow(a, b, &result);
  } else if (function == Function::kSubtract) {
    overflow = __builtin_sub_overflow(a, b, &result);
  } else if (function == Function::kMultiply) {
    overflow = __builtin_mul_overflow(a, b, &result);
  } else {
    const bool divide = function == Function::kDivide;
    if (b == 0) return Value::Error(divide ? "division by zero" : "modulus by zero");
    result = divide ? a / b : a % b;
  }
  return overflow ? Value::Error(kUintOverflow) : Value::Uint(result);
}

Value DoubleArithmetic(Function function, double a, double b) {
  if (function == Function::kAdd) return Value::Double(a + b);
  if (function == Function::kSubtract) return Value::Double(a - b);
  if (function == Function::kMultiply) return Value::Double(a * b);
  if (function == Function::kDivide) return Value::Double(a / b);
  return NoSuchOverload();
}

Value Concatenate(RunContext& run, const Value& a, const Value& b) {
  run.budget -= static_cast<std::int64_t>((a.size + b.size) / 10);
  if (run.budget < 0) return NoSuchOverload();  // the run ends before anybody sees it
  if (a.kind == ValueKind::kList) {
    Value* items = run.arena.Values(a.size + b.size);
    std::copy_n(b.items, b.size, std::copy_n(a.items, a.size, items));
    return Value::List(items, a.size + b.size);
  }
  std::string text;
  text.reserve(a.size + b.size);
  text += a.view();
  text += b.view();
  return Value::Text(a.kind, run.arena.Text(std::move(text)));
}

Value Negate(const Value& value) {
  if (value.kind == ValueKind::kDouble) return Value::Double(-value.real);
  if (value.kind != ValueKind::kInt) return NoSuchOverload();
  return IntArithmetic(Function::kSubtract, 0, value.integer);
}

Value Order(Function function, const Value& a, const Value& b) {
  std::optional<int> order;
  if (a.IsNumber() && b.IsNumber()) {
    order = CompareNumbers(a, b);
    if (!order) return Value::Bool(false);
  } else if (a.kind != b.kind) {
    return NoSuchOverload();
  } else if (a.kind == ValueKind::kString || a.kind == ValueKind::kBytes) {
    order = a.view().compare(b.view());  // byte order of UTF-8 is code point order
  } else if (a.kind == ValueKind::kBool) {
    order = static_cast<int>(a.boolean) - static_cast<int>(b.boolean);
  } else {
    return NoSuchOverload();
  }
  if (function == Function::kLess) return Value::Bool(*order < 0);
  if (function == Function::kLessEqual) return Value::Bool(*order <= 0);
  if (function == Function::kGreater) return Value::Bool(*order > 0);
  return Value::Bool(*order >= 0);
}

bool IsOrder(Function function) {
  return function == Function::kLess || function == Function::kLessEqual || function == Function::kGreater ||
         function == Function::kGreaterEqual;
}

}  // namespace

Value CallArithmetic(RunContext& run, Function function, std::span<const Value> args) {
  if (function == Function::kNegate) return Negate(args[0]);
  if (IsOrder(function)) return Order(function, args[0], args[1]);
  if (args[0].kind != args[1].kind) return NoSuchOverload();
  const ValueKind kind = args[0].kind;
  if (kind == ValueKind::kInt) return IntArithmetic(function, args[0].integer, args[1].integer);
  if (kind == ValueKind::kUint) return UintArithmetic(function, args[0].natural, args[1].natural);
  if (kind == ValueKind::kDouble) return DoubleArithmetic(function, args[0].real, args[1].real);
  const bool concatenable = kind == ValueKind::kString || kind == ValueKind::kBytes || kind == ValueKind::kList;
  return function == Function::kAdd && concatenable ? Concatenate(run, args[0], args[1]) : NoSuchOverload();
}

}  // namespace kumiko::cel
