#include "api/schema/schema.h"

#include <fmt/format.h>

#include "api/schema/published_schemas.h"
#include "api/schema/schema_set.h"
#include "base/check.h"
#include "base/guarded.h"

namespace kumiko::api {
namespace {

// The schemas that were asked for, and what they refer to.
struct Served {
  SchemaSet schemas;
  StringFlatMap<const Schema*> kinds;  // "group/version kind"; null for a kind that no document describes
};

const Schema* ReadKind(std::string_view group, std::string_view version, std::string_view kind, SchemaSet& schemas) {
  const internal::PublishedSchemas published;
  const std::string_view name = published.OfKind(group, version, kind);
  if (name.empty()) return nullptr;
  std::vector<SchemaSet::NamedJson> wanted;
  for (const auto& [referred, text] : published.WithReferences({name})) {
    if (schemas.Find(referred) != nullptr) continue;
    Result<Json> json = ParseJson(text);
    KU_CHECK(json.has_value()) << "data/openapi/schemas.json: " << referred << ": " << json.error().message;
    wanted.push_back({referred, std::move(*json)});
  }
  schemas.AddNamed(wanted);
  return schemas.Find(name);
}

}  // namespace

const Schema* SchemaOf(std::string_view group, std::string_view version, std::string_view kind) {
  static Guarded<Served> served;
  const std::string key = fmt::format("{}/{} {}", group, version, kind);
  return served.With([&](Served& all) {
    if (const auto found = all.kinds.find(key); found != all.kinds.end()) return found->second;
    const Schema* schema = ReadKind(group, version, kind, all.schemas);
    all.kinds.emplace(key, schema);
    return schema;
  });
}

}  // namespace kumiko::api
