#include "cel/actual_cost.h"

#include <algorithm>
#include <cmath>

#include "cel/device_access.h"
#include "cel/library/ip.h"
#include "cel/library/named_formats.h"
#include "cel/library/optionals.h"
#include "cel/utf8.h"

namespace kumiko::cel {
namespace {

constexpr double kScanFactor = 0.1;
constexpr double kPatternFactor = 0.25;
constexpr double kNewList = 11;  // a call that makes a list
constexpr std::int64_t kSelectorList = 10;
constexpr double kRequirements = 0.5;  // in a character of a selector
constexpr std::int64_t kRequirementCost = 50;
constexpr std::int64_t kAuthorization = 350'000;

// What the reference takes for the size of a value: 1 where there is none.
double SizeOf(const RunContext& run, const Value& value) {
  switch (value.kind) {
    case ValueKind::kString:
      return static_cast<double>(ValidCodePointCount(value.view()));
    case ValueKind::kBytes:
    case ValueKind::kList:
    case ValueKind::kMap:
      return static_cast<double>(value.size);
    case ValueKind::kDevice:
    case ValueKind::kDomains:
    case ValueKind::kDomain:
      return static_cast<double>(MapSize(run, value));
    case ValueKind::kOptional:
      return value.items == nullptr ? 1 : SizeOf(run, *value.items);
    case ValueKind::kIp:
      return static_cast<double>(cel::SizeOf(*value.ip));
    case ValueKind::kCidr:
      return static_cast<double>(cel::SizeOf(*value.cidr));
    case ValueKind::kNull:
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
    case ValueKind::kType:
    case ValueKind::kQuantity:
    case ValueKind::kSemver:
    case ValueKind::kUrl:
    case ValueKind::kNamedFormat:
    case ValueKind::kError:
      return 1;
  }
  return 1;
}

// The libraries of Kubernetes, and those of lists and sets, do not look into optionals.
double OwnSizeOf(const RunContext& run, const Value& value) {
  return value.kind == ValueKind::kOptional ? 1 : SizeOf(run, value);
}
bool LooksIntoOptionals(CostRule rule) {
  return rule < CostRule::kSetsOnce;
}

std::int64_t Ceil(double cost) {
  return static_cast<std::int64_t>(std::ceil(cost));
}

bool IsPlain(const Value& value) {
  return value.kind == ValueKind::kInt || value.kind == ValueKind::kBool || value.kind == ValueKind::kUint ||
         value.kind == ValueKind::kDouble || value.kind == ValueKind::kError || value.kind == ValueKind::kSemver ||
         value.kind == ValueKind::kQuantity;
}

// 0.1 of the shorter side.
std::int64_t CompareCost(const RunContext& run, const Value& a, const Value& b) {
  if (IsPlain(a) && IsPlain(b)) return 1;
  constexpr std::size_t kShort = 10;
  if (a.kind == ValueKind::kString && b.kind == ValueKind::kString && std::min(a.size, b.size) <= kShort) {
    return a.size == 0 || b.size == 0 ? 0 : 1;
  }
  return Ceil(std::min(SizeOf(run, a), SizeOf(run, b)) * kScanFactor);
}

bool IsOneToCompare(const Value& value) {
  return value.kind == ValueKind::kQuantity || value.kind == ValueKind::kSemver || value.kind == ValueKind::kIp ||
         value.kind == ValueKind::kCidr || value.kind == ValueKind::kUrl || value.kind == ValueKind::kNamedFormat;
}

// A tenth of each text in it, rounded down, and 1 for every other value. Recursion ends with the nesting of the value.
// Lists that share items make it far longer than what was ever written, so that it takes steps.
std::int64_t TraversalCost(RunContext& run, const Value& value) {
  if (!Take(run, 2)) return 1;
  if (value.kind == ValueKind::kString || value.kind == ValueKind::kBytes) {
    return static_cast<std::int64_t>(static_cast<double>(value.size) * kScanFactor);
  }
  if (value.kind != ValueKind::kList && !IsMap(value)) return 1;
  const Value items = Materialize(run, value);
  std::int64_t cost = 0;
  const std::size_t count = items.kind == ValueKind::kMap ? 2 * items.size : items.size;
  for (std::size_t i = 0; i < count; ++i) cost += TraversalCost(run, items.items[i]);
  return cost;
}

std::int64_t SelfCompareCost(const RunContext& run, const Value& list) {
  const double size = OwnSizeOf(run, list);
  const bool text = list.kind == ValueKind::kList && list.size > 0 &&
                    (list.items[0].kind == ValueKind::kString || list.items[0].kind == ValueKind::kBytes);
  return static_cast<std::int64_t>(size * size * (text ? 2.1 : 2.0) + kNewList);
}

std::int64_t FlattenCost(const RunContext& run, std::span<const Value> args) {
  double depth = args.size() == 2 && args[1].kind == ValueKind::kInt ? static_cast<double>(args[1].integer) : 1;
  if (depth < 0) depth = 1;
  const double cost = OwnSizeOf(run, args[0]) * depth + kNewList;
  constexpr double kLargest = 9e18;
  return static_cast<std::int64_t>(std::min(cost, kLargest));
}

std::int64_t ContainsBlockCost(const RunContext& run, std::span<const Value> args, bool block, bool text) {
  const double size = OwnSizeOf(run, args[0]);
  std::int64_t cost = Ceil((size + size) * kScanFactor);
  if (block) cost += Ceil(size * kScanFactor) + 1;
  if (text) cost += Ceil(OwnSizeOf(run, args[1]) * kScanFactor);
  return cost;
}

}  // namespace

std::int64_t PatternTextCost(const RunContext& run, CostRule rule, const Value& text) {
  return Ceil((1.0 + (LooksIntoOptionals(rule) ? SizeOf(run, text) : OwnSizeOf(run, text))) * kScanFactor);
}

std::uint32_t PatternCost(std::size_t code_points) {
  return static_cast<std::uint32_t>(Ceil(static_cast<double>(code_points) * kPatternFactor));
}

std::int64_t ActualCost(RunContext& run, CostRule rule, std::span<const Value> args, const Value& result) {
  const auto size = [&](std::size_t i) {
    return LooksIntoOptionals(rule) ? SizeOf(run, args[i]) : OwnSizeOf(run, args[i]);
  };
  switch (rule) {
    case CostRule::kUnit:
    case CostRule::kConcatLists:
    case CostRule::kIndexList:
    case CostRule::kIndexMap:
    case CostRule::kDyn:
    case CostRule::kAccessor:
      return 1;
    case CostRule::kScanSecond:
      return Ceil(size(1) * kScanFactor);
    case CostRule::kToBytes:
    case CostRule::kFromBytes:
    case CostRule::kQuote:
    case CostRule::kFormat:
    case CostRule::kParseText:
    case CostRule::kParseUrl:
    case CostRule::kTransformText:
      return Ceil(size(0) * kScanFactor);
    case CostRule::kInList:
      return static_cast<std::int64_t>(size(1));
    case CostRule::kEqual:
      return IsOneToCompare(args[0]) ? 1 : CompareCost(run, args[0], args[1]);
    case CostRule::kCompare:
      return CompareCost(run, args[0], args[1]);
    case CostRule::kConcatText:
      return Ceil((size(0) + size(1)) * kScanFactor);
    case CostRule::kMatches:
    case CostRule::kFind:
      return PatternTextCost(run, rule, args[0]) * Ceil(size(1) * kPatternFactor);
    case CostRule::kContains:
      return Ceil(size(0) * kScanFactor) * Ceil(size(1) * kScanFactor);
    case CostRule::kSetsOnce:
      return 1 + static_cast<std::int64_t>(size(0) * size(1));
    case CostRule::kSetsTwice:
      return 1 + static_cast<std::int64_t>(2 * size(0) * size(1));
    case CostRule::kListSlice:
    case CostRule::kListRange:
    case CostRule::kListReverse:
      return static_cast<std::int64_t>(kNewList + SizeOf(run, result));
    case CostRule::kListFlatten:
      return FlattenCost(run, args);
    case CostRule::kListDistinct:
    case CostRule::kListSort:
      return SelfCompareCost(run, args[0]);
    case CostRule::kListSortByKey:
      return SelfCompareCost(run, args[1]);
    case CostRule::kListScan:
      return TraversalCost(run, args[0]);
    case CostRule::kReplace:
    case CostRule::kSplit:
    case CostRule::kIsCanonical:
      return Ceil(size(0) * 2 * kScanFactor);
    case CostRule::kJoin:
      return Ceil(SizeOf(run, result) * 2 * kScanFactor);
    case CostRule::kContainsIp:
      return ContainsBlockCost(run, args, false, false);
    case CostRule::kContainsIpText:
      return ContainsBlockCost(run, args, false, true);
    case CostRule::kContainsCidr:
      return ContainsBlockCost(run, args, true, false);
    case CostRule::kContainsCidrText:
      return ContainsBlockCost(run, args, true, true);
    case CostRule::kValidate:
      if (Held(args[0]).kind != ValueKind::kNamedFormat) return 1;
      return PatternTextCost(run, rule, args[1]) * PatternCost(Held(args[0]).format->max_regex_size);
    case CostRule::kParseSelector:
      return kSelectorList + Ceil(size(1) * kScanFactor) + kRequirementCost * Ceil(size(1) * kRequirements);
    case CostRule::kAuthorize:
      return kAuthorization;
  }
  return 1;
}

}  // namespace kumiko::cel
