// Lists that are sets or maps by x-kubernetes-list-type: no item, or no key, twice. Only for the files of this folder.
#pragma once

#include <string>
#include <vector>

#include "api/codec.h"
#include "api/schema/structural_node.h"
#include "base/json.h"

namespace kumiko::api::internal {

std::vector<FieldError> CheckListTypes(const Json& value, const StructuralNode& node);

}  // namespace kumiko::api::internal
