// Static types of expressions. Types are immutable and referred to by pointer; composite ones live in a TypePool.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

namespace kumiko::cel {

enum class TypeKind {
  kError,  // of a node already reported; fits everything, so that one mistake is reported once
  kDyn,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kType,
  kList,      // of first
  kMap,       // of first to second
  kOptional,  // of first
  kQuantity,
  kSemver,
  kDevice,
  kVariable,  // stands for a type still to be found; in declarations a parameter
};

struct Type {
  TypeKind kind = TypeKind::kDyn;
  const Type* first = nullptr;
  const Type* second = nullptr;
  std::uint32_t variable = 0;
};
using TypeRef = const Type*;

inline constexpr Type kErrorType{TypeKind::kError};
inline constexpr Type kDynType{TypeKind::kDyn};
inline constexpr Type kNullType{TypeKind::kNull};
inline constexpr Type kBoolType{TypeKind::kBool};
inline constexpr Type kIntType{TypeKind::kInt};
inline constexpr Type kUintType{TypeKind::kUint};
inline constexpr Type kDoubleType{TypeKind::kDouble};
inline constexpr Type kStringType{TypeKind::kString};
inline constexpr Type kBytesType{TypeKind::kBytes};
inline constexpr Type kTypeType{TypeKind::kType};
inline constexpr Type kQuantityType{TypeKind::kQuantity};
inline constexpr Type kSemverType{TypeKind::kSemver};
inline constexpr Type kDeviceType{TypeKind::kDevice};

// As error messages spell it: "map(string, int)", "kubernetes.Quantity".
std::string TypeName(TypeRef type);
bool SameType(TypeRef a, TypeRef b);

// Owns composite types; references stay good while the pool lives.
class TypePool {
 public:
  TypeRef List(TypeRef item) { return Add({TypeKind::kList, item}); }
  TypeRef Map(TypeRef key, TypeRef value) { return Add({TypeKind::kMap, key, value}); }
  TypeRef Optional(TypeRef value) { return Add({TypeKind::kOptional, value}); }
  TypeRef Variable(std::uint32_t number) { return Add({TypeKind::kVariable, nullptr, nullptr, number}); }

 private:
  TypeRef Add(Type type) { return &types_.emplace_back(type); }
  std::deque<Type> types_;
};

}  // namespace kumiko::cel
