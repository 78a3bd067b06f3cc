// A waiting pod gets its node, as the subresource binding of the API server gives it.
// Source: pkg/registry/core/pod/storage and plugin/pkg/admission/podtopologylabels of Kubernetes 1.37.
#pragma once

#include <memory>
#include <string>

#include "base/time.h"
#include "kube/api_error.h"
#include "localcluster/store.h"

namespace kumiko::localcluster {

struct Binding {
  kube::ObjectKey pod;
  std::string uid = {};  // precondition; "" for any
  std::string node;
};

// Node, labels of the node's zone and region, and the condition PodScheduled, in one write; nobody comes to own them.
// Errors: kNotFound, and kConflict when the pod has a node, goes, or is another one.
kube::ApiResult<std::shared_ptr<const Json>> BindPod(Store& store, const Binding& binding, Time now,
                                                     bool dry_run = false);

// The labels that pods take over from their node, written into `pod`. `node` may be null.
void TakeTopology(const Json* node, Json& pod);

}  // namespace kumiko::localcluster
