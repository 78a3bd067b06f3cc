// What an expression may call: a function's name, the types it takes, what a call costs and the code that runs it. Each
// library declares its overloads beside their code (library/*.cc).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "cel/type.h"
#include "cel/value.h"

namespace kumiko::cel {

struct RunContext;

// What an expression means where the two differ: order of NaN, keys of maps, selection through optionals, positions
// beyond the end of text, types of types, length of durations. Kubernetes' engine, or the specification of the language
// (google/cel-spec); docs/decisions/0007.
enum class Dialect { kKubernetes, kSpecification };

// Runs with arguments that are no errors and whose number fits; looks at their kinds itself, since one function serves
// all overloads of a name. Kinds that no overload takes give NoSuchOverload().
using NativeFunction = Value (*)(RunContext& run, std::span<const Value> args);

// What a call costs, in the cost units of CEL and Kubernetes: estimated (cost_estimate.cc) and when it has run
// (actual_cost.cc). "0.1" is per byte or code point, rounded up. Source: spec "CEL for DRA", cost.
enum class CostRule : std::uint8_t {
  kUnit,        // 1
  kScanSecond,  // 0.1 of the second argument: startsWith, endsWith
  kToBytes,     // 0.1 of the argument; up to 4 bytes a character
  kFromBytes,
  kQuote,
  kFormat,
  kInList,         // size of the list
  kCompare,        // 0.1 of the shorter side: order of strings and bytes
  kEqual,          // as kCompare, but 1 for quantities, versions and addresses
  kConcatText,     // 0.1 of both
  kConcatLists,    // 1
  kMatches,        // ceil(0.1·(len+1)) · ceil(0.25·pattern)
  kContains,       // product of both scans
  kIndexList,      // 1; the estimate follows the items
  kIndexMap,       // 1; the estimate follows the values
  kDyn,            // 1; the estimate keeps what is known of the argument
  kSetsOnce,       // 1 + n·m: sets.contains, sets.intersects
  kSetsTwice,      // 1 + 2·n·m: sets.equivalent
  kListSlice,      // 11 + size of the result
  kListRange,      // 11 + size of the result
  kListReverse,    // 11 + size of the result
  kListFlatten,    // 11 + depth·n
  kListDistinct,   // 11 + 2·n²
  kListSort,       // 11 + 2·n², 2.1 for strings and bytes
  kListSortByKey,  // the same for @sortByAssociatedKeys
  // The rules from here on belong to the function's name: they hold too when the overload is found at run time.
  kFirstByName,
  kListScan = kFirstByName,  // isSorted, sum, min, max, indexOf, lastIndexOf, includes
  kParseText,                // 0.1 of the argument: quantity, semver, isIP, cidr, ip(text)
  kParseUrl,                 // the same, and the result is as long as the text
  kTransformText,            // 0.1 of the receiver: lowerAscii, upperAscii, substring, trim
  kReplace,                  // 0.2 of the receiver
  kSplit,                    // 0.2 of the receiver
  kJoin,                     // 0.1 of the result (estimate), 0.2 (run)
  kFind,                     // as kMatches
  kIsCanonical,              // 0.2 of the argument
  kContainsIp,
  kContainsIpText,
  kContainsCidr,
  kContainsCidrText,
  kValidate,       // as kMatches, with the pattern size of the format
  kParseSelector,  // a list, 0.1 of the second argument, and 50 for every other character of it: labelSelector
  kAuthorize,      // 350,000: check
  kAccessor,       // 1
};

struct Overload {
  std::string_view name;  // "contains", "optional.of", "_+_"
  bool member = false;    // called as args[0].name(rest)
  NativeFunction call = nullptr;
  CostRule cost = CostRule::kUnit;
  TypeRef result = nullptr;
  std::size_t arity = 0;
  std::array<TypeRef, 4> args = {};
  bool cross_type = false;  // compares numbers of different types: a switch of the environment
};

constexpr Overload Global(std::string_view name, NativeFunction call, CostRule cost, TypeRef result,
                          std::size_t arity = 0, TypeRef a = nullptr, TypeRef b = nullptr, TypeRef c = nullptr,
                          TypeRef d = nullptr) {
  return {name, false, call, cost, result, arity, {a, b, c, d}};
}
constexpr Overload Member(std::string_view name, NativeFunction call, CostRule cost, TypeRef result, std::size_t arity,
                          TypeRef a, TypeRef b = nullptr, TypeRef c = nullptr, TypeRef d = nullptr) {
  return {name, true, call, cost, result, arity, {a, b, c, d}};
}

}  // namespace kumiko::cel
