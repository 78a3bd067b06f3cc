// The steps of server-side apply on typed objects and the ownership of their fields, without what only requests have:
// times, names of managers, last-applied annotations.
// Source: structured-merge-diff v6 (merge).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/patch/managed_fields.h"
#include "api/patch/server_side_apply.h"
#include "api/patch/structured_merge.h"

namespace kumiko::api {

// An object in one of the versions of its kind: somebody else's, which outlives this, or one of its own.
class TypedObject {
 public:
  TypedObject(const Json& object, const Schema& schema, std::string_view api_version)
      : object_(&object), schema_(&schema), api_version_(api_version) {}
  TypedObject(Json&& object, const Schema& schema, std::string_view api_version)
      : own_(std::make_shared<Json>(std::move(object))),
        object_(own_.get()),
        schema_(&schema),
        api_version_(api_version) {}

  const Json& object() const { return *object_; }
  const Schema& schema() const { return *schema_; }
  const std::string& api_version() const { return api_version_; }
  Structure structure() const { return StructureOf(*schema_); }

 private:
  std::shared_ptr<const Json> own_;
  const Json* object_;
  const Schema* schema_;
  std::string api_version_;
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
