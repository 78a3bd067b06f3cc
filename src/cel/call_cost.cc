#include "cel/call_cost.h"

#include <cmath>
#include <string_view>

#include "cel/cost_range.h"

namespace kumiko::cel {
namespace {

constexpr double kTraversal = 0.1;          // of a byte or a code point
constexpr double kPatternFactor = 0.25;     // of a byte of a regular expression
constexpr CostRange kListCall{11, 11};      // one call and one list
constexpr double kNameFormatPattern = 128;  // bytes of the pattern that validate() is charged for
constexpr std::uint64_t kFormatSize = 64;
constexpr CostRange kAddressBytes{4, 16};
constexpr CostRange kSelectorList{10, 10};
constexpr double kRequirements = 0.5;  // in a character of a selector
constexpr double kRequirementCost = 50;
constexpr CostRange kAuthorization{350'000, 350'000};

struct Call {
  const Overload& overload;
  std::span<const ArgumentEstimate> args;

  CostRange Size(std::size_t i) const { return args[i].size.value_or(kUnknownSize); }
  CostRange Scan(std::size_t i) const { return Size(i) * kTraversal; }
  // The literal, 0 when it is negative; `otherwise` when it is no literal.
  std::uint64_t NaturalOr(std::size_t i, std::uint64_t otherwise) const {
    const auto literal = args[i].literal;
    return literal ? static_cast<std::uint64_t>(std::max<std::int64_t>(*literal, 0)) : otherwise;
  }
};

CostRange Equality(const Call& call) {
  const TypeRef type = call.args[0].type;
  // Only `==` is cheap for these; `!=` is charged by size.
  if (call.overload.name == "_==_" && SameType(type, call.args[1].type)) {
    const auto is = [type](const Type& other) { return SameType(type, &other); };
    if (is(kQuantityType) || is(kSemverType) || is(kIpType) || is(kCidrType)) return kOneUnit;
    if (type->name.starts_with("kubernetes.authorization.")) return kOneUnit;
    if (is(kNamedFormatType)) return CostRange{1, kFormatSize} * kTraversal;
    if (is(kUrlType)) return CostRange{1, call.args[1].size ? call.args[1].size->max : 1} * kTraversal;
  }
  const std::uint64_t shorter = std::min(call.Size(0).max, call.Size(1).max);
  return CostRange{shorter > 0 ? 1U : 0U, shorter} * kTraversal;
}

// One more than the text, so that an empty text does not make an expensive pattern free.
CostRange RegularExpression(const Call& call) {
  return (call.Size(0) + kOneUnit) * kTraversal * (call.Size(1) * kPatternFactor);
}

CallEstimate SelfComparison(const Call& call, std::size_t arg) {
  double factor = 2;
  if (call.overload.cost != CostRule::kListDistinct) {
    const TypeRef item = call.overload.args[arg]->first;
    if (item != nullptr && (item->kind == TypeKind::kString || item->kind == TypeKind::kBytes)) factor += kTraversal;
  }
  const CostRange pairs = call.Size(arg) * call.Size(arg);
  return {pairs * factor + kListCall, pairs};
}

CallEstimate ListScan(const Call& call) {
  const auto item = call.args[0].item_size;
  if (!item) {
    // A string, or a receiver that may be one; includes() never works on strings.
    const double factor = call.overload.name == "includes" ? 1.0 : kTraversal;
    return {call.Size(0) * factor, {}};
  }
  const Type& element = *call.args[0].type->first;
  const TypeKind kind = element.kind == TypeKind::kWrapper ? element.first->kind : element.kind;
  const bool text = kind == TypeKind::kString || kind == TypeKind::kBytes;
  return {call.Size(0) * (text ? kOneUnit + *item * kTraversal : kOneUnit), {}};
}

CallEstimate Replacement(const Call& call) {
  const CostRange text = call.Size(0);
  const CostRange from = call.Size(1);
  const CostRange to = call.Size(2);
  const auto parts = [](std::uint64_t size, std::uint64_t part) {
    return SaturatingCeil(static_cast<double>(size) / static_cast<double>(part));
  };
  CostRange count;
  CostRange kept;
  if (from.min == 0) {  // replacing nothing puts the replacement around every character
    count.max = SaturatingAdd(text.max, 1);
    kept.max = text.max;
  } else if (to.max <= from.min) {
    kept.max = text.max;
  } else {
    count.max = parts(text.max, from.min);
  }
  if (from.max == 0) {
    count.min = SaturatingAdd(text.min, 1);
    kept.min = text.min;
  } else if (from.max <= to.min) {
    kept.min = text.min;
  } else {
    count.min = parts(text.min, from.max);
  }
  return {text * (2 * kTraversal), count * to + kept};
}

CallEstimate Split(const Call& call) {
  CostRange size{0, call.Size(0).max};
  if (call.args.size() > 2) {
    // -1, no limit, is the largest number here.
    if (const auto limit = call.args[2].literal) size.max = static_cast<std::uint64_t>(*limit);
  }
  return {call.Size(0) * (2 * kTraversal), size};
}

CallEstimate Join(const Call& call) {
  const CostRange list = call.Size(0);
  CostRange size;
  if (const auto item = call.args[0].item_size) size = list * *item;
  if (call.args.size() > 1) {
    const CostRange separators{list.min - (list.min > 0 ? 1 : 0), list.max - (list.max > 0 ? 1 : 0)};
    size = size + call.Size(1) * separators;
  }
  return {size * kTraversal, size};
}

CallEstimate EstimateByName(const Call& call) {
  const CostRange scan = call.Size(0) * kTraversal;
  const CostRange address = (kAddressBytes + kAddressBytes) * kTraversal;
  const CostRange block = address + kAddressBytes * kTraversal + kOneUnit;
  const CostRule rule = call.overload.cost;
  if (rule == CostRule::kListScan) return ListScan(call);
  if (rule == CostRule::kReplace) return Replacement(call);
  if (rule == CostRule::kSplit) return Split(call);
  if (rule == CostRule::kJoin) return Join(call);
  if (rule == CostRule::kFind) return {RegularExpression(call), CostRange{0, call.Size(0).max}};
  if (rule == CostRule::kParseText) return {scan, {}};
  if (rule == CostRule::kParseUrl || rule == CostRule::kTransformText) return {scan, call.Size(0)};
  if (rule == CostRule::kIsCanonical) return {call.Size(0) * (2 * kTraversal), {}};
  if (rule == CostRule::kContainsIp) return {address, {}};
  if (rule == CostRule::kContainsIpText) return {address + call.Size(1) * kTraversal, {}};
  if (rule == CostRule::kContainsCidr) return {block, {}};
  if (rule == CostRule::kContainsCidrText) return {block + call.Size(1) * kTraversal, {}};
  if (rule == CostRule::kValidate) {
    return {call.Size(1) * kTraversal * (kNameFormatPattern * kPatternFactor), {}};
  }
  if (rule == CostRule::kParseSelector) {
    return {kSelectorList + call.Scan(1) + call.Size(1) * kRequirements * kRequirementCost, {}};
  }
  if (rule == CostRule::kAuthorize) return {kAuthorization, {}};
  return {kOneUnit, {}};
}

}  // namespace

CallEstimate EstimateCall(const Overload& overload, std::span<const ArgumentEstimate> args) {
  const Call call{overload, args};
  switch (call.overload.cost) {
    case CostRule::kUnit:
    case CostRule::kIndexList:
    case CostRule::kIndexMap:
    case CostRule::kDyn:
      return {kOneUnit, {}};
    case CostRule::kScanSecond:
      return {call.Scan(1), {}};
    case CostRule::kToBytes:
      return {call.Scan(0), CostRange{call.Size(0).min, 4 * call.Size(0).max}};
    case CostRule::kFromBytes:
      return {call.Scan(0), CostRange{call.Size(0).min / 4, call.Size(0).max}};
    case CostRule::kQuote:
      return {call.Scan(0), CostRange{call.Size(0).min + 2, 2 * call.Size(0).max + 2}};
    case CostRule::kFormat:
      return {call.Scan(0), {}};
    case CostRule::kInList:
      return {call.Size(1) * 1.0, {}};
    case CostRule::kCompare:
    case CostRule::kEqual:
      return {Equality(call), {}};
    case CostRule::kConcatText:
      return {(call.Size(0) + call.Size(1)) * kTraversal, call.Size(0) + call.Size(1)};
    case CostRule::kConcatLists:
      return {kOneUnit, call.Size(0) + call.Size(1)};
    case CostRule::kMatches:
      return {RegularExpression(call), {}};
    case CostRule::kContains:
      return {call.Scan(0) * call.Scan(1), {}};
    case CostRule::kSetsOnce:
    case CostRule::kSetsTwice:
      return {call.Size(0) * call.Size(1) * (call.overload.cost == CostRule::kSetsOnce ? 1.0 : 2.0) + kOneUnit, {}};
    case CostRule::kListSlice: {
      // A slice that ends before it begins wraps around to a size that nothing can pay.
      const CostRange size = FixedRange(call.NaturalOr(2, call.Size(0).max) - call.NaturalOr(1, 0));
      return {size * 1.0 + kListCall, size};
    }
    case CostRule::kListRange: {
      const CostRange size = FixedRange(call.NaturalOr(0, kUnlimited));
      return {size * 1.0 + kListCall, size};
    }
    case CostRule::kListReverse:
      return {call.Size(0) * 1.0 + kListCall, call.Size(0)};
    case CostRule::kListFlatten: {
      const std::uint64_t depth = call.args.size() > 1 ? call.NaturalOr(1, kUnlimited) : 1;
      return {call.Size(0) * static_cast<double>(depth) + kListCall, call.Size(0)};
    }
    case CostRule::kListDistinct:
    case CostRule::kListSort:
      return SelfComparison(call, 0);
    case CostRule::kListSortByKey:
      return SelfComparison(call, 1);
    case CostRule::kListScan:
    case CostRule::kParseText:
    case CostRule::kParseUrl:
    case CostRule::kTransformText:
    case CostRule::kReplace:
    case CostRule::kSplit:
    case CostRule::kJoin:
    case CostRule::kFind:
    case CostRule::kIsCanonical:
    case CostRule::kContainsIp:
    case CostRule::kContainsIpText:
    case CostRule::kContainsCidr:
    case CostRule::kContainsCidrText:
    case CostRule::kValidate:
    case CostRule::kParseSelector:
    case CostRule::kAuthorize:
    case CostRule::kAccessor:
      return EstimateByName(call);
  }
  return {kOneUnit, {}};
}

}  // namespace kumiko::cel
