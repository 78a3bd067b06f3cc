// The OpenAPI v2 document of the built-in kinds. kubectl falls back to it for what no document of v3 has, such as the
// kind List, and client-side validation reads it.
#pragma once

#include <string>

namespace kumiko::api {

inline constexpr const char* kOpenApiV2Type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

// As JSON, and as the message openapi.v2.Document (github.com/google/gnostic-models) that clients ask for. Definitions
// only, no paths. Put together at each call, some ten milliseconds.
std::string OpenApiV2Json();
std::string OpenApiV2Protobuf();

}  // namespace kumiko::api
