// Quantities and semantic versions in expressions.
#include <limits>

#include "cel/functions.h"

namespace kumiko::cel {
namespace {

Value MakeQuantity(RunContext& run, Function function, const Value& text) {
  if (text.kind != ValueKind::kString) return NoSuchOverload();
  auto parsed = Quantity::Parse(text.view());
  if (function == Function::kIsQuantity) return Value::Bool(parsed.has_value());
  if (!parsed) return run.arena.Error(parsed.error().message);
  return Value::Of(run.arena.Put(*std::move(parsed)));
}

Value MakeSemver(RunContext& run, Function function, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kString || (args.size() == 2 && args[1].kind != ValueKind::kBool)) {
    return NoSuchOverload();
  }
  const bool normalize = args.size() == 2 && args[1].boolean;
  auto parsed = normalize ? Semver::ParseNormalized(args[0].view()) : Semver::Parse(args[0].view());
  if (function == Function::kIsSemver) return Value::Bool(parsed.has_value());
  if (!parsed) return run.arena.Error(parsed.error().message);
  return Value::Of(run.arena.Put(*std::move(parsed)));
}

Value OrderOf(Function function, std::strong_ordering order) {
  const int sign = order < 0 ? -1 : (order > 0 ? 1 : 0);
  if (function == Function::kCompareTo) return Value::Int(sign);
  return Value::Bool(function == Function::kIsGreaterThan ? sign > 0 : sign < 0);
}

Value CallQuantity(RunContext& run, Function function, const Quantity& quantity, std::span<const Value> args) {
  if (function == Function::kSign) return Value::Int(quantity.Sign());
  if (function == Function::kIsInteger) return Value::Bool(quantity.IsInteger());
  if (function == Function::kAsApproximateFloat) return Value::Double(quantity.AsApproximateFloat());
  if (function == Function::kAsInteger) {
    const auto integer = quantity.AsInteger();
    return integer ? Value::Int(*integer) : Value::Error("cannot convert value to integer");
  }
  if (args.size() != 2) return NoSuchOverload();
  const Value& other = args[1];
  if (function == Function::kQuantityAdd || function == Function::kQuantitySub) {
    if (other.kind != ValueKind::kQuantity && other.kind != ValueKind::kInt) return NoSuchOverload();
    const Quantity operand = other.kind == ValueKind::kQuantity ? *other.quantity : Quantity::FromInt(other.integer);
    return Value::Of(run.arena.Put(function == Function::kQuantityAdd ? quantity.Add(operand) : quantity.Sub(operand)));
  }
  if (other.kind != ValueKind::kQuantity) return NoSuchOverload();
  return OrderOf(function, quantity.Compare(*other.quantity));
}

Value CallSemver(Function function, const Semver& version, std::span<const Value> args) {
  if (function == Function::kMajor) return Value::Int(static_cast<std::int64_t>(version.major()));
  if (function == Function::kMinor) return Value::Int(static_cast<std::int64_t>(version.minor()));
  if (function == Function::kPatch) return Value::Int(static_cast<std::int64_t>(version.patch()));
  const bool orders =
      function == Function::kCompareTo || function == Function::kIsGreaterThan || function == Function::kIsLessThan;
  if (!orders || args.size() != 2 || args[1].kind != ValueKind::kSemver) return NoSuchOverload();
  return OrderOf(function, version <=> *args[1].semver);
}

}  // namespace

Value CallKubernetes(RunContext& run, Function function, std::span<const Value> args) {
  if (function == Function::kQuantity || function == Function::kIsQuantity) {
    return MakeQuantity(run, function, args[0]);
  }
  if (function == Function::kSemver || function == Function::kIsSemver) return MakeSemver(run, function, args);
  if (args[0].kind == ValueKind::kQuantity) return CallQuantity(run, function, *args[0].quantity, args);
  if (args[0].kind == ValueKind::kSemver) return CallSemver(function, *args[0].semver, args);
  return NoSuchOverload();
}

}  // namespace kumiko::cel
