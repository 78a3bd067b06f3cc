// One pod as its simulated node runs it: init containers one after the other, then the others; exits, restarts with a
// growing delay, the end. The state is moved on by the clock alone; pod_status writes it into the object.
// Source: pkg/kubelet (kuberuntime_manager.go, kubelet_pods.go) of Kubernetes 1.37.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/core/types.h"
#include "base/time.h"

namespace kumiko::localcluster {

struct ContainerExit {
  int exit_code = 0;
  Time started;
  Time finished;
  std::int64_t run = 0;  // which run of the container it was, from 0
};

// A container waits, runs, or has ended.
struct ContainerRun {
  std::string name;
  bool is_init = false;
  bool is_sidecar = false;  // an init container that goes on running
  std::int64_t runs = 0;    // how often it was started
  bool running = false;
  Time started;
  std::optional<Time> ends;             // when it will end by itself
  int exit_code = 0;                    // and with what
  std::optional<ContainerExit> exit;    // of the last run
  std::optional<ContainerExit> before;  // of the one before that
  Duration delay{0};                    // until the next restart, counted from the exit
  std::optional<Time> restart_at;       // waits in CrashLoopBackOff

  std::int64_t Restarts() const { return runs == 0 ? 0 : runs - 1; }
};

enum class PodPhase { kPending, kRunning, kSucceeded, kFailed };

// What happened to a container, for events.
struct ContainerHappening {
  enum class What { kStarted, kBackOff };
  What what = What::kStarted;
  std::size_t container = 0;  // index into PodRun::containers
  Duration delay{0};
};

struct PodRun {
  std::vector<ContainerRun> containers;  // init containers first
  Time started;
  PodPhase phase = PodPhase::kPending;
  std::string reason;  // of a pod that failed as a whole
  std::string message;
};

// A pod that its node has just accepted.
PodRun NewPodRun(const api::Pod& pod, Time now);

// Moves the pod on to `now`. Returns what happened.
std::vector<ContainerHappening> Advance(PodRun& run, const api::Pod& pod, Time now);

// When time alone moves the pod on.
std::optional<Time> NextMove(const PodRun& run, const api::Pod& pod);

// Ends what runs, as on deletion: with 137, as the kernel's SIGKILL does.
void Kill(PodRun& run, Time now);

}  // namespace kumiko::localcluster
