// The steps of server-side apply on typed objects and the ownership of their fields, without what only requests have:
// times, names of managers, last-applied annotations.
// Source: structured-merge-diff v6 (merge).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/patch/managed_fields.h"
#include "api/patch/server_side_apply.h"
#include "api/patch/structured_merge.h"

namespace kumiko::api {

// An object in one of the versions of its kind.
struct TypedObject {
  Json object;
  const Schema* schema = nullptr;
  std::string api_version;

  Structure structure() const { return StructureOf(*schema); }
};

struct Conflict {
  Manager manager;
  FieldPath path;
};
using Conflicts = std::vector<Conflict>;

// Takes from all managers but `self` what the step from `before` to `after` changes, and the fields that it removes.
// Returns what changed, but for reset fields; `managed` is left alone when there are conflicts and `force` is not set.
tl::expected<Comparison, Conflicts> TakeFields(const TypedObject& before, const TypedObject& after,
                                               const std::string& self, bool force, const FieldManagement& kind,
                                               ManagedFields& managed);

// After an update by `self`, which comes to own what it changed.
void OwnChanges(const TypedObject& before, const TypedObject& after, const std::string& self,
                const FieldManagement& kind, ManagedFields& managed);

// `live` with `config` applied by `self`: merged, and without what `self` applied before, does not now, and nobody
// owns.
tl::expected<TypedObject, Conflicts> ApplyConfig(const TypedObject& live, const TypedObject& config,
                                                 const std::string& self, bool force, const FieldManagement& kind,
                                                 ManagedFields& managed);

}  // namespace kumiko::api
