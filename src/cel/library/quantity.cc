#include "cel/library/quantity.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/quantity.h"
#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

std::string_view WithoutLeading(std::string_view text, std::string_view set) {
  return text.substr(std::min(text.find_first_not_of(set), text.size()));
}

std::string_view WithoutSign(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

// What Kubernetes says of text that is no quantity.
std::string_view MistakeIn(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  std::string_view suffix = WithoutLeading(WithoutSign(text), kDigits);
  if (suffix.starts_with('.')) suffix = WithoutLeading(suffix.substr(1), kDigits);
  const std::string_view rest = WithoutLeading(WithoutSign(WithoutLeading(suffix, "eEinumkKMGTP")), kDigits);
  if (text.empty() || !rest.empty()) {
    return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  }
  const bool good_suffix = Quantity::Parse("1" + std::string(suffix)).has_value();
  return good_suffix ? "unable to parse numeric part of quantity" : "unable to parse quantity's suffix";
}

Value MakeQuantity(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kString) return NoSuchOverload();
  auto quantity = Quantity::Parse(args[0].view());
  if (!quantity) return Value::Error(MistakeIn(args[0].view()));
  return Value::Of(run.arena.Put(*std::move(quantity)));
}

Value IsQuantity(RunContext&, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kString) return NoSuchOverload();
  return Value::Bool(Quantity::Parse(args[0].view()).has_value());
}

Value Sign(RunContext&, std::span<const Value> args) {
  return args[0].kind == ValueKind::kQuantity ? Value::Int(args[0].quantity->Sign()) : NoSuchOverload();
}

Value IsInteger(RunContext&, std::span<const Value> args) {
  return args[0].kind == ValueKind::kQuantity ? Value::Bool(args[0].quantity->IsInteger()) : NoSuchOverload();
}

Value AsInteger(RunContext&, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kQuantity) return NoSuchOverload();
  const Quantity& quantity = *args[0].quantity;
  return quantity.IsInteger() ? Value::Int(*quantity.AsInteger()) : Value::Error("cannot convert value to integer");
}

Value AsApproximateFloat(RunContext&, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kQuantity) return NoSuchOverload();
  return Value::Double(args[0].quantity->AsApproximateFloat());
}

// Kubernetes cannot compare with such a sum when it stands on the right of ==.
Value Sum(RunContext& run, Quantity quantity) {
  Value sum = Value::Of(run.arena.Put(std::move(quantity)));
  sum.offset = 1;
  return sum;
}

template <Quantity (Quantity::*operation)(const Quantity&) const>
Value Combine(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kQuantity) return NoSuchOverload();
  const Quantity& left = *args[0].quantity;
  if (args[1].kind == ValueKind::kInt) {
    // The reference subtracts whole numbers by adding the negative, and that of the smallest int is itself; where the
    // sum does not fit an int it subtracts after all.
    const bool smallest = args[1].integer == std::numeric_limits<std::int64_t>::min();
    const Quantity right = Quantity::FromInt(args[1].integer);
    return Sum(run, smallest && left.IsInteger() && left.Sign() >= 0 ? left.Add(right) : (left.*operation)(right));
  }
  if (args[1].kind != ValueKind::kQuantity) return NoSuchOverload();
  return Sum(run, (left.*operation)(*args[1].quantity));
}

bool AreQuantities(std::span<const Value> args) {
  return args[0].kind == ValueKind::kQuantity && args[1].kind == ValueKind::kQuantity;
}

Value IsGreaterThan(RunContext&, std::span<const Value> args) {
  return AreQuantities(args) ? Value::Bool(*args[0].quantity > *args[1].quantity) : NoSuchOverload();
}

Value IsLessThan(RunContext&, std::span<const Value> args) {
  return AreQuantities(args) ? Value::Bool(*args[0].quantity < *args[1].quantity) : NoSuchOverload();
}

Value CompareTo(RunContext&, std::span<const Value> args) {
  if (!AreQuantities(args)) return NoSuchOverload();
  const auto order = *args[0].quantity <=> *args[1].quantity;
  return Value::Int(order < 0 ? -1 : (order > 0 ? 1 : 0));
}

constexpr Overload kOverloads[] = {
    Global("quantity", MakeQuantity, CostRule::kParseText, &kQuantityType, 1, &kStringType),
    Global("isQuantity", IsQuantity, CostRule::kParseText, &kBoolType, 1, &kStringType),
    Global("sign", Sign, CostRule::kAccessor, &kIntType, 1, &kQuantityType),
    Member("isGreaterThan", IsGreaterThan, CostRule::kAccessor, &kBoolType, 2, &kQuantityType, &kQuantityType),
    Member("isLessThan", IsLessThan, CostRule::kAccessor, &kBoolType, 2, &kQuantityType, &kQuantityType),
    Member("compareTo", CompareTo, CostRule::kAccessor, &kIntType, 2, &kQuantityType, &kQuantityType),
    Member("asApproximateFloat", AsApproximateFloat, CostRule::kAccessor, &kDoubleType, 1, &kQuantityType),
    Member("asInteger", AsInteger, CostRule::kAccessor, &kIntType, 1, &kQuantityType),
    Member("isInteger", IsInteger, CostRule::kAccessor, &kBoolType, 1, &kQuantityType),
    Member("add", Combine<&Quantity::Add>, CostRule::kAccessor, &kQuantityType, 2, &kQuantityType, &kQuantityType),
    Member("add", Combine<&Quantity::Add>, CostRule::kAccessor, &kQuantityType, 2, &kQuantityType, &kIntType),
    Member("sub", Combine<&Quantity::Sub>, CostRule::kAccessor, &kQuantityType, 2, &kQuantityType, &kQuantityType),
    Member("sub", Combine<&Quantity::Sub>, CostRule::kAccessor, &kQuantityType, 2, &kQuantityType, &kIntType),
};

}  // namespace

std::span<const Overload> QuantityOverloads() {
  return kOverloads;
}

}  // namespace kumiko::cel
