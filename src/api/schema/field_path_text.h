// Paths that definitions write to point at fields: ".spec.replicas", ".metadata.labels['app']". Only for the files of
// this folder.
#pragma once

#include <string>
#include <string_view>

#include "api/schema/structural_node.h"
#include "base/result.h"

namespace kumiko::api::internal {

// In the form that errors have: "spec.replicas", "metadata.labels[app]". Fails with kInvalidArgument, in the API
// server's words, when the path is none or leads to no field of `node`.
Result<std::string> FieldPathText(std::string_view path, const StructuralNode& node);

}  // namespace kumiko::api::internal
