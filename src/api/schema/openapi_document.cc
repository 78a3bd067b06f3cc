#include "api/schema/openapi_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "api/schema/openapi_paths.h"
#include "api/schema/published_schemas.h"

namespace kumiko::api {
namespace {

using internal::PublishedSchemas;

bool IsServedIn(const KindInfo& kind, const GroupVersion& wanted) {
  return wanted == GroupVersion{kind.group, kind.version} ||
         std::ranges::find(kind.served_as, wanted) != kind.served_as.end();
}

std::string PathsText(const GroupVersion& served, const PublishedSchemas& published) {
  const PathOptions options{.schema_name = [&](const GroupVersion& of, std::string_view kind) {
    return std::string(published.OfKind(of.group, of.version, kind));
  }};
  JsonObject paths;
  for (const std::span<const KindInfo> kinds : {AllKinds(), ReviewKinds()}) {
    for (const KindInfo& kind : kinds) {
      if (IsServedIn(kind, served)) AddOpenApiPaths(kind, served, options, paths);
    }
  }
  return WriteJson(paths);
}

std::uint64_t Fnv1a(std::string_view text, std::uint64_t hash) {
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  return hash;
}

struct Hashed {
  GroupVersion of;
  std::string hash;
};

const std::vector<Hashed>& Hashes() {
  static const std::vector<Hashed> hashes = [] {
    const PublishedSchemas published;
    const std::uint64_t schemas = Fnv1a(internal::CompressedSchemas(), 0xCBF29CE484222325);
    std::vector<Hashed> all;
    for (const GroupVersion& served : OpenApiGroupVersions()) {
      all.push_back({served, fmt::format("{:016X}", Fnv1a(PathsText(served, published), schemas))});
    }
    return all;
  }();
  return hashes;
}

}  // namespace

std::span<const GroupVersion> OpenApiGroupVersions() {
  static const std::vector<GroupVersion> all = [] {
    std::vector<GroupVersion> found;
    for (const GroupInfo& group : AllGroups()) {
      for (const std::string_view version : group.versions) found.push_back({group.name, version});
    }
    return found;
  }();
  return all;
}

std::optional<std::string> OpenApiDocument(std::string_view group, std::string_view version) {
  const GroupVersion wanted{group, version};
  const auto served = OpenApiGroupVersions();
  if (std::ranges::find(served, wanted) == served.end()) return std::nullopt;

  const PublishedSchemas published;
  const std::string paths = PathsText(wanted, published);
  std::vector<std::string_view> names = published.OfGroupVersion(group, version);
  internal::AppendReferences(paths, names);
  std::string document =
      R"({"openapi":"3.0.0","info":{"title":"Kubernetes","version":"unversioned"},"components":{"schemas":{)";
  std::string_view separator = "";
  for (const auto& [name, text] : published.WithReferences(std::move(names))) {
    document += fmt::format("{}\"{}\":", separator, name);
    document += text;
    separator = ",";
  }
  document += R"(}},"paths":)";
  document += paths;
  document += '}';
  return document;
}

std::string_view OpenApiHash(std::string_view group, std::string_view version) {
  const auto& all = Hashes();
  const auto found = std::ranges::find(all, GroupVersion{group, version}, &Hashed::of);
  return found == all.end() ? std::string_view() : std::string_view(found->hash);
}

}  // namespace kumiko::api
