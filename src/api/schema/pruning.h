// Objects brought into the form of their schema: nulls and unknown fields left out, defaults written. Only for the
// files of this folder. Source: KEP-575 (defaulting), KEP-709 (pruning).
#pragma once

#include <string>
#include <vector>

#include "api/schema/structural_node.h"
#include "base/json.h"

namespace kumiko::api::internal {

// Nulls where null is no value, and no default stands in for it, are as good as absent. Without a node nothing changes.
void DropNulls(Json& value, const StructuralNode* node);

// Defaults are written from the outside in, so that those inside a default take effect too.
void WriteDefaults(Json& value, const StructuralNode* node);

// Cuts off what the schema does not know; apiVersion, kind and metadata stay when `is_object_of_api`. Returns the paths
// of what was cut off, ordered.
std::vector<std::string> PruneUnknown(Json& value, const StructuralNode& node, bool is_object_of_api);

}  // namespace kumiko::api::internal
