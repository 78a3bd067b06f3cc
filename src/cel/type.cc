#include "cel/type.h"

#include <fmt/core.h>

#include <cstddef>
#include <iterator>

namespace kumiko::cel {
namespace {

struct Names {
  std::string_view plain;
  std::string_view qualified;
};

// Without the parts of a type. Those with names of their own have none here.
constexpr Names kNames[] = {{"!error!", "!error!"},
                            {"dyn", "dyn"},
                            {"null", "null_type"},
                            {"bool", "bool"},
                            {"int", "int"},
                            {"uint", "uint"},
                            {"double", "double"},
                            {"string", "string"},
                            {"bytes", "bytes"},
                            {"timestamp", "google.protobuf.Timestamp"},
                            {"duration", "google.protobuf.Duration"},
                            {"any", "google.protobuf.Any"},
                            {"wrapper", "wrapper"},
                            {"type", "type"},
                            {"list", "list"},
                            {"map", "map"},
                            {"optional_type", "optional_type"}};
static_assert(std::size(kNames) == static_cast<std::size_t>(TypeKind::kOpaque));

bool HasOwnName(TypeRef type) {
  return type->kind == TypeKind::kOpaque || type->kind == TypeKind::kObject;
}

std::string Spell(TypeRef type, bool qualified) {
  if (type->kind == TypeKind::kVariable) return fmt::format("_var{}", type->variable);
  const Names names = HasOwnName(type) ? Names{type->name, type->name} : kNames[static_cast<std::size_t>(type->kind)];
  std::string text(qualified ? names.qualified : names.plain);
  if (type->first == nullptr) return text;
  text += '(' + Spell(type->first, qualified);
  for (TypeRef rest = type->second; rest != nullptr;) {
    const bool more = type->kind == TypeKind::kOpaque;
    text += ", " + Spell(more ? rest->first : rest, qualified);
    rest = more ? rest->second : nullptr;
  }
  return text + ')';
}

}  // namespace

std::string TypeName(TypeRef type) {
  return Spell(type, false);
}

std::string QualifiedTypeName(TypeRef type) {
  return Spell(type, true);
}

std::string_view RuntimeTypeName(TypeRef type) {
  if (HasOwnName(type)) return type->name;
  if (type->kind == TypeKind::kWrapper) return RuntimeTypeName(type->first);
  const bool open = type->kind == TypeKind::kVariable || type->kind == TypeKind::kError;
  return kNames[static_cast<std::size_t>(open ? TypeKind::kDyn : type->kind)].qualified;
}

bool SameType(TypeRef a, TypeRef b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->kind != b->kind || a->variable != b->variable || a->name != b->name) {
    return false;
  }
  return SameType(a->first, b->first) && SameType(a->second, b->second);
}

}  // namespace kumiko::cel
