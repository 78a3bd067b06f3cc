#include "api/schema/embedded_resources.h"

#include <fmt/format.h>

#include "api/schema/field_validation.h"
#include "api/schema/go_error_text.h"

namespace kumiko::api::internal {
namespace {

// "spec.template" of a property, "spec[key]" of what additionalProperties describes.
std::string MemberPath(const std::string& path, std::string_view name, const StructuralNode& node) {
  if (node.Property(name) == nullptr) return fmt::format("{}[{}]", path, name);
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

// apiVersion, kind and metadata of an object inside an object.
void CheckIdentity(const JsonObject& object, const std::string& path, std::vector<FieldError>& errors) {
  for (const std::string_view name : {"apiVersion", "kind"}) {
    const std::string at = path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
    const Json* value = object.if_contains(name);
    if (value == nullptr) {
      errors.push_back(RequiredValue(at));
    } else if (!value->is_string()) {
      errors.push_back(InvalidValue(at, *value, "must be a string"));
    } else if (value->get_string().empty()) {
      errors.push_back(InvalidValue(at, *value, "must not be empty"));
    }
  }
}

}  // namespace

const Schema& ObjectMetaSchema() {
  return *SchemaOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition")->Find("metadata");
}

void CheckEmbedded(const Json& value, const StructuralNode* node, const std::string& path,
                   std::vector<FieldError>& errors) {
  if (node == nullptr) return;
  if (const JsonObject* object = value.if_object()) {
    if (node->embedded) CheckIdentity(*object, path, errors);
    for (const auto& [name, member] : *object) {
      CheckEmbedded(member, node->Member(name), MemberPath(path, name, *node), errors);
    }
  } else if (const JsonArray* list = value.if_array()) {
    for (std::size_t index = 0; index < list->size(); ++index) {
      CheckEmbedded((*list)[index], node->items, fmt::format("{}[{}]", path, index), errors);
    }
  }
}

Status ReadEmbeddedMeta(Json& value, const StructuralNode* node, const std::string& path,
                        std::vector<std::string>& unknown) {
  if (node == nullptr) return {};
  if (JsonObject* object = value.if_object()) {
    if (Json* metadata = object->if_contains("metadata"); metadata != nullptr && node->embedded) {
      const std::string at = path.empty() ? "metadata" : fmt::format("{}.metadata", path);
      Result<DecodedObject> decoded = DecodeBySchema(*metadata, ObjectMetaSchema());
      if (!decoded) {
        const FieldError error = InvalidValue(at, *metadata, decoded.error().message);
        return Fail(Code::kInvalidArgument, "{}: {}", error.path, error.message);
      }
      *metadata = std::move(decoded->object);
      for (const std::string& error : decoded->strict_errors) unknown.push_back(StrictErrorBelow(at, error));
    }
    for (auto& entry : *object) {
      KU_TRY_OK(
          ReadEmbeddedMeta(entry.value(), node->Member(entry.key()), MemberPath(path, entry.key(), *node), unknown));
    }
  } else if (JsonArray* list = value.if_array()) {
    for (std::size_t index = 0; index < list->size(); ++index) {
      KU_TRY_OK(ReadEmbeddedMeta((*list)[index], node->items, fmt::format("{}[{}]", path, index), unknown));
    }
  }
  return {};
}

}  // namespace kumiko::api::internal
