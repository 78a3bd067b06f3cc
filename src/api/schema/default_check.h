// Whether the defaults that a schema writes have the form that it asks for. Only for the files of this folder.
#pragma once

#include <string>
#include <vector>

#include "api/codec.h"
#include "api/schema/structural_node.h"

namespace kumiko::api::internal {

std::vector<FieldError> CheckDefaults(const StructuralNode& node, const std::string& path);

}  // namespace kumiko::api::internal
