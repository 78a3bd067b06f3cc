// What the API server does with a CustomResourceDefinition before it is stored. Source: k8s.io/apiextensions-apiserver.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/time.h"

namespace kumiko::localcluster {

// Set when a definition is deleted, held until the last object of the kind is gone.
inline constexpr std::string_view kDefinitionFinalizer = "customresourcecleanup.apiextensions.k8s.io";

// The kind of the objects, as their keys have it: "Widget.example.com".
std::string KindDefinedBy(const Json& definition);

// Writes the names that are derived from others, and the conversion.
void PrepareDefinition(Json& definition);

// Writes the status of a new definition: its names are accepted and its kind is established at once.
void AcceptDefinition(Json& definition, Time now);

}  // namespace kumiko::localcluster
