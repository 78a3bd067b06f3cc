// The simulated kubelets of all nodes: they publish nodes, slices and Leases, run pods that are bound to a node, by the
// clock, and end them.
//
// A container does what its command says, as far as node/container_program.h understands it; what it does not, runs
// until deleted. Annotations of a pod say otherwise (DESIGN §5): kumiko.dev/run-for (Go duration or seconds) when the
// containers end, kumiko.dev/exit-code with what. What the pod uses is told by kumiko.dev/gpu-memory-used (a quantity,
// per pod) and kumiko.dev/gpu-util (percent). A pod that is deleted stops at once, whatever its grace period.
//
// A Node without status.nodeInfo.kubeletVersion has no kubelet: its pods stay pending, and it has no Lease.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "api/core/pod_annotations.h"
#include "base/clock.h"
#include "localcluster/cluster_file.h"
#include "localcluster/controllers/controllers.h"

namespace kumiko::localcluster {

using api::kExitCodeAnnotation;
using api::kGpuMemoryUsedAnnotation;
using api::kGpuUtilAnnotation;
using api::kRunForAnnotation;

// How often a node says that it is alive, or less where there are very many. The loop in real time wakes for it; in
// virtual time nothing does.
inline constexpr Duration kLeaseInterval = std::chrono::seconds(10);

// Creates (or brings up to date) the Node objects and ResourceSlices of `file` and the device classes.
Status PublishNodes(kube::ApiClient& api, const ClusterFile& file, Time now);

// Owned by the stepping thread.
class Kubelet {
 public:
  // `api` is the store, with the kubelets' name on what they write.
  Kubelet(Workloads& workloads, kube::ApiClient& api);
  ~Kubelet();

  Result<bool> Step();
  // When time alone moves the next pod on. Renewing Leases is no reason to wake.
  std::optional<Time> NextWake() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kumiko::localcluster
