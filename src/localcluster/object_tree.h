// Preparing the trees that the store keeps: what the API server does to an object before and beside validation.
// Pure functions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/codec.h"
#include "api/kinds.h"
#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "kube/api_client.h"
#include "localcluster/served_kinds.h"

namespace kumiko::localcluster {

// Writes into an object as a request asks for it, with its defaults and before anything is generated or assigned, who
// owns what (ownership.h). `before` is null for a new one.
using Owning = std::function<void(const Json* before, Json& asked)>;

// The stored version of an object of any served version. Errors: kInvalidArgument on a kind or version that is not
// served.
Result<Json> ToStored(const ServedKind& kind, Json object);

// metadata as a map, made when absent.
JsonObject& MetadataOf(Json& object);

// The stored version of a manifest that is about to be created: namespace filled in or dropped by the kind's scope,
// server-owned metadata removed, status reset where it is a subresource, defaults written, `own` told, and then what
// the kind always has. The name may be missing.
Result<Json> PrepareCreate(const ServedKind& kind, Json object, const Owning& own = {});

// What `before` becomes when a client sends `sent` (of the stored version): the part that `subresource` names is taken
// from `sent`, everything else and all server-owned metadata stays; `own` is told; what was assigned stays, and
// generation rises when what is wanted changes.
Json PrepareUpdate(const ServedKind& kind, const Json& before, Json sent, kube::Subresource subresource,
                   const Owning& own = {});

// Validation of a create, and of a change from `before`, as one list.
std::vector<api::FieldError> CheckObject(const ServedKind& kind, const Json& object, const Json* before);

// Writes what only the server knows into a new object, and what it derives from that.
void StampCreated(const ServedKind& kind, Json& object, const std::string& uid, Time now);

// Marks `object` as being deleted since `now`. Returns the tree, or nothing when it may go at once.
std::optional<Json> PrepareDelete(const Json& object, const kube::DeleteOptions& options, Time now);

// Whether an object that is being deleted has nothing left to wait for.
bool MayGo(const Json& object);

inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
inline constexpr std::string_view kOrphanFinalizer = "orphan";

}  // namespace kumiko::localcluster
