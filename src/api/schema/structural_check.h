// Whether a schema is structural: every part has a type, and what stands in anyOf, allOf, oneOf and not only narrows
// values whose types are told outside of them. Only for the files of this folder. Source: KEP-1002.
#pragma once

#include <string>
#include <vector>

#include "api/codec.h"
#include "base/json.h"

namespace kumiko::api::internal {

// Ordered as the API server orders them, by their text.
std::vector<FieldError> CheckStructural(const Json& schema, const std::string& path);

}  // namespace kumiko::api::internal
