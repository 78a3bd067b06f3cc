// Running the rules of a schema over an object. Only for the files of this folder.
#pragma once

#include <vector>

#include "api/codec.h"
#include "api/schema/structural_node.h"
#include "base/json.h"

namespace kumiko::api::internal {

// Whether rules without oldSelf may fail on values that an update leaves alone.
enum class Unchanged { kMayFail, kMustHold };

// The rules that do not hold, and what stopped others. `old` is null on create; then rules that need oldSelf are not
// run.
std::vector<FieldError> RunRules(const Json& object, const Json* old, const StructuralNode& root,
                                 Unchanged unchanged = Unchanged::kMayFail);

}  // namespace kumiko::api::internal
