#include "cel/declarations.h"

#include <algorithm>

namespace kumiko::cel {
namespace {

constexpr Type kA{TypeKind::kVariable, nullptr, nullptr, 0};
constexpr Type kB{TypeKind::kVariable, nullptr, nullptr, 1};
constexpr Type kListA{TypeKind::kList, &kA};
constexpr Type kMapAB{TypeKind::kMap, &kA, &kB};
constexpr Type kOptionalA{TypeKind::kOptional, &kA};
constexpr Type kListString{TypeKind::kList, &kStringType};

constexpr const Type* kInt = &kIntType;
constexpr const Type* kUint = &kUintType;
constexpr const Type* kDouble = &kDoubleType;
constexpr const Type* kString = &kStringType;
constexpr const Type* kBytes = &kBytesType;
constexpr const Type* kBool = &kBoolType;
constexpr const Type* kDyn = &kDynType;
constexpr const Type* kQuantity = &kQuantityType;
constexpr const Type* kSemver = &kSemverType;

constexpr Overload Global(std::string_view name, Function function, TypeRef result, std::size_t arity = 0,
                          TypeRef a = nullptr, TypeRef b = nullptr, TypeRef c = nullptr, TypeRef d = nullptr) {
  return {name, false, function, result, arity, {a, b, c, d}};
}
constexpr Overload Member(std::string_view name, Function function, TypeRef result, std::size_t arity, TypeRef a,
                          TypeRef b = nullptr, TypeRef c = nullptr, TypeRef d = nullptr) {
  return {name, true, function, result, arity, {a, b, c, d}};
}

constexpr Overload kOverloads[] = {
    // Operators.
    Global("!_", Function::kNot, kBool, 1, kBool),
    Global("-_", Function::kNegate, kInt, 1, kInt),
    Global("-_", Function::kNegate, kDouble, 1, kDouble),
    Global("_+_", Function::kAdd, kInt, 2, kInt, kInt),
    Global("_+_", Function::kAdd, kUint, 2, kUint, kUint),
    Global("_+_", Function::kAdd, kDouble, 2, kDouble, kDouble),
    Global("_+_", Function::kAdd, kString, 2, kString, kString),
    Global("_+_", Function::kAdd, kBytes, 2, kBytes, kBytes),
    Global("_+_", Function::kAdd, &kListA, 2, &kListA, &kListA),
    Global("_-_", Function::kSubtract, kInt, 2, kInt, kInt),
    Global("_-_", Function::kSubtract, kUint, 2, kUint, kUint),
    Global("_-_", Function::kSubtract, kDouble, 2, kDouble, kDouble),
    Global("_*_", Function::kMultiply, kInt, 2, kInt, kInt),
    Global("_*_", Function::kMultiply, kUint, 2, kUint, kUint),
    Global("_*_", Function::kMultiply, kDouble, 2, kDouble, kDouble),
    Global("_/_", Function::kDivide, kInt, 2, kInt, kInt),
    Global("_/_", Function::kDivide, kUint, 2, kUint, kUint),
    Global("_/_", Function::kDivide, kDouble, 2, kDouble, kDouble),
    Global("_%_", Function::kModulo, kInt, 2, kInt, kInt),
    Global("_%_", Function::kModulo, kUint, 2, kUint, kUint),
    Global("_==_", Function::kEqual, kBool, 2, &kA, &kA),
    Global("_!=_", Function::kNotEqual, kBool, 2, &kA, &kA),
#define KU_ORDERING(name, function)                                                                         \
  Global(name, function, kBool, 2, kBool, kBool), Global(name, function, kBool, 2, kInt, kInt),             \
      Global(name, function, kBool, 2, kInt, kUint), Global(name, function, kBool, 2, kInt, kDouble),       \
      Global(name, function, kBool, 2, kUint, kUint), Global(name, function, kBool, 2, kUint, kInt),        \
      Global(name, function, kBool, 2, kUint, kDouble), Global(name, function, kBool, 2, kDouble, kDouble), \
      Global(name, function, kBool, 2, kDouble, kInt), Global(name, function, kBool, 2, kDouble, kUint),    \
      Global(name, function, kBool, 2, kString, kString), Global(name, function, kBool, 2, kBytes, kBytes)
    KU_ORDERING("_<_", Function::kLess),
    KU_ORDERING("_<=_", Function::kLessEqual),
    KU_ORDERING("_>_", Function::kGreater),
    KU_ORDERING("_>=_", Function::kGreaterEqual),
#undef KU_ORDERING
    Global("@in", Function::kIn, kBool, 2, &kA, &kListA),
    Global("@in", Function::kIn, kBool, 2, &kA, &kMapAB),
    // Sizes, conversions, types.
    Global("size", Function::kSize, kInt, 1, kString),
    Global("size", Function::kSize, kInt, 1, kBytes),
    Global("size", Function::kSize, kInt, 1, &kListA),
    Global("size", Function::kSize, kInt, 1, &kMapAB),
    Member("size", Function::kSize, kInt, 1, kString),
    Member("size", Function::kSize, kInt, 1, kBytes),
    Member("size", Function::kSize, kInt, 1, &kListA),
    Member("size", Function::kSize, kInt, 1, &kMapAB),
    Global("int", Function::kToInt, kInt, 1, kInt),
    Global("int", Function::kToInt, kInt, 1, kUint),
    Global("int", Function::kToInt, kInt, 1, kDouble),
    Global("int", Function::kToInt, kInt, 1, kString),
    Global("uint", Function::kToUint, kUint, 1, kUint),
    Global("uint", Function::kToUint, kUint, 1, kInt),
    Global("uint", Function::kToUint, kUint, 1, kDouble),
    Global("uint", Function::kToUint, kUint, 1, kString),
    Global("double", Function::kToDouble, kDouble, 1, kDouble),
    Global("double", Function::kToDouble, kDouble, 1, kInt),
    Global("double", Function::kToDouble, kDouble, 1, kUint),
    Global("double", Function::kToDouble, kDouble, 1, kString),
    Global("string", Function::kToString, kString, 1, kString),
    Global("string", Function::kToString, kString, 1, kBool),
    Global("string", Function::kToString, kString, 1, kInt),
    Global("string", Function::kToString, kString, 1, kUint),
    Global("string", Function::kToString, kString, 1, kDouble),
    Global("string", Function::kToString, kString, 1, kBytes),
    Global("bool", Function::kToBool, kBool, 1, kBool),
    Global("bool", Function::kToBool, kBool, 1, kString),
    Global("bytes", Function::kToBytes, kBytes, 1, kBytes),
    Global("bytes", Function::kToBytes, kBytes, 1, kString),
    Global("dyn", Function::kToDyn, kDyn, 1, &kA),
    Global("type", Function::kTypeOf, &kTypeType, 1, &kA),
    // Strings.
    Member("contains", Function::kContains, kBool, 2, kString, kString),
    Member("startsWith", Function::kStartsWith, kBool, 2, kString, kString),
    Member("endsWith", Function::kEndsWith, kBool, 2, kString, kString),
    Member("matches", Function::kMatches, kBool, 2, kString, kString),
    Global("matches", Function::kMatches, kBool, 2, kString, kString),
    Member("charAt", Function::kCharAt, kString, 2, kString, kInt),
    Member("indexOf", Function::kIndexOf, kInt, 2, kString, kString),
    Member("indexOf", Function::kIndexOf, kInt, 3, kString, kString, kInt),
    Member("indexOf", Function::kIndexOf, kInt, 2, &kListA, &kA),
    Member("lastIndexOf", Function::kLastIndexOf, kInt, 2, kString, kString),
    Member("lastIndexOf", Function::kLastIndexOf, kInt, 3, kString, kString, kInt),
    Member("lastIndexOf", Function::kLastIndexOf, kInt, 2, &kListA, &kA),
    Member("lowerAscii", Function::kLowerAscii, kString, 1, kString),
    Member("upperAscii", Function::kUpperAscii, kString, 1, kString),
    Member("replace", Function::kReplace, kString, 3, kString, kString, kString),
    Member("replace", Function::kReplace, kString, 4, kString, kString, kString, kInt),
    Member("split", Function::kSplit, &kListString, 2, kString, kString),
    Member("split", Function::kSplit, &kListString, 3, kString, kString, kInt),
    Member("substring", Function::kSubstring, kString, 2, kString, kInt),
    Member("substring", Function::kSubstring, kString, 3, kString, kInt, kInt),
    Member("trim", Function::kTrim, kString, 1, kString),
    Member("join", Function::kJoin, kString, 1, &kListString),
    Member("join", Function::kJoin, kString, 2, &kListString, kString),
    // Lists.
    Member("includes", Function::kIncludes, kBool, 2, &kListA, &kA),
    Member("includes", Function::kIncludes, kBool, 2, &kA, &kA),
    // Optionals.
    Global("optional.of", Function::kOptionalOf, &kOptionalA, 1, &kA),
    Global("optional.ofNonZeroValue", Function::kOptionalOfNonZero, &kOptionalA, 1, &kA),
    Global("optional.none", Function::kOptionalNone, &kOptionalA, 0),
    Member("hasValue", Function::kHasValue, kBool, 1, &kOptionalA),
    Member("value", Function::kValue, &kA, 1, &kOptionalA),
    Member("or", Function::kOr, &kOptionalA, 2, &kOptionalA, &kOptionalA),
    Member("orValue", Function::kOrValue, &kA, 2, &kOptionalA, &kA),
    // Quantities.
    Global("quantity", Function::kQuantity, kQuantity, 1, kString),
    Global("isQuantity", Function::kIsQuantity, kBool, 1, kString),
    Member("isInteger", Function::kIsInteger, kBool, 1, kQuantity),
    Member("asInteger", Function::kAsInteger, kInt, 1, kQuantity),
    Member("asApproximateFloat", Function::kAsApproximateFloat, kDouble, 1, kQuantity),
    Global("sign", Function::kSign, kInt, 1, kQuantity),
    Member("add", Function::kQuantityAdd, kQuantity, 2, kQuantity, kQuantity),
    Member("add", Function::kQuantityAdd, kQuantity, 2, kQuantity, kInt),
    Member("sub", Function::kQuantitySub, kQuantity, 2, kQuantity, kQuantity),
    Member("sub", Function::kQuantitySub, kQuantity, 2, kQuantity, kInt),
    Member("compareTo", Function::kCompareTo, kInt, 2, kQuantity, kQuantity),
    Member("isGreaterThan", Function::kIsGreaterThan, kBool, 2, kQuantity, kQuantity),
    Member("isLessThan", Function::kIsLessThan, kBool, 2, kQuantity, kQuantity),
    // Semantic versions.
    Global("semver", Function::kSemver, kSemver, 1, kString),
    Global("semver", Function::kSemver, kSemver, 2, kString, kBool),
    Global("isSemver", Function::kIsSemver, kBool, 1, kString),
    Global("isSemver", Function::kIsSemver, kBool, 2, kString, kBool),
    Member("major", Function::kMajor, kInt, 1, kSemver),
    Member("minor", Function::kMinor, kInt, 1, kSemver),
    Member("patch", Function::kPatch, kInt, 1, kSemver),
    Member("compareTo", Function::kCompareTo, kInt, 2, kSemver, kSemver),
    Member("isGreaterThan", Function::kIsGreaterThan, kBool, 2, kSemver, kSemver),
    Member("isLessThan", Function::kIsLessThan, kBool, 2, kSemver, kSemver),
};

constexpr Type kListDyn{TypeKind::kList, &kDynType};
constexpr Type kMapDyn{TypeKind::kMap, &kDynType, &kDynType};
constexpr Type kOptionalDyn{TypeKind::kOptional, &kDynType};
constexpr std::pair<std::string_view, TypeRef> kTypeNames[] = {{"int", kInt},
                                                               {"uint", kUint},
                                                               {"double", kDouble},
                                                               {"string", kString},
                                                               {"bytes", kBytes},
                                                               {"bool", kBool},
                                                               {"list", &kListDyn},
                                                               {"map", &kMapDyn},
                                                               {"type", &kTypeType},
                                                               {"null_type", &kNullType},
                                                               {"optional_type", &kOptionalDyn}};

}  // namespace

std::span<const Overload> Overloads() {
  return kOverloads;
}

bool IsFunctionName(std::string_view name) {
  return std::any_of(std::begin(kOverloads), std::end(kOverloads),
                     [name](const Overload& overload) { return overload.name == name; });
}

TypeRef TypeByName(std::string_view name) {
  for (const auto& [spelling, type] : kTypeNames) {
    if (spelling == name) return type;
  }
  return nullptr;
}

}  // namespace kumiko::cel
