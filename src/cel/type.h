// Static types of expressions. Types are immutable and referred to by pointer; composite ones live in a TypePool.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace kumiko::cel {

enum class TypeKind : std::uint8_t {
  kError,  // of a node already reported; fits everything, so that one mistake is reported once
  kDyn,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,
  kDuration,
  kAny,       // google.protobuf.Any
  kWrapper,   // google.protobuf.Int64Value and its like: a scalar (first) or null
  kType,      // the type of a type; of first, when that is known
  kList,      // of first
  kMap,       // of first to second
  kOptional,  // of first
  kOpaque,    // named, without fields: net.IP; of first and, when there are more parts, the rest in second
  kObject,    // named, with the fields that the environment declares: kubernetes.DRADevice
  kVariable,  // stands for a type still to be found; in declarations a parameter
};

struct Type {
  TypeKind kind = TypeKind::kDyn;
  const Type* first = nullptr;
  const Type* second = nullptr;
  std::uint32_t variable = 0;
  std::string_view name = {};  // of kOpaque and kObject; lives as long as the type
  std::uint32_t weight = 1;    // how many types it is made of, itself included; set by the pool
  bool closed = false;         // whether it is known to hold no variable; set by the pool
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
inline constexpr Type kTimestampType{TypeKind::kTimestamp};
inline constexpr Type kDurationType{TypeKind::kDuration};
inline constexpr Type kAnyType{TypeKind::kAny};
inline constexpr Type kTypeType{TypeKind::kType};

inline constexpr Type kQuantityType{TypeKind::kObject, nullptr, nullptr, 0, "kubernetes.Quantity"};
inline constexpr Type kSemverType{TypeKind::kObject, nullptr, nullptr, 0, "kubernetes.Semver"};
inline constexpr Type kUrlType{TypeKind::kObject, nullptr, nullptr, 0, "kubernetes.URL"};
inline constexpr Type kNamedFormatType{TypeKind::kObject, nullptr, nullptr, 0, "kubernetes.NamedFormat"};
inline constexpr Type kIpType{TypeKind::kOpaque, nullptr, nullptr, 0, "net.IP"};
inline constexpr Type kCidrType{TypeKind::kOpaque, nullptr, nullptr, 0, "net.CIDR"};

// For declarations.
inline constexpr Type kParameterA{TypeKind::kVariable, nullptr, nullptr, 0};
inline constexpr Type kParameterB{TypeKind::kVariable, nullptr, nullptr, 1};
inline constexpr Type kListOfA{TypeKind::kList, &kParameterA};
inline constexpr Type kListOfB{TypeKind::kList, &kParameterB};
inline constexpr Type kListOfListOfA{TypeKind::kList, &kListOfA};
inline constexpr Type kMapOfAToB{TypeKind::kMap, &kParameterA, &kParameterB};
inline constexpr Type kOptionalOfA{TypeKind::kOptional, &kParameterA};
inline constexpr Type kListOfOptionalOfA{TypeKind::kList, &kOptionalOfA};
inline constexpr Type kListOfDyn{TypeKind::kList, &kDynType};
inline constexpr Type kListOfString{TypeKind::kList, &kStringType};
inline constexpr Type kListOfInt{TypeKind::kList, &kIntType};
inline constexpr Type kListOfUint{TypeKind::kList, &kUintType};
inline constexpr Type kListOfDouble{TypeKind::kList, &kDoubleType};
inline constexpr Type kListOfBool{TypeKind::kList, &kBoolType};
inline constexpr Type kListOfBytes{TypeKind::kList, &kBytesType};
inline constexpr Type kListOfDuration{TypeKind::kList, &kDurationType};
inline constexpr Type kListOfTimestamp{TypeKind::kList, &kTimestampType};
inline constexpr Type kOptionalOfListOfString{TypeKind::kOptional, &kListOfString};
inline constexpr Type kOptionalOfNamedFormat{TypeKind::kOptional, &kNamedFormatType};
inline constexpr Type kTypeOfA{TypeKind::kType, &kParameterA};

// As error messages spell it: "map(string, int)", "kubernetes.Quantity".
std::string TypeName(TypeRef type);
// As results spell it: google.protobuf.Timestamp and null_type for timestamp and null.
std::string QualifiedTypeName(TypeRef type);
// What type(x) is called for values of the type: "map", "google.protobuf.Timestamp".
std::string_view RuntimeTypeName(TypeRef type);
bool SameType(TypeRef a, TypeRef b);

// Owns composite types and their names; references stay good while the pool lives. A type made of more than kMaxWeight
// others is dyn: text such as cel.bind(b, {a: a}, cel.bind(c, {b: b}, ...)) would double it with every step.
class TypePool {
 public:
  TypeRef List(TypeRef item) { return Add({TypeKind::kList, item}); }
  TypeRef Map(TypeRef key, TypeRef value) { return Add({TypeKind::kMap, key, value}); }
  TypeRef Optional(TypeRef value) { return Add({TypeKind::kOptional, value}); }
  TypeRef TypeOf(TypeRef type) { return Add({TypeKind::kType, type}); }
  TypeRef Wrapper(TypeRef scalar) { return Add({TypeKind::kWrapper, scalar}); }
  TypeRef Variable(std::uint32_t number) { return Add({TypeKind::kVariable, nullptr, nullptr, number}); }
  TypeRef Object(std::string name) {
    return Add({TypeKind::kObject, nullptr, nullptr, 0, names_.emplace_back(std::move(name))});
  }
  TypeRef Opaque(std::string name, TypeRef first = nullptr, TypeRef rest = nullptr) {
    return Add({TypeKind::kOpaque, first, rest, 0, names_.emplace_back(std::move(name))});
  }

 private:
  static constexpr std::uint32_t kMaxWeight = 2'000;

  static bool IsClosed(TypeRef type) {
    return type == nullptr || type->closed || (type->first == nullptr && type->kind != TypeKind::kVariable);
  }

  TypeRef Add(Type type) {
    type.closed = type.kind != TypeKind::kVariable && IsClosed(type.first) && IsClosed(type.second);
    if (type.first != nullptr) type.weight += type.first->weight;
    if (type.second != nullptr) type.weight += type.second->weight;
    return type.weight > kMaxWeight ? &kDynType : &types_.emplace_back(type);
  }
  std::deque<Type> types_;
  std::deque<std::string> names_;
};

}  // namespace kumiko::cel
