#include "api/schema/custom_openapi.h"

#include <fmt/format.h>

#include <vector>

#include "api/schema/openapi_paths.h"
#include "api/schema/published_schemas.h"
#include "base/text.h"

namespace kumiko::api {
namespace {

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";

constexpr std::string_view kConventions =
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

Json Reference(std::string_view name, std::string description) {
  return {{"description", std::move(description)},
          {"allOf", JsonArray{JsonObject{{"$ref", fmt::format("{}{}", internal::kSchemaReference, name)}}}}};
}

Json Text(std::string description) {
  return {{"description", std::move(description)}, {"type", "string"}};
}

Json KindsOf(const CustomOpenApi& custom, std::string_view suffix) {
  return JsonArray{JsonObject{{"group", custom.version.group},
                              {"version", custom.version.version},
                              {"kind", fmt::format("{}{}", custom.kind->kind, suffix)}}};
}

// "com.example.v1.Widget".
std::string SchemaName(const CustomOpenApi& custom) {
  std::string name;
  for (const std::string_view part : Split(custom.version.group, '.')) {
    name = name.empty() ? std::string(part) : fmt::format("{}.{}", part, name);
  }
  return fmt::format("{}.{}.{}", name, custom.version.version, custom.kind->kind);
}

// Every object has these, whatever its definition says of them. The texts are those of the API server, which kubectl
// explain shows.
void AddTypeMembers(JsonObject& properties, std::string_view meta, std::string meta_description) {
  properties["apiVersion"] =
      Text(fmt::format("APIVersion defines the versioned schema of this representation of an object. Servers should "
                       "convert recognized schemas to the latest internal value, and may reject unrecognized values. "
                       "More info: {}#resources",
                       kConventions));
  properties["kind"] = Text(
      fmt::format("Kind is a string value representing the REST resource this object represents. Servers may infer "
                  "this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More "
                  "info: {}#types-kinds",
                  kConventions));
  properties["metadata"] = Reference(fmt::format("{}{}", kMeta, meta), std::move(meta_description));
}

Json ObjectSchema(const CustomOpenApi& custom) {
  JsonObject schema = custom.open_api_schema->is_object() ? custom.open_api_schema->get_object() : JsonObject();
  schema["type"] = "object";
  Json& properties = schema["properties"];
  if (!properties.is_object()) properties = JsonObject();
  AddTypeMembers(properties.get_object(), "ObjectMeta",
                 fmt::format("Standard object's metadata. More info: {}#metadata", kConventions));
  schema["x-kubernetes-group-version-kind"] = KindsOf(custom, "");
  return schema;
}

Json ListSchema(const CustomOpenApi& custom, const std::string& item) {
  JsonObject properties;
  AddTypeMembers(properties, "ListMeta",
                 fmt::format("Standard list metadata. More info: {}#types-kinds", kConventions));
  properties["items"] =
      JsonObject{{"description", fmt::format("List of {}. More info: {}", custom.kind->plural, kConventions)},
                 {"type", "array"},
                 {"items", JsonObject{{"$ref", std::string(internal::kSchemaReference) + item}}}};
  return {{"description", fmt::format("{0}List is a list of {0}", custom.kind->kind)},
          {"type", "object"},
          {"required", JsonArray{"items"}},
          {"properties", std::move(properties)},
          {"x-kubernetes-group-version-kind", KindsOf(custom, "List")}};
}

}  // namespace

std::string CustomOpenApiDocument(std::span<const CustomOpenApi> kinds) {
  const internal::PublishedSchemas published;
  JsonObject schemas;
  JsonObject paths;
  for (const CustomOpenApi& custom : kinds) {
    const std::string name = SchemaName(custom);
    schemas[name] = ObjectSchema(custom);
    schemas[name + "List"] = ListSchema(custom, name);
    const PathOptions options{.schema_name =
                                  [&](const GroupVersion& of, std::string_view kind) {
                                    if (kind == custom.kind->kind) return name;
                                    if (kind == std::string(custom.kind->kind) + "List") return name + "List";
                                    return std::string(published.OfKind(of.group, of.version, kind));
                                  },
                              .strategic_merge = StrategicMerge::kNo};
    AddOpenApiPaths(*custom.kind, custom.version, options, paths);
  }
  const std::string paths_text = WriteJson(paths);
  const std::string schemas_text = WriteJson(schemas);
  std::vector<std::string_view> names;
  internal::AppendReferences(paths_text, names);
  internal::AppendReferences(schemas_text, names);
  std::string document =
      R"({"openapi":"3.0.0","info":{"title":"Kubernetes CRD Swagger","version":"v0.1.0"},"components":{"schemas":)";
  document += std::string_view(schemas_text).substr(0, schemas_text.size() - 1);
  for (const auto& [name, text] : published.WithReferences(std::move(names))) {
    if (!text.empty()) document += fmt::format(",\"{}\":{}", name, text);
  }
  document += R"(}},"paths":)" + paths_text + "}";
  return document;
}

}  // namespace kumiko::api
