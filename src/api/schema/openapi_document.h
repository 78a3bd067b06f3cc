// The OpenAPI v3 documents that clients fetch: kubectl for explain, apply and validation.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/kinds.h"

namespace kumiko::api {

// The group versions that have a document, ordered as discovery has them; those of custom resources are not here.
std::span<const GroupVersion> OpenApiGroupVersions();

// The JSON of the document to serve at /openapi/v3/apis/GROUP/VERSION, /openapi/v3/api/v1 for the core group; none when
// the group version is not built in. Put together at each call, a few milliseconds.
std::optional<std::string> OpenApiDocument(std::string_view group, std::string_view version);

// A text that changes with the document, for the index at /openapi/v3; "" when there is none.
std::string_view OpenApiHash(std::string_view group, std::string_view version);

}  // namespace kumiko::api
