// What the API server's strategies write into an object by its kind, once its uid is known and on each change:
// generated selectors and generations. Pure functions. Source: the strategies in pkg/registry of Kubernetes 1.37.
#pragma once

#include <string>

#include "base/json.h"

namespace kumiko::localcluster {

// Into a new object that has its name and uid. A Job that brings no selector of its own selects by its uid.
void WriteGenerated(Json& object);

// Counts the change in metadata.generation, for kinds that have one, when what is wanted has changed; also in the
// template generation of a DaemonSet.
void CountChange(const Json& before, Json& after);

}  // namespace kumiko::localcluster
