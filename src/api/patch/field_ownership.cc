#include "api/patch/field_ownership.h"

#include <map>
#include <set>
#include <utility>

namespace kumiko::api {
namespace {

// Nothing when the version is not served.
std::optional<TypedObject> Convert(const TypedObject& object, std::string_view api_version,
                                   const FieldManagement& kind) {
  if (object.api_version() == api_version) return object;
  if (!kind.convert) return std::nullopt;
  auto converted = kind.convert(object.object(), api_version);
  if (!converted) return std::nullopt;
  return TypedObject(std::move(converted->object), *converted->schema, api_version);
}

Comparison CompareVersions(const TypedObject& before, const TypedObject& after, const FieldSet& reset) {
  Comparison comparison = CompareStructured(before.object(), after.object(), before.structure());
  if (reset.Empty()) return comparison;
  comparison.removed = RecursiveDifference(comparison.removed, reset);
  comparison.modified = RecursiveDifference(comparison.modified, reset);
  comparison.added = RecursiveDifference(comparison.added, reset);
  return comparison;
}

// The fields of each manager in the words of today's schema; managers of versions that are not served go.
void FollowSchema(const TypedObject& live, const FieldManagement& kind, ManagedFields& managed) {
  std::map<std::string, std::optional<Structure>> structures;
  for (auto at = managed.begin(); at != managed.end();) {
    Ownership& ownership = at->second;
    const auto [known, is_new] = structures.try_emplace(ownership.api_version);
    if (is_new) {
      if (const auto object = Convert(live, ownership.api_version, kind)) known->second = object->structure();
    }
    if (!known->second) {
      at = managed.erase(at);
      continue;
    }
    ownership.fields = FieldsUnderSchema(std::move(ownership.fields), *known->second);
    ++at;
  }
}

// What is in `merged` and owned by somebody stays, even when `pruned` lacks it.
TypedObject AddBackOwned(TypedObject merged, TypedObject pruned, const std::string& first_version,
                         const ManagedFields& managed, const FieldManagement& kind) {
  std::map<std::string, FieldSet> owned;
  for (const auto& [id, ownership] : managed) {
    FieldSet& fields = owned[ownership.api_version];
    fields = Union(fields, ownership.fields);
  }
  const auto add_back = [&](const std::string& version, const FieldSet& fields) {
    auto all = Convert(merged, version, kind);
    auto rest = Convert(pruned, version, kind);
    if (!all || !rest) return;
    const Structure structure = all->structure();
    const FieldSet kept =
        Union(WithNamedMembers(FieldsOf(rest->object(), structure), structure), WithNamedMembers(fields, structure));
    const FieldSet gone = Difference(WithNamedMembers(FieldsOf(all->object(), structure), structure), kept);
    pruned = TypedObject(RemoveFields(all->object(), gone, structure), all->schema(), version);
    merged = std::move(*all);
  };
  if (const auto first = owned.find(first_version); first != owned.end()) {
    add_back(first->first, first->second);
    owned.erase(first);
  }
  for (const auto& [version, fields] : owned) add_back(version, fields);
  return pruned;
}

// Only what the manager applied last may go: items that nobody ever applied stay although nobody owns them.
TypedObject AddBackDangling(const TypedObject& merged, const TypedObject& pruned, const Ownership& last,
                            const FieldManagement& kind) {
  const auto rest = Convert(pruned, last.api_version, kind);
  if (!rest) return merged;
  const Structure structure = merged.structure();
  const FieldSet kept = WithNamedMembers(FieldsOf(rest->object(), structure), structure);
  const FieldSet all = WithNamedMembers(FieldsOf(merged.object(), structure), structure);
  const FieldSet gone = Intersection(Difference(all, kept), WithNamedMembers(last.fields, structure));
  return {RemoveFields(merged.object(), gone, structure), merged.schema(), merged.api_version()};
}

// Takes out what the manager applied last, does not apply now, and nobody else owns.
TypedObject Prune(TypedObject merged, const std::optional<Ownership>& last, const ManagedFields& managed,
                  const FieldManagement& kind) {
  if (!last || last->fields.Empty()) return merged;
  const auto old = Convert(merged, last->api_version, kind);
  if (!old) return merged;
  const Structure structure = old->structure();
  TypedObject pruned(RemoveFields(old->object(), WithNamedMembers(last->fields, structure), structure), old->schema(),
                     old->api_version());
  pruned = AddBackOwned(*old, std::move(pruned), last->api_version, managed, kind);
  pruned = AddBackDangling(*old, pruned, *last, kind);
  return Convert(pruned, kind.api_version, kind).value_or(std::move(merged));
}

}  // namespace

tl::expected<Comparison, Conflicts> TakeFields(const TypedObject& before, const TypedObject& after,
                                               const std::string& self, bool force, const FieldManagement& kind,
                                               ManagedFields& managed) {
  std::map<std::string, std::optional<Comparison>> versions;
  versions[kind.api_version] = CompareVersions(before, after, kind.reset_fields);
  Conflicts conflicts;
  std::vector<std::pair<std::string, FieldSet>> rests;
  std::vector<std::string> not_served;
  for (const auto& [id, ownership] : managed) {
    if (id == self) continue;
    const auto [known, is_new] = versions.try_emplace(ownership.api_version);
    if (is_new) {
      const auto old = Convert(before, ownership.api_version, kind);
      const auto now = Convert(after, ownership.api_version, kind);
      if (old && now) known->second = CompareVersions(*old, *now, kind.reset_fields);
    }
    if (!known->second) {
      not_served.push_back(id);
      continue;
    }
    const Comparison& changed = *known->second;
    const FieldSet taken = Intersection(ownership.fields, Union(changed.modified, changed.added));
    if (taken.Empty() && changed.removed.Empty()) continue;
    taken.ForEach([&](const FieldPath& path) { conflicts.push_back({ownership.manager, path}); });
    rests.emplace_back(id, Difference(Difference(ownership.fields, taken), changed.removed));
  }
  if (!force && !conflicts.empty()) return tl::unexpected<Conflicts>(std::move(conflicts));
  for (const std::string& id : not_served) managed.erase(id);
  for (auto& [id, rest] : rests) managed.at(id).fields = std::move(rest);
  std::erase_if(managed, [](const auto& entry) { return entry.second.fields.Empty(); });
  return std::move(*versions.at(kind.api_version));
}

void OwnChanges(const TypedObject& before, const TypedObject& after, const std::string& self,
                const FieldManagement& kind, ManagedFields& managed) {
  FollowSchema(before, kind, managed);
  const Comparison changed = *TakeFields(before, after, self, /*force=*/true, kind, managed);
  Ownership& ownership = managed[self];
  ownership.api_version = kind.api_version;
  ownership.fields = Union(Union(Difference(ownership.fields, changed.removed), changed.modified), changed.added);
  if (!kind.reset_fields.Empty()) ownership.fields = RecursiveDifference(ownership.fields, kind.reset_fields);
  if (ownership.fields.Empty()) managed.erase(self);
}

tl::expected<TypedObject, Conflicts> ApplyConfig(const TypedObject& live, const TypedObject& config,
                                                 const std::string& self, bool force, const FieldManagement& kind,
                                                 ManagedFields& managed) {
  FollowSchema(live, kind, managed);
  const Structure structure = live.structure();
  TypedObject merged(MergeStructured(live.object(), config.object(), structure), live.schema(), live.api_version());
  std::optional<Ownership> last;
  if (const auto found = managed.find(self); found != managed.end()) last = found->second;
  Ownership& ownership = managed[self];
  ownership.api_version = kind.api_version;
  ownership.fields = FieldsOf(config.object(), structure);
  if (!kind.reset_fields.Empty()) ownership.fields = RecursiveDifference(ownership.fields, kind.reset_fields);
  TypedObject pruned = Prune(std::move(merged), last, managed, kind);
  if (auto taken = TakeFields(live, pruned, self, force, kind, managed); !taken) {
    return tl::unexpected<Conflicts>(std::move(taken).error());
  }
  return pruned;
}

}  // namespace kumiko::api
