#include "api/schema/decoding_place.h"

#include <fmt/format.h>

#include "api/schema/published_schemas.h"

namespace kumiko::api {
namespace {

// "v1.PodSpec" of "io.k8s.api.core.v1.PodSpec".
std::string_view QualifiedName(std::string_view schema_name) {
  const std::size_t last = schema_name.rfind('.');
  if (last == std::string_view::npos) return schema_name;
  const std::size_t before = schema_name.rfind('.', last - 1);
  return before == std::string_view::npos ? schema_name : schema_name.substr(before + 1);
}

std::string_view StructName(const Schema& schema) {
  const std::string_view name = QualifiedName(schema.name);
  return name.substr(name.find('.') + 1);
}

std::string GoType(const Schema& schema) {
  switch (schema.type) {
    case Schema::Type::kString:
      return schema.format == "byte" ? "[]uint8" : "string";
    case Schema::Type::kInteger:
      return schema.format.empty() ? "int64" : schema.format;
    case Schema::Type::kNumber:
      return "float64";
    case Schema::Type::kBoolean:
      return "bool";
    case Schema::Type::kArray:
      return "[]" + (schema.items == nullptr ? "interface {}" : GoType(*schema.items));
    case Schema::Type::kObject:
    case Schema::Type::kIntOrString:
    case Schema::Type::kAny:
      break;
  }
  if (!schema.name.empty()) return std::string(QualifiedName(schema.name));
  return schema.items == nullptr ? "interface {}" : "map[string]" + GoType(*schema.items);
}

}  // namespace

std::string DecodingPlace::Path() const {
  std::string path;
  for (const Step& step : steps_) {
    if (step.owner == nullptr && step.key.data() == nullptr) {
      path += fmt::format("[{}]", step.index);
    } else {
      if (!path.empty()) path += '.';
      path += step.key;
    }
  }
  return path;
}

std::string DecodingPlace::PathOf(std::string_view member) const {
  std::string path = Path();
  if (!path.empty()) path += '.';
  path += member;
  return path;
}

// The type of the member that was entered last as Go's structs name it, less the lists and maps entered since.
std::string DecodingPlace::GoTypeHere(const Schema& schema) const {
  std::size_t member = steps_.size();
  while (member > 0 && steps_[member - 1].owner == nullptr) --member;
  if (member == 0) return GoType(schema);
  const Step& step = steps_[member - 1];
  const Json names = internal::GoTypes().Find(step.owner->name);
  std::string_view declared = StringAt(names, {"types", step.key});
  for (std::size_t inner = member; inner < steps_.size() && !declared.empty(); ++inner) {
    const std::size_t end =
        declared.starts_with('[') || declared.starts_with("map[") ? declared.find(']') : std::string_view::npos;
    declared = end == std::string_view::npos ? std::string_view() : declared.substr(end + 1);
  }
  return declared.empty() ? GoType(schema) : std::string(declared);
}

std::string DecodingPlace::CannotUnmarshal(std::string_view value, const Schema& schema) const {
  return CannotUnmarshalInto(value, GoTypeHere(schema));
}

std::string DecodingPlace::CannotUnmarshalInto(std::string_view value, std::string_view type) const {
  const internal::GoTypes types;
  std::string fields;
  const Schema* owner = nullptr;
  for (const Step& step : steps_) {
    if (step.owner == nullptr) continue;
    owner = step.owner;
    const Json names = types.Find(owner->name);
    const std::string_view within = StringAt(names, {"within", step.key});
    fields += fmt::format("{}{}{}.", within, within.empty() ? "" : ".", step.key);
  }
  if (owner == nullptr) return fmt::format("json: cannot unmarshal {} into Go value of type {}", value, type);
  fields.pop_back();
  return fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}", value, StructName(*owner),
                     fields, type);
}

}  // namespace kumiko::api
