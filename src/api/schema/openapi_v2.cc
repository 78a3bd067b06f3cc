#include "api/schema/openapi_v2.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "api/schema/openapi_document.h"
#include "api/schema/published_schemas.h"
#include "base/json.h"

namespace kumiko::api {
namespace {

using internal::PublishedSchemas;

constexpr std::string_view kDefinition = "#/definitions/";

Json Reference(std::string_view of_v3) {
  of_v3.remove_prefix(std::min(of_v3.size(), internal::kSchemaReference.size()));
  return Json(std::string(kDefinition) + std::string(of_v3));
}

// The first reference of `allOf`, which v3 needs for a reference that has something beside it.
const Json* SharedReference(const JsonObject& schema) {
  const Json* all = schema.if_contains("allOf");
  if (all == nullptr || !all->is_array() || all->get_array().empty()) return nullptr;
  return Find(all->get_array().front(), "$ref");
}

Json SchemaOfV2(const Json& schema) {
  const JsonObject* members = schema.if_object();
  if (members == nullptr) return schema;
  JsonObject out;
  const Json* reference = members->if_contains("$ref");
  if (reference == nullptr) reference = SharedReference(*members);
  if (reference != nullptr && reference->is_string()) {
    out["$ref"] = Reference(reference->get_string());
    if (const Json* description = members->if_contains("description")) out["description"] = *description;
    return out;
  }
  for (const auto& [name, value] : *members) {
    if (name == "oneOf") {
      out["type"] = "string";  // a number or a text: v2 has no word for it
    } else if (name == "items" || name == "additionalProperties") {
      out[name] = SchemaOfV2(value);
    } else if (name == "properties" && value.is_object()) {
      JsonObject properties;
      for (const auto& [property, of_property] : value.get_object()) properties[property] = SchemaOfV2(of_property);
      out[name] = std::move(properties);
    } else {
      out[name] = value;
    }
  }
  return out;
}

JsonObject Definitions() {
  const PublishedSchemas published;
  std::vector<std::string_view> names;
  for (const GroupVersion& version : OpenApiGroupVersions()) {
    for (const std::string_view name : published.OfGroupVersion(version.group, version.version)) names.push_back(name);
  }
  JsonObject definitions;
  for (const auto& [name, text] : published.WithReferences(std::move(names))) {
    if (const auto schema = ParseJson(text)) definitions[name] = SchemaOfV2(*schema);
  }
  return definitions;
}

// Messages as bytes; https://protobuf.dev/programming-guides/encoding/.
void PutVarint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void Put(std::string& out, std::uint32_t field, std::string_view bytes) {
  constexpr std::uint32_t kLengthDelimited = 2;
  PutVarint(out, field << 3 | kLengthDelimited);
  PutVarint(out, bytes.size());
  out += bytes;
}

std::string Message(std::uint32_t field, std::string_view bytes) {
  std::string out;
  Put(out, field, bytes);
  return out;
}

// openapi.v2.Any, which holds a value as YAML.
std::string AnyMessage(const Json& value) {
  return Message(2, WriteJson(value));
}

std::string NamedMessage(std::string_view name, std::string_view value) {
  std::string out = Message(1, name);
  Put(out, 2, value);
  return out;
}

std::string SchemaMessage(const Json& schema);

std::string PropertiesMessage(const Json& properties) {
  std::string out;
  for (const auto& [name, schema] : properties.as_object()) Put(out, 1, NamedMessage(name, SchemaMessage(schema)));
  return out;
}

std::string AdditionalMessage(const Json& additional) {
  if (additional.is_object()) return Message(1, SchemaMessage(additional));
  std::string out;
  PutVarint(out, 2U << 3);
  PutVarint(out, additional == Json(true) ? 1 : 0);
  return out;
}

std::string SchemaMessage(const Json& schema) {
  std::string out;
  const JsonObject* members = schema.if_object();
  if (members == nullptr) return out;
  for (const auto& [name, value] : *members) {
    if (name == "$ref") Put(out, 1, value.as_string());
    if (name == "format") Put(out, 2, value.as_string());
    if (name == "description") Put(out, 4, value.as_string());
    if (name == "default") Put(out, 5, AnyMessage(value));
    if (name == "required") {
      for (const Json& required : value.as_array()) Put(out, 19, required.as_string());
    }
    if (name == "additionalProperties") Put(out, 21, AdditionalMessage(value));
    if (name == "type") Put(out, 22, Message(1, value.as_string()));
    if (name == "items") Put(out, 23, Message(1, SchemaMessage(value)));
    if (name == "properties") Put(out, 25, PropertiesMessage(value));
    if (std::string_view(name).starts_with("x-")) Put(out, 31, NamedMessage(name, AnyMessage(value)));
  }
  return out;
}

}  // namespace

std::string OpenApiV2Json() {
  return WriteJson(JsonObject{{"swagger", "2.0"},
                              {"info", JsonObject{{"title", "Kubernetes"}, {"version", "unversioned"}}},
                              {"paths", JsonObject()},
                              {"definitions", Definitions()}});
}

std::string OpenApiV2Protobuf() {
  std::string out = Message(1, "2.0");
  Put(out, 2, NamedMessage("Kubernetes", "unversioned"));  // Info: title and version
  Put(out, 8, "");
  Put(out, 9, PropertiesMessage(Definitions()));
  return out;
}

}  // namespace kumiko::api
