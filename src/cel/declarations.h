// The functions that an expression may call, with the types they take: operators, the standard library and the
// Kubernetes libraries.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "cel/type.h"

namespace kumiko::cel {

// What runs for a call. One function serves all overloads of a name and looks at the kinds of its arguments.
enum class Function {
  kNone,
  kNot,
  kNegate,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kIndex,
  kSize,
  kToInt,
  kToUint,
  kToDouble,
  kToString,
  kToBool,
  kToBytes,
  kToDyn,
  kTypeOf,
  kContains,
  kStartsWith,
  kEndsWith,
  kMatches,
  kCharAt,
  kIndexOf,
  kLastIndexOf,
  kLowerAscii,
  kUpperAscii,
  kReplace,
  kSplit,
  kSubstring,
  kTrim,
  kJoin,
  kIncludes,
  kOptionalOf,
  kOptionalOfNonZero,
  kOptionalNone,
  kHasValue,
  kValue,
  kOr,
  kOrValue,
  kQuantity,
  kIsQuantity,
  kIsInteger,
  kAsInteger,
  kAsApproximateFloat,
  kSign,
  kQuantityAdd,
  kQuantitySub,
  kCompareTo,
  kIsGreaterThan,
  kIsLessThan,
  kSemver,
  kIsSemver,
  kMajor,
  kMinor,
  kPatch,
};

struct Overload {
  std::string_view name;  // "contains", "optional.of", "_+_"
  bool member = false;    // called as args[0].name(rest)
  Function function = Function::kNone;
  TypeRef result = nullptr;
  std::size_t arity = 0;
  std::array<TypeRef, 4> args = {};
};

std::span<const Overload> Overloads();
bool IsFunctionName(std::string_view name);
// The type that an identifier such as `int` names; null when it names none.
TypeRef TypeByName(std::string_view name);

}  // namespace kumiko::cel
