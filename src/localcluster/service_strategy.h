// What the API server carries over from a Service to the one that replaces it, and what it takes away when the type
// changes. Pure functions. Source: pkg/registry/core/service of Kubernetes 1.37.
#pragma once

#include "base/json.h"

namespace kumiko::localcluster {

// The address families of a Service that names none, in a cluster of IPv4 alone, and the list of its one address.
void ChooseFamilies(Json& service);

// Into `after`, which a client sends in place of `before`: the address, families and node ports
// stay when the client leaves them out; `clusterIPs` follows a `clusterIP` that is changed alone; what was set for the
// old type and means nothing for the new one goes, unless the client changed it, too.
void KeepService(const Json& before, Json& after);

}  // namespace kumiko::localcluster
