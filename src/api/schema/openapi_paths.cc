#include "api/schema/openapi_paths.h"

#include <fmt/format.h>

#include <array>

#include "api/schema/published_schemas.h"

namespace kumiko::api {
namespace {

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";

struct Parameter {
  std::string_view name;
  std::string_view type;
};

constexpr std::array kListParameters = {
    Parameter{"allowWatchBookmarks", "boolean"},
    Parameter{"continue", "string"},
    Parameter{"fieldSelector", "string"},
    Parameter{"labelSelector", "string"},
    Parameter{"limit", "integer"},
    Parameter{"pretty", "string"},
    Parameter{"resourceVersion", "string"},
    Parameter{"resourceVersionMatch", "string"},
    Parameter{"sendInitialEvents", "boolean"},
    Parameter{"timeoutSeconds", "integer"},
    Parameter{"watch", "boolean"},
};
constexpr std::array kReadParameters = {Parameter{"pretty", "string"}};
constexpr std::array kWriteParameters = {Parameter{"dryRun", "string"}, Parameter{"fieldManager", "string"},
                                         Parameter{"fieldValidation", "string"}, Parameter{"pretty", "string"}};
constexpr std::array kPatchParameters = {Parameter{"dryRun", "string"}, Parameter{"fieldManager", "string"},
                                         Parameter{"fieldValidation", "string"}, Parameter{"force", "boolean"},
                                         Parameter{"pretty", "string"}};
constexpr std::array kDeleteParameters = {Parameter{"dryRun", "string"}, Parameter{"gracePeriodSeconds", "integer"},
                                          Parameter{"orphanDependents", "boolean"}, Parameter{"pretty", "string"},
                                          Parameter{"propagationPolicy", "string"}};
constexpr std::array kDeleteManyParameters = {
    Parameter{"continue", "string"},          Parameter{"dryRun", "string"},
    Parameter{"fieldSelector", "string"},     Parameter{"gracePeriodSeconds", "integer"},
    Parameter{"labelSelector", "string"},     Parameter{"limit", "integer"},
    Parameter{"orphanDependents", "boolean"}, Parameter{"pretty", "string"},
    Parameter{"propagationPolicy", "string"}, Parameter{"resourceVersion", "string"},
};

// One request: which verb of discovery allows it, how OpenAPI calls it, what it takes.
struct Operation {
  std::string_view verb;
  std::string_view method;
  std::string_view action;  // x-kubernetes-action
  std::span<const Parameter> parameters;
};

constexpr std::array kOfCollection = {
    Operation{"list", "get", "list", kListParameters},
    Operation{"create", "post", "post", kWriteParameters},
    Operation{"deletecollection", "delete", "deletecollection", kDeleteManyParameters},
};
constexpr std::array kOfObject = {
    Operation{"get", "get", "get", kReadParameters},
    Operation{"update", "put", "put", kWriteParameters},
    Operation{"patch", "patch", "patch", kPatchParameters},
    Operation{"delete", "delete", "delete", kDeleteParameters},
};
constexpr std::array kOfSubresource = {
    Operation{"get", "get", "get", kReadParameters},
    Operation{"create", "post", "post", kWriteParameters},
    Operation{"update", "put", "put", kWriteParameters},
    Operation{"patch", "patch", "patch", kPatchParameters},
};

bool HasVerb(std::string_view verbs, std::string_view verb) {
  for (std::size_t begin = 0; begin <= verbs.size();) {
    const std::size_t end = std::min(verbs.find(',', begin), verbs.size());
    if (verbs.substr(begin, end - begin) == verb) return true;
    begin = end + 1;
  }
  return false;
}

JsonObject Content(std::string_view media_type, const std::string& schema) {
  const Json described = schema.empty()
                             ? Json(JsonObject{{"type", "string"}})
                             : Json(JsonObject{{"$ref", fmt::format("{}{}", internal::kSchemaReference, schema)}});
  return {{media_type, JsonObject{{"schema", described}}}};
}

JsonArray QueryParameters(std::span<const Parameter> parameters) {
  JsonArray all;
  for (const auto& [name, type] : parameters) {
    all.push_back({{"name", name}, {"in", "query"}, {"schema", {{"type", type}, {"uniqueItems", true}}}});
  }
  return all;
}

Json PathParameter(std::string_view name) {
  return {{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}, {"uniqueItems", true}}}};
}

