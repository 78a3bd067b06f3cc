// Who owns which fields of an object (metadata.managedFields): what a write through the store tells api/patch about it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/patch/server_side_apply.h"
#include "base/json.h"
#include "localcluster/object_tree.h"
#include "localcluster/served_kinds.h"

namespace kumiko::localcluster {

// The stored object as a version that is served has it.
Json InVersion(const Json& stored, const api::GroupVersion& version);
// The same; nothing when that is the stored form.
std::optional<Json> InOtherVersion(const Json& stored, const api::GroupVersion& version);

// `subresource` is "" for the object itself. `kind` is copied into the result.
api::FieldManagement FieldManagementOf(const ServedKind& kind, const api::GroupVersion& version,
                                       std::string_view subresource);

// Of a write that is no apply: `manager` comes to own what it changes.
Owning OwnedBy(const ServedKind& kind, const api::GroupVersion& version, std::string_view subresource,
               std::string manager, Time now);

// Replaces metadata.managedFields of `to` by that of `from`.
void TakeManagedFields(const Json& from, Json& to);

}  // namespace kumiko::localcluster
