// The status that a kubelet writes for a pod: phase, conditions, containers, addresses; and reading it back.
// Source: pkg/kubelet/status/generate.go and kubelet_pods.go of Kubernetes 1.37.
#pragma once

#include <string>

#include "api/core/types.h"
#include "base/json.h"
#include "base/time.h"
#include "localcluster/node/pod_run.h"

namespace kumiko::localcluster {

struct PodAddresses {
  std::string host_ip;
  std::string pod_ip;
};

// Into the status of `object`, the stored tree of `pod`. Conditions of others stay.
void WritePodStatus(Json& object, const api::Pod& pod, const PodRun& run, const PodAddresses& addresses, Time now);

// The run that a status tells of, to whole seconds: how a cluster that was started again goes on.
PodRun ReadPodRun(const Json& object, const api::Pod& pod);

}  // namespace kumiko::localcluster