struct Sent {
  GroupVersion of;
  std::string_view kind;
};

// What the request carries; nothing for reads.
JsonObject RequestContent(const Operation& operation, const std::string& schema, const PathOptions& options) {
  if (operation.method == "post" || operation.method == "put") return Content("*/*", schema);
  if (operation.method == "delete") return Content("*/*", fmt::format("{}DeleteOptions", kMeta));
  JsonObject content;
  if (operation.method != "patch") return content;
  for (const std::string_view form : {"application/apply-patch+yaml", "application/json-patch+json",
                                      "application/merge-patch+json", "application/strategic-merge-patch+json"}) {
    if (form.find("strategic") != std::string_view::npos && options.strategic_merge == StrategicMerge::kNo) continue;
    JsonObject one = Content(form, fmt::format("{}Patch", kMeta));
    content.insert(one.begin(), one.end());
  }
  return content;
}

JsonObject Described(const Operation& operation, const Sent& sent, const PathOptions& options) {
  const std::string schema = options.schema_name(sent.of, sent.kind);
  std::string answered = schema;
  if (operation.action == "list") answered = options.schema_name(sent.of, fmt::format("{}List", sent.kind));
  if (operation.method == "delete") answered = fmt::format("{}Status", kMeta);
  JsonObject described;
  described["parameters"] = QueryParameters(operation.parameters);
  if (JsonObject content = RequestContent(operation, schema, options); !content.empty()) {
    described["requestBody"] = {{"content", std::move(content)}, {"required", operation.method != "delete"}};
  }
  const std::string_view code = operation.method == "post" ? "201" : "200";
  const std::string_view word = operation.method == "post" ? "Created" : "OK";
  described["responses"] = {{code, {{"description", word}, {"content", Content("application/json", answered)}}}};
  described["x-kubernetes-action"] = operation.action;
  described["x-kubernetes-group-version-kind"] = {
      {"group", sent.of.group}, {"kind", sent.kind}, {"version", sent.of.version}};
  return described;
}

struct Place {
  std::string path;
  std::span<const Operation> operations;
  std::string_view verbs;
  Sent sent;
  JsonArray parameters;
};

void AddPath(const Place& place, const PathOptions& options, JsonObject& paths) {
  JsonObject item;
  for (const Operation& operation : place.operations) {
    if (HasVerb(place.verbs, operation.verb)) item[operation.method] = Described(operation, place.sent, options);
  }
  if (item.empty()) return;
  item["parameters"] = place.parameters;
  paths[place.path] = std::move(item);
}

}  // namespace

void AddOpenApiPaths(const KindInfo& kind, const GroupVersion& served, const PathOptions& options, JsonObject& paths) {
  const std::string root = fmt::format("/{}/{}", served.group.empty() ? "api" : "apis", served.Text());
  const std::string collection =
      fmt::format("{}{}/{}", root, kind.namespaced ? "/namespaces/{namespace}" : "", kind.plural);
  const std::string object = collection + "/{name}";
  const Sent sent{served, kind.kind};
  JsonArray outer;
  if (kind.namespaced) outer.push_back(PathParameter("namespace"));
  JsonArray inner = outer;
  inner.push_back(PathParameter("name"));

  AddPath({collection, kOfCollection, kind.verbs, sent, outer}, options, paths);
  if (kind.namespaced && HasVerb(kind.verbs, "list")) {
    AddPath({fmt::format("{}/{}", root, kind.plural), std::span(kOfCollection).first(1), kind.verbs, sent, {}}, options,
            paths);
  }
  AddPath({object, kOfObject, kind.verbs, sent, inner}, options, paths);
  for (const SubresourceInfo& subresource : kind.subresources) {
    const GroupVersion of = subresource.of.version.empty() ? served : subresource.of;
    AddPath({fmt::format("{}/{}", object, subresource.name),
             kOfSubresource,
             subresource.verbs,
             {of, subresource.kind},
             inner},
            options, paths);
  }
}

}  // namespace kumiko::api
