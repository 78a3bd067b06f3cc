#include "api/schema/published_schemas.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "base/compression.h"

namespace kumiko::api::internal {
namespace {

constexpr std::size_t kMaxBytes = 16 << 20;

}  // namespace

void AppendReferences(std::string_view text, std::vector<std::string_view>& names) {
  for (std::size_t at = text.find(kSchemaReference); at != std::string_view::npos;
       at = text.find(kSchemaReference, at)) {
    at += kSchemaReference.size();
    names.push_back(text.substr(at, text.find('"', at) - at));
  }
}

LinesByName::LinesByName(std::string_view compressed) {
  Result<std::string> text = Decompress(compressed, kMaxBytes);
  KU_CHECK(text.has_value()) << text.error().message;
  text_ = std::move(*text);
  std::string_view rest = text_;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    const std::size_t colon = line.find("\":");
    if (!line.starts_with('"') || colon == std::string_view::npos) continue;
    if (line.ends_with(',')) line.remove_suffix(1);
    lines_.push_back({line.substr(1, colon - 1), line.substr(colon + 2)});
  }
}

std::string_view LinesByName::Find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(lines_, name, {}, &Line::name);
  return found == lines_.end() || found->name != name ? std::string_view() : found->text;
}

GoTypes::GoTypes() : types_(CompressedGoTypes()) {}

Json GoTypes::Find(std::string_view struct_name) const {
  const std::string_view text = types_.Find(struct_name);
  if (text.empty()) return nullptr;
  Result<Json> types = ParseJson(text);
  KU_CHECK(types.has_value()) << "data/openapi/go-types.json: " << struct_name << ": " << types.error().message;
  return std::move(*types);
}

PublishedSchemas::PublishedSchemas() : schemas_(CompressedSchemas()) {
  constexpr std::string_view kKey = "\"x-kubernetes-group-version-kind\":[";
  for (const Named& schema : schemas_.all()) {
    // Keys are ordered, so that it stands near the end.
    const std::size_t key = schema.text.rfind(kKey);
    if (key == std::string_view::npos) continue;
    std::string_view rest = schema.text.substr(key + kKey.size());
    while (rest.starts_with('{')) {
      const std::string_view identity = rest.substr(0, rest.find('}') + 1);
      identities_.emplace(identity, schema.name);
      rest.remove_prefix(identity.size());
      if (rest.starts_with(',')) rest.remove_prefix(1);
    }
  }
}

std::vector<std::string_view> PublishedSchemas::OfGroupVersion(std::string_view group, std::string_view version) const {
  const std::string begin = fmt::format(R"({{"group":"{}","kind":")", group);
  const std::string end = fmt::format(R"("version":"{}"}})", version);
  std::vector<std::string_view> names;
  for (const auto& [identity, name] : identities_) {
    if (identity.starts_with(begin) && identity.ends_with(end)) names.push_back(name);
  }
  return names;
}

std::string_view PublishedSchemas::OfKind(std::string_view group, std::string_view version,
                                          std::string_view kind) const {
  const auto found =
      identities_.find(fmt::format(R"({{"group":"{}","kind":"{}","version":"{}"}})", group, kind, version));
  return found == identities_.end() ? std::string_view() : found->second;
}

std::vector<PublishedSchemas::Named> PublishedSchemas::WithReferences(std::vector<std::string_view> names) const {
  std::set<std::string_view> seen;
  std::vector<Named> all;
  while (!names.empty()) {
    const std::string_view name = names.back();
    names.pop_back();
    if (!seen.insert(name).second) continue;
    const std::string_view text = schemas_.Find(name);
    all.push_back({name, text});
    AppendReferences(text, names);
  }
  std::ranges::sort(all, {}, &Named::name);
  return all;
}

}  // namespace kumiko::api::internal
