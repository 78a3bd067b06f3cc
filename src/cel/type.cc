#include "cel/type.h"

#include <fmt/core.h>

namespace kumiko::cel {
namespace {

std::string Spell(TypeRef type, bool qualified) {
  switch (type->kind) {
    case TypeKind::kError:
      return "!error!";
    case TypeKind::kDyn:
      return "dyn";
    case TypeKind::kNull:
      return qualified ? "null_type" : "null";
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
    case TypeKind::kTimestamp:
      return qualified ? "google.protobuf.Timestamp" : "timestamp";
    case TypeKind::kDuration:
      return qualified ? "google.protobuf.Duration" : "duration";
    case TypeKind::kAny:
      return qualified ? "google.protobuf.Any" : "any";
    case TypeKind::kWrapper:
      return fmt::format("wrapper({})", Spell(type->first, qualified));
    case TypeKind::kType:
      return type->first == nullptr ? "type" : fmt::format("type({})", Spell(type->first, qualified));
    case TypeKind::kList:
      return fmt::format("list({})", Spell(type->first, qualified));
    case TypeKind::kMap:
      return fmt::format("map({}, {})", Spell(type->first, qualified), Spell(type->second, qualified));
    case TypeKind::kOptional:
      return fmt::format("optional_type({})", Spell(type->first, qualified));
    case TypeKind::kOpaque:
      return type->first == nullptr ? std::string(type->name)
                                    : fmt::format("{}({})", type->name, Spell(type->first, qualified));
    case TypeKind::kObject:
      return std::string(type->name);
    case TypeKind::kVariable:
      return fmt::format("_var{}", type->variable);
  }
  return "";
}

}  // namespace

std::string TypeName(TypeRef type) {
  return Spell(type, false);
}

std::string QualifiedTypeName(TypeRef type) {
  return Spell(type, true);
}

bool SameType(TypeRef a, TypeRef b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->kind != b->kind || a->variable != b->variable || a->name != b->name) {
    return false;
  }
  return SameType(a->first, b->first) && SameType(a->second, b->second);
}

}  // namespace kumiko::cel
