// Running the rules of a schema over an object. Only for the files of this folder.
#pragma once

#include <vector>

#include "api/codec.h"
#include "api/schema/structural_node.h"
#include "base/json.h"

namespace kumiko::api::internal {

// The rules that do not hold, and what stopped others. `old` is null on create; then rules that need oldSelf are not
// run. Errors of rules without oldSelf are dropped where an update leaves the value alone.
std::vector<FieldError> RunRules(const Json& object, const Json* old, const StructuralNode& root);

}  // namespace kumiko::api::internal
