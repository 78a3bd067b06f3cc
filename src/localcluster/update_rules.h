// What the API server's strategies refuse when an existing object changes: fields that are set once.
#pragma once

#include <vector>

#include "api/codec.h"
#include "base/json.h"

namespace kumiko::localcluster {

// Both are of the same kind, of the stored version. Empty: the change is allowed.
std::vector<api::FieldError> CheckUpdate(const Json& before, const Json& after);

}  // namespace kumiko::localcluster
