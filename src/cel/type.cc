#include "cel/type.h"

#include <fmt/core.h>

namespace kumiko::cel {

std::string TypeName(TypeRef type) {
  switch (type->kind) {
    case TypeKind::kError:
      return "!error!";
    case TypeKind::kDyn:
      return "dyn";
    case TypeKind::kNull:
      return "null";
    case TypeKind::kBool:
      return "bool";
    case TypeKind::kInt:
      return "int";
    case TypeKind::kUint:
      return "uint";
    case TypeKind::kDouble:
      return "double";
    case TypeKind::kString:
      return "string";
    case TypeKind::kBytes:
      return "bytes";
    case TypeKind::kType:
      return "type";
    case TypeKind::kList:
      return fmt::format("list({})", TypeName(type->first));
    case TypeKind::kMap:
      return fmt::format("map({}, {})", TypeName(type->first), TypeName(type->second));
    case TypeKind::kOptional:
      return fmt::format("optional_type({})", TypeName(type->first));
    case TypeKind::kQuantity:
      return "kubernetes.Quantity";
    case TypeKind::kSemver:
      return "kubernetes.Semver";
    case TypeKind::kDevice:
      return "kubernetes.DRADevice";
    case TypeKind::kVariable:
      return fmt::format("_var{}", type->variable);
  }
  return "";
}

bool SameType(TypeRef a, TypeRef b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->kind != b->kind || a->variable != b->variable) return false;
  return SameType(a->first, b->first) && SameType(a->second, b->second);
}

}  // namespace kumiko::cel
