// From the stored version of an object to the others in which it is served.
#pragma once

#include <optional>

#include "api/kinds.h"
#include "base/json.h"

namespace kumiko::api {

// The object as `version` writes it, without regard to its apiVersion; nullopt when that is the form that is stored.
// The way back is ToStored (api/kinds.h).
std::optional<Json> FromStored(const Json& object, const GroupVersion& version);

}  // namespace kumiko::api
