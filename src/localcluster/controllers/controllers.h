// The controllers of kube-controller-manager that manifests need. Each is level-triggered: whenever a kind that it
// watches has changed, it compares all objects of its kinds with what should be, and writes the difference.
#pragma once

#include "base/clock.h"
#include "kube/api_client.h"
#include "localcluster/controller.h"

namespace kumiko::localcluster {

// ResourceClaims from the templates that pods name; reservedFor without pods that are gone or done; deallocation when
// the last consumer goes; template claims of finished pods deleted (spec dra-allocator §6).
Controller MakeClaimController(kube::ApiClient& api);

// Pods of Jobs: parallelism, completions, backoffLimit, suspend; conditions Complete and Failed.
Controller MakeJobController(kube::ApiClient& api, const Clock& clock);

// ReplicaSets of Deployments: one per pod template, named by its hash. A changed template replaces all pods at once;
// surge and unavailability limits are not looked at.
Controller MakeDeploymentController(kube::ApiClient& api);

// Pods of ReplicaSets. Pods that ended are replaced after a delay (controllers/pod_limits.h).
Controller MakeReplicaSetController(kube::ApiClient& api, const Clock& clock);

// Objects whose owners are gone; foreground and orphan deletion of owners.
Controller MakeGarbageCollector(kube::ApiClient& api);

// The objects of CustomResourceDefinitions that are being deleted.
Controller MakeDefinitionController(kube::ApiClient& api);

// The contents of namespaces that are being deleted.
Controller MakeNamespaceController(kube::ApiClient& api);

}  // namespace kumiko::localcluster
