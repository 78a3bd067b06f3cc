// What the API server refuses in a CustomResourceDefinition: names, versions, and schemas that are not structural or
// whose rules do not compile or may cost too much. Source: k8s.io/apiextensions-apiserver.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/codec.h"
#include "base/json.h"

namespace kumiko::api {

// Of a whole definition, with defaults. `old` is what an update replaces, or null.
std::vector<FieldError> CheckDefinition(const Json& definition, const Json* old = nullptr);

// Of one version's openAPIV3Schema; `path` is where it stands.
std::vector<FieldError> CheckDefinitionSchema(const Json& schema, const std::string& path);

}  // namespace kumiko::api
