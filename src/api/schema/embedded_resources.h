// Objects of the API inside custom resources (x-kubernetes-embedded-resource): they have apiVersion and kind, and their
// metadata is ObjectMeta. Only for the files of this folder.
#pragma once

#include <string>
#include <vector>

#include "api/codec.h"
#include "api/schema/schema.h"
#include "api/schema/structural_node.h"
#include "base/json.h"
#include "base/result.h"

namespace kumiko::api::internal {

const Schema& ObjectMetaSchema();

// Reads the metadata of every embedded object as ObjectMeta; strict errors of what it does not know go to `unknown`.
// Fails with kInvalidArgument, path and all, when a member is of the wrong type.
Status ReadEmbeddedMeta(Json& value, const StructuralNode* node, const std::string& path,
                        std::vector<std::string>& unknown);

// What embedded objects lack.
void CheckEmbedded(const Json& value, const StructuralNode* node, const std::string& path,
                   std::vector<FieldError>& errors);

}  // namespace kumiko::api::internal
