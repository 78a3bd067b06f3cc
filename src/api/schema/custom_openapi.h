// The OpenAPI v3 document of a group version of custom resources, for kubectl explain and apply.
#pragma once

#include <span>
#include <string>

#include "api/kinds.h"
#include "base/json.h"

namespace kumiko::api {

struct CustomOpenApi {
  const KindInfo* kind = nullptr;
  GroupVersion version;
  const Json* open_api_schema = nullptr;  // of the version in its definition
};

// All kinds are of one group version.
std::string CustomOpenApiDocument(std::span<const CustomOpenApi> kinds);

}  // namespace kumiko::api
