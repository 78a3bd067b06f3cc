// The simulated kubelets of all nodes: they run pods that are bound to a node, by the clock, and end them.
//
// Annotations of a pod say what it does (DESIGN §5): kumiko.dev/run-for (Go duration or seconds), kumiko.dev/exit-code;
// without run-for, a container command `sleep N` runs N seconds and anything else runs until deleted. What the pod uses
// is told by kumiko.dev/gpu-memory-used (a quantity, per pod) and kumiko.dev/gpu-util (percent).
#pragma once

#include <memory>
#include <optional>

#include "api/core/pod_annotations.h"
#include "api/core/types.h"
#include "base/clock.h"
#include "kube/api_client.h"
#include "localcluster/cluster_file.h"
#include "localcluster/controller.h"

namespace kumiko::localcluster {

using api::kExitCodeAnnotation;
using api::kGpuMemoryUsedAnnotation;
using api::kGpuUtilAnnotation;
using api::kRunForAnnotation;

// How long the pod runs; nothing: until deleted. Fails with kInvalidArgument on a bad annotation.
Result<std::optional<Duration>> RunTimeOf(const api::Pod& pod);

// Creates (or brings up to date) the Node objects and ResourceSlices of `file` and the device classes.
Status PublishNodes(kube::ApiClient& api, const ClusterFile& file);

// Owned by the stepping thread.
class Kubelet {
 public:
  Kubelet(kube::ApiClient& api, const Clock& clock);
  ~Kubelet();

  Result<bool> Step();
  // When the next running pod ends.
  std::optional<Time> NextWake() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kumiko::localcluster
