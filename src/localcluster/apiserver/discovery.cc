#include "localcluster/apiserver/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "api/kinds.h"
#include "api/schema/custom_openapi.h"
#include "api/schema/openapi_document.h"
#include "api/schema/openapi_v2.h"
#include "base/text.h"
#include "localcluster/apiserver/response_form.h"
#include "localcluster/apiserver/storage_version.h"

namespace kumiko::localcluster {
namespace {

constexpr std::string_view kAggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

struct Served {
  const api::KindInfo* kind = nullptr;
  api::GroupVersion as;
};

using CustomKinds = std::vector<std::shared_ptr<const CustomKind>>;

// The groups that are built in, then those of custom resources.
struct Group {
  std::string name;
  std::vector<std::string> versions;  // the preferred one first
};

// As Kubernetes orders versions: v2, v1, v2beta1, v1beta1, v1alpha1, then others by name.
std::tuple<int, std::int64_t, std::int64_t> RankOf(std::string_view version) {
  const auto number = [&](std::size_t& at) {
    const std::size_t begin = at;
    while (at < version.size() && version[at] >= '0' && version[at] <= '9') ++at;
    return ParseInt64(version.substr(begin, at - begin)).value_or(0);
  };
  if (!version.starts_with('v')) return {3, 0, 0};
  std::size_t at = 1;
  const std::int64_t major = number(at);
  if (major == 0) return {3, 0, 0};
  if (at == version.size()) return {0, -major, 0};
  const bool beta = version.substr(at).starts_with("beta");
  if (!beta && !version.substr(at).starts_with("alpha")) return {3, 0, 0};
  at += beta ? 4 : 5;
  return {beta ? 1 : 2, -major, -number(at)};
}

std::vector<Group> GroupsOf(const CustomKinds& custom) {
  std::vector<Group> groups;
  for (const api::GroupInfo& group : api::AllGroups()) {
    groups.push_back({std::string(group.name), {group.versions.begin(), group.versions.end()}});
  }
  for (const auto& kind : custom) {
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& group) { return group.name == kind->info().group; });
    if (found == groups.end()) found = groups.insert(groups.end(), {std::string(kind->info().group), {}});
    for (const CustomVersion& version : kind->versions()) {
      auto& versions = found->versions;
      if (!version.served || std::find(versions.begin(), versions.end(), version.name) != versions.end()) continue;
      versions.push_back(version.name);
      std::sort(versions.begin(), versions.end(), [](const auto& a, const auto& b) {
        return std::pair(RankOf(a), std::string_view(a)) < std::pair(RankOf(b), std::string_view(b));
      });
    }
  }
  std::erase_if(groups, [](const Group& group) { return group.versions.empty(); });
  return groups;
}

