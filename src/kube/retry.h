// Changing an object that others change too: read, change a copy, write back, and again when somebody was faster.
#pragma once

#include <functional>
#include <memory>

#include "kube/api_client.h"

namespace kumiko::kube {

// How often a change is tried before its conflict is returned.
inline constexpr int kConflictTries = 8;

// Edits the tree in place. Returns false when nothing needs to be written.
using Change = std::function<Result<bool>(Json& object)>;

// Reads `key`, lets `change` edit a copy and updates it, up to kConflictTries times. Returns the object as it then
// stands. Errors: those of Get and Update, and what `change` returns.
Result<std::shared_ptr<const Json>> UpdateWithRetry(ApiClient& client, const ObjectKey& key, Subresource subresource,
                                                    const Change& change);

}  // namespace kumiko::kube
