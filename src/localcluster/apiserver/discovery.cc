#include "localcluster/apiserver/discovery.h"

#include <fmt/format.h>

#include "api/kinds.h"
#include "api/schema/openapi_document.h"
#include "base/text.h"
#include "localcluster/apiserver/response_form.h"

namespace kumiko::localcluster {
namespace {

constexpr std::string_view kAggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

struct Served {
  const api::KindInfo* kind = nullptr;
  api::GroupVersion as;
};

// The resources of a group version, in the order of their names.
std::vector<Served> ResourcesOf(const api::GroupVersion& version) {
  std::vector<Served> served;
  const auto add = [&](const api::KindInfo& kind) {
    const bool stored = kind.group == version.group && kind.version == version.version;
    if (stored || std::find(kind.served_as.begin(), kind.served_as.end(), version) != kind.served_as.end()) {
      served.push_back({&kind, version});
    }
  };
  for (const api::KindInfo& kind : api::AllKinds()) add(kind);
  for (const api::KindInfo& kind : api::ReviewKinds()) add(kind);
  std::sort(served.begin(), served.end(),
            [](const Served& a, const Served& b) { return a.kind->plural < b.kind->plural; });
  return served;
}

JsonArray Names(std::span<const std::string_view> names) {
  JsonArray list;
  for (const std::string_view name : names) list.emplace_back(name);
  return list;
}

JsonArray Verbs(std::string_view verbs) {
  const auto names = Split(verbs, ',');
  return Names(names);
}

Json ResourceList(const api::GroupVersion& version) {
  JsonArray resources;
  for (const Served& served : ResourcesOf(version)) {
    const api::KindInfo& kind = *served.kind;
    JsonObject resource{{"name", kind.plural},
                        {"singularName", kind.singular},
                        {"namespaced", kind.namespaced},
                        {"kind", kind.kind},
                        {"verbs", Verbs(kind.verbs)}};
    if (!kind.short_names.empty()) resource["shortNames"] = Names(kind.short_names);
    if (!kind.categories.empty()) resource["categories"] = Names(kind.categories);
    resources.push_back(std::move(resource));
    for (const api::SubresourceInfo& sub : kind.subresources) {
      JsonObject entry{{"name", fmt::format("{}/{}", kind.plural, sub.name)},
                       {"singularName", ""},
                       {"namespaced", kind.namespaced},
                       {"kind", sub.kind},
                       {"verbs", Verbs(sub.verbs)}};
      if (!sub.of.version.empty()) {
        entry["group"] = sub.of.group;
        entry["version"] = sub.of.version;
      }
      resources.push_back(std::move(entry));
    }
  }
  return {{"kind", "APIResourceList"},
          {"apiVersion", "v1"},
          {"groupVersion", version.Text()},
          {"resources", std::move(resources)}};
}

Json VersionEntry(const api::GroupVersion& version) {
  return {{"groupVersion", version.Text()}, {"version", version.version}};
}

JsonObject Group(const api::GroupInfo& group) {
  JsonArray versions;
  for (const std::string_view version : group.versions) versions.push_back(VersionEntry({group.name, version}));
  return {{"name", group.name},
          {"versions", std::move(versions)},
          {"preferredVersion", VersionEntry({group.name, group.versions.front()})}};
}

Json GroupList() {
  JsonArray groups;
  for (const api::GroupInfo& group : api::AllGroups()) {
    if (!group.name.empty()) groups.push_back(Group(group));
  }
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

JsonObject ResponseKind(const api::GroupVersion& version, std::string_view kind) {
  return {{"group", version.group}, {"version", version.version}, {"kind", kind}};
}

JsonObject AggregatedResource(const Served& served) {
  const api::KindInfo& kind = *served.kind;
  JsonObject resource{{"resource", kind.plural},
                      {"responseKind", ResponseKind(served.as, kind.kind)},
                      {"scope", kind.namespaced ? "Namespaced" : "Cluster"},
                      {"singularResource", kind.singular},
                      {"verbs", Verbs(kind.verbs)}};
  if (!kind.short_names.empty()) resource["shortNames"] = Names(kind.short_names);
  if (!kind.categories.empty()) resource["categories"] = Names(kind.categories);
  JsonArray subresources;
  for (const api::SubresourceInfo& sub : kind.subresources) {
    const api::GroupVersion of = sub.of.version.empty() ? served.as : sub.of;
    subresources.push_back(JsonObject{
        {"subresource", sub.name}, {"responseKind", ResponseKind(of, sub.kind)}, {"verbs", Verbs(sub.verbs)}});
  }
  if (!subresources.empty()) resource["subresources"] = std::move(subresources);
  return resource;
}

// The core group alone at /api, the others at /apis.
Json AggregatedList(bool core) {
  JsonArray groups;
  for (const api::GroupInfo& group : api::AllGroups()) {
    if (group.name.empty() != core) continue;
    JsonArray versions;
    for (const std::string_view version : group.versions) {
      JsonArray resources;
      for (const Served& served : ResourcesOf({group.name, version})) resources.push_back(AggregatedResource(served));
      versions.push_back(
          JsonObject{{"version", version}, {"resources", std::move(resources)}, {"freshness", "Current"}});
    }
    JsonObject metadata{{"creationTimestamp", nullptr}};
    if (!group.name.empty()) metadata["name"] = group.name;
    groups.push_back(JsonObject{{"metadata", std::move(metadata)}, {"versions", std::move(versions)}});
  }
  return {{"kind", "APIGroupDiscoveryList"},
          {"apiVersion", "apidiscovery.k8s.io/v2"},
          {"metadata", JsonObject()},
          {"items", std::move(groups)}};
}

bool WantsAggregated(std::string_view accept) {
  for (const std::string_view entry : Split(accept, ',')) {
    if (entry.find("apidiscovery.k8s.io") == std::string_view::npos || entry.find("v=v2") == std::string_view::npos) {
      continue;
    }
    if (entry.find("v2beta1") == std::string_view::npos && Trim(entry).starts_with("application/json")) return true;
  }
  return false;
}

HttpResponse Answer(const Json& body) {
  return JsonResponse(200, WriteJson(body) + "\n");
}

HttpResponse AnswerAggregated(bool core) {
  HttpResponse response = Answer(AggregatedList(core));
  response.headers.front().second = kAggregatedType;
  response.headers.emplace_back("Vary", "Accept");
  return response;
}

std::string DocumentPath(const api::GroupVersion& version) {
  return version.group.empty() ? fmt::format("api/{}", version.version)
                               : fmt::format("apis/{}/{}", version.group, version.version);
}

Json OpenApiIndex() {
  JsonObject paths;
  for (const api::GroupVersion& version : api::OpenApiGroupVersions()) {
    const std::string path = DocumentPath(version);
    paths[path] = JsonObject{{"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", path,
                                                               api::OpenApiHash(version.group, version.version))}};
  }
  return {{"paths", std::move(paths)}};
}

std::optional<HttpResponse> AnswerOpenApi(std::string_view path) {
  if (path == "/openapi/v3") return Answer(OpenApiIndex());
  for (const api::GroupVersion& version : api::OpenApiGroupVersions()) {
    if (path != "/openapi/v3/" + DocumentPath(version)) continue;
    HttpResponse response = JsonResponse(200, api::OpenApiDocument(version.group, version.version).value_or("{}"));
    response.headers.emplace_back("Etag", fmt::format("\"{}\"", api::OpenApiHash(version.group, version.version)));
    return response;
  }
  return std::nullopt;
}

Json Version() {
  return {{"major", "1"},
          {"minor", "37"},
          {"emulationMajor", "1"},
          {"emulationMinor", "37"},
          {"minCompatibilityMajor", "1"},
          {"minCompatibilityMinor", "36"},
          {"gitVersion", kServedVersion},
          {"gitCommit", ""},
          {"gitTreeState", ""},
          {"buildDate", "1970-01-01T00:00:00Z"},
          {"goVersion", ""},
          {"compiler", ""},
          {"platform", "linux/amd64"}};
}

}  // namespace

std::optional<HttpResponse> AnswerDiscovery(const std::string& path, std::string_view accept) {
  const std::string at = path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
  if (at == "/version") return Answer(Version());
  if (at == "/openapi/v3" || at.starts_with("/openapi/v3/")) return AnswerOpenApi(at);
  if (at == "/api") {
    if (WantsAggregated(accept)) return AnswerAggregated(true);
    return Answer(
        {{"kind", "APIVersions"}, {"versions", JsonArray{"v1"}}, {"serverAddressByClientCIDRs", JsonArray()}});
  }
  if (at == "/apis") return WantsAggregated(accept) ? AnswerAggregated(false) : Answer(GroupList());
  for (const api::GroupInfo& group : api::AllGroups()) {
    const std::string base = group.name.empty() ? "/api" : fmt::format("/apis/{}", group.name);
    if (at == base && !group.name.empty()) {
      JsonObject found{{"kind", "APIGroup"}, {"apiVersion", "v1"}};
      for (auto& [name, value] : Group(group)) found.insert_or_assign(name, std::move(value));
      return Answer(found);
    }
    for (const std::string_view version : group.versions) {
      if (at == fmt::format("{}/{}", base, version)) return Answer(ResourceList({group.name, version}));
    }
  }
  return std::nullopt;
}

}  // namespace kumiko::localcluster