// The resources of a group version, in the order of their names.
std::vector<Served> ResourcesOf(const CustomKinds& custom, const api::GroupVersion& version) {
  std::vector<Served> served;
  for (const auto& kind : custom) {
    if (kind->info().group == version.group && kind->FindServed(version.version)) {
      served.push_back({&kind->info(), version});
    }
  }
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

Json ResourceList(const CustomKinds& custom, const api::GroupVersion& version) {
  JsonArray resources;
  for (const Served& served : ResourcesOf(custom, version)) {
    const api::KindInfo& kind = *served.kind;
    JsonObject resource{{"name", kind.plural},
                        {"singularName", kind.singular},
                        {"namespaced", kind.namespaced},
                        {"kind", kind.kind},
                        {"verbs", Verbs(kind.verbs)}};
    if (!kind.short_names.empty()) resource["shortNames"] = Names(kind.short_names);
    if (!kind.categories.empty()) resource["categories"] = Names(kind.categories);
    if (kind.verbs.find("list") != std::string_view::npos) resource["storageVersionHash"] = StorageVersionHash(kind);
    resources.push_back(std::move(resource));
    for (const api::SubresourceInfo& sub : kind.subresources) {
      JsonObject entry{
          {"name", fmt::format("{}/{}", kind.plural, sub.name)}, {"singularName", ""}, {"namespaced", kind.namespaced}};
      if (!sub.of.version.empty()) {
        entry["group"] = sub.of.group;
        entry["version"] = sub.of.version;
      }
      entry["kind"] = sub.kind;
      entry["verbs"] = Verbs(sub.verbs);
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

JsonObject GroupEntry(const Group& group) {
  JsonArray versions;
  for (const std::string& version : group.versions) versions.push_back(VersionEntry({group.name, version}));
  return {{"name", group.name},
          {"versions", std::move(versions)},
          {"preferredVersion", VersionEntry({group.name, group.versions.front()})}};
}

Json GroupList(const CustomKinds& custom) {
  JsonArray groups;
  for (const Group& group : GroupsOf(custom)) {
    if (!group.name.empty()) groups.push_back(GroupEntry(group));
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
Json AggregatedList(const CustomKinds& custom, bool core) {
  JsonArray groups;
  for (const Group& group : GroupsOf(custom)) {
    if (group.name.empty() != core) continue;
    JsonArray versions;
    for (const std::string& version : group.versions) {
      JsonArray resources;
      for (const Served& served : ResourcesOf(custom, {group.name, version}))
        resources.push_back(AggregatedResource(served));
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

HttpResponse AnswerAggregated(const CustomKinds& custom, bool core) {
  HttpResponse response = Answer(AggregatedList(custom, core));
  response.headers.front().second = kAggregatedType;
  response.headers.emplace_back("Vary", "Accept");
  return response;
}

std::string DocumentPath(const api::GroupVersion& version) {
  return version.group.empty() ? fmt::format("api/{}", version.version)
                               : fmt::format("apis/{}/{}", version.group, version.version);
}

// The documents of custom resources, by group version. A text's own hash tells it from the next.
std::string CustomDocument(const CustomKinds& custom, const api::GroupVersion& version) {
  std::vector<api::CustomOpenApi> kinds;
  for (const auto& kind : custom) {
    const CustomVersion* served = kind->info().group == version.group ? kind->FindServed(version.version) : nullptr;
    if (served != nullptr) kinds.push_back({&kind->info(), version, &served->open_api_schema});
  }
  return kinds.empty() ? std::string() : api::CustomOpenApiDocument(kinds);
}

std::string HashOf(std::string_view document) {
  return fmt::format("{:016X}", std::hash<std::string_view>()(document));
}

void AddDocument(JsonObject& paths, const api::GroupVersion& version, std::string_view hash) {
  const std::string path = DocumentPath(version);
  paths[path] = JsonObject{{"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", path, hash)}};
}

Json OpenApiIndex(const CustomKinds& custom) {
  JsonObject paths;
  for (const api::GroupVersion& version : api::OpenApiGroupVersions()) {
    AddDocument(paths, version, api::OpenApiHash(version.group, version.version));
  }
  for (const Group& group : GroupsOf(custom)) {
    for (const std::string& version : group.versions) {
      const std::string document = CustomDocument(custom, {group.name, version});
      if (!document.empty()) AddDocument(paths, {group.name, version}, HashOf(document));
    }
  }
  return {{"paths", std::move(paths)}};
}

HttpResponse Document(std::string text, std::string_view hash) {
  HttpResponse response = JsonResponse(200, std::move(text));
  response.headers.emplace_back("Etag", fmt::format("\"{}\"", hash));
  return response;
}

HttpResponse AnswerOpenApiV2(std::string_view accept) {
  if (accept.find("proto-openapi.spec.v2") == std::string_view::npos) return JsonResponse(200, api::OpenApiV2Json());
  HttpResponse response = JsonResponse(200, api::OpenApiV2Protobuf());
  response.headers.front().second = api::kOpenApiV2Type;
  return response;
}

std::optional<HttpResponse> AnswerOpenApi(const CustomKinds& custom, std::string_view path) {
  if (path == "/openapi/v3") return Answer(OpenApiIndex(custom));
  for (const Group& group : GroupsOf(custom)) {
    for (const std::string& name : group.versions) {
      const api::GroupVersion version{group.name, name};
      if (path != "/openapi/v3/" + DocumentPath(version)) continue;
      if (auto built_in = api::OpenApiDocument(group.name, name)) {
        return Document(std::move(*built_in), api::OpenApiHash(group.name, name));
      }
      std::string document = CustomDocument(custom, version);
      const std::string hash = HashOf(document);
      return Document(std::move(document), hash);
    }
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

std::optional<HttpResponse> AnswerDiscovery(const ServedKinds& kinds, const std::string& path, std::string_view accept,
                                            std::string_view host) {
  const std::string at = path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
  if (at == "/version") return JsonResponse(200, WriteJsonPretty(Version()));
  if (at == "/openapi/v2") return AnswerOpenApiV2(accept);
  const CustomKinds custom = kinds.Custom();
  if (at == "/openapi/v3" || at.starts_with("/openapi/v3/")) return AnswerOpenApi(custom, at);
  if (at == "/api") {
    if (WantsAggregated(accept)) return AnswerAggregated(custom, true);
    const JsonArray addresses{JsonObject{{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", host}}};
    return Answer({{"kind", "APIVersions"}, {"versions", JsonArray{"v1"}}, {"serverAddressByClientCIDRs", addresses}});
  }
  if (at == "/apis") return WantsAggregated(accept) ? AnswerAggregated(custom, false) : Answer(GroupList(custom));
  for (const Group& group : GroupsOf(custom)) {
    const std::string base = group.name.empty() ? "/api" : fmt::format("/apis/{}", group.name);
    if (at == base && !group.name.empty()) {
      JsonObject found{{"kind", "APIGroup"}, {"apiVersion", "v1"}};
      for (auto& [name, value] : GroupEntry(group)) found.insert_or_assign(name, std::move(value));
      return Answer(found);
    }
    for (const std::string& version : group.versions) {
      if (at == fmt::format("{}/{}", base, version)) return Answer(ResourceList(custom, {group.name, version}));
    }
  }
  return std::nullopt;
}

}  // namespace kumiko::localcluster
