// What a cluster has before anybody creates anything: namespaces, the Service of the API server, the priority classes
// of the system. Source: pkg/controlplane and plugin/pkg of Kubernetes 1.37.
#pragma once

#include "base/result.h"
#include "kube/api_client.h"

namespace kumiko::localcluster {

// Creates what is not there.
Status Bootstrap(kube::ApiClient& api);

}  // namespace kumiko::localcluster
