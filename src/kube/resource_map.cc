#include "kube/resource_map.h"

#include <optional>

#include "api/kinds.h"
#include "base/suggest.h"

namespace kumiko::kube {
namespace {

constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

std::string GroupOf(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == api_version.npos ? "" : std::string(api_version.substr(0, slash));
}

const JsonArray& ListAt(const Json& object, std::string_view key) {
  static const JsonArray empty;
  const Json* list = Find(object, key);
  return list != nullptr && list->is_array() ? list->get_array() : empty;
}

// Those of one aggregated discovery document (apidiscovery.k8s.io/v2, APIGroupDiscoveryList).
void AddResources(const Json& document, std::vector<Resource>& resources) {
  for (const Json& group : ListAt(document, "items")) {
    const std::string_view name = StringAt(group, {"metadata", "name"});
    for (const Json& version : ListAt(group, "versions")) {
      const std::string_view version_name = StringAt(version, {"version"});
      for (const Json& resource : ListAt(version, "resources")) {
        resources.push_back(
            {.api_version = name.empty() ? std::string(version_name) : fmt::format("{}/{}", name, version_name),
             .kind = std::string(StringAt(resource, {"responseKind", "kind"})),
             .plural = std::string(StringAt(resource, {"resource"})),
             .namespaced = StringAt(resource, {"scope"}) == "Namespaced"});
      }
    }
  }
}

struct Wanted {
  std::string_view kind;
  std::string_view group;  // meaningful with `qualified`
  bool qualified = false;
  std::string_view api_version;

  bool Matches(const Resource& resource) const {
    return resource.kind == kind && (!qualified || GroupOf(resource.api_version) == group) &&
           (api_version.empty() || resource.api_version == api_version);
  }
};

std::optional<Resource> FindBuiltIn(const Wanted& wanted) {
  const api::KindInfo* info = api::FindKind(wanted.kind);
  if (info == nullptr) return std::nullopt;
  Resource resource{.api_version = info->ApiVersion(),
                    .kind = std::string(info->kind),
                    .plural = std::string(info->plural),
                    .namespaced = info->namespaced};
  return wanted.Matches(resource) ? std::optional(std::move(resource)) : std::nullopt;
}

std::optional<Resource> FindIn(const std::vector<Resource>& resources, const Wanted& wanted) {
  for (const Resource& resource : resources) {
    if (wanted.Matches(resource)) return resource;
  }
  return std::nullopt;
}

}  // namespace

std::string EscapeUrl(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~' || c == ':';
    escaped += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return escaped;
}

std::string Resource::Path(std::string_view namespace_, std::string_view name, std::string_view subresource) const {
  std::string path = (GroupOf(api_version).empty() ? "/api/" : "/apis/") + api_version;
  if (namespaced && !namespace_.empty()) path += fmt::format("/namespaces/{}", EscapeUrl(namespace_));
  path += "/" + plural;
  if (!name.empty()) path += "/" + EscapeUrl(name);
  if (!subresource.empty()) path += fmt::format("/{}", subresource);
  return path;
}

std::string Resource::Name() const {
  const std::string group = GroupOf(api_version);
  return group.empty() ? plural : plural + "." + group;
}

Result<ResourceMap::Known> ResourceMap::Discover() {
  Known found;
  for (const char* path : {"/api", "/apis"}) {
    KU_TRY(const Json document, fetch_(path, kAggregated), "discovery");
    if (StringAt(document, {"kind"}) != "APIGroupDiscoveryList") {
      return Fail(Code::kUnavailable,
                  "discovery: {} is not aggregated (apidiscovery.k8s.io/v2); the server must be "
                  "Kubernetes 1.30 or later",
                  path);
    }
    AddResources(document, found);
  }
  return found;
}

Result<Resource> ResourceMap::Find(std::string_view kind, std::string_view api_version) {
  Wanted wanted{.kind = kind, .group = "", .qualified = false, .api_version = api_version};
  if (const std::size_t dot = kind.find('.'); dot != kind.npos) {
    wanted = {
        .kind = kind.substr(0, dot), .group = kind.substr(dot + 1), .qualified = true, .api_version = api_version};
  }
  if (std::optional<Resource> built_in = FindBuiltIn(wanted)) return *std::move(built_in);
  std::optional<Resource> known = known_.With([&](const Known& all) { return FindIn(all, wanted); });
  if (known) return *std::move(known);
  // A kind may have been added since the last look.
  KU_TRY(Known found, Discover());
  std::optional<Resource> resource = FindIn(found, wanted);
  std::vector<std::string> kinds;
  for (const Resource& each : found) kinds.push_back(each.kind);
  known_.With([&](Known& all) { all = std::move(found); });
  if (resource) return *std::move(resource);
  const std::optional<std::string> nearest = Suggest(wanted.kind, kinds);
  return Fail(Code::kNotFound, "the server has no kind {}{}{}", kind,
              api_version.empty() ? "" : fmt::format(" of {}", api_version),
              nearest && *nearest != wanted.kind ? fmt::format("; did you mean {}?", *nearest) : "");
}

}  // namespace kumiko::kube
