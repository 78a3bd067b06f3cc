// The local cluster's scheduler: every pod without a node, whatever its schedulerName, is put where it fits. No queues,
// no quota, no preemption: those are the scheduler's.
//
// One pass takes the waiting pods by creation time; of those created in the same second, the ones that need most of a
// GPU go first, so that pods that wait together are placed jointly. A pod that does not fit never blocks another.
#pragma once

#include <cstdint>
#include <memory>

#include "allocator/place.h"
#include "base/clock.h"
#include "kube/api_client.h"
#include "localcluster/controller.h"
#include "localcluster/event_recorder.h"
#include "localcluster/store.h"

namespace kumiko::localcluster {

struct SchedulerOptions {
  allocator::Policy policy = allocator::Policy::kPacked;
  allocator::Demand demand = {};
  std::uint64_t seed = 1;  // of share ids
};

// Owned by the stepping thread.
class SchedulerLoop {
 public:
  // `api` is the store, with the scheduler's name on what it writes. All are borrowed.
  SchedulerLoop(Store& store, kube::ApiClient& api, const Clock& clock, EventRecorder& events,
                SchedulerOptions options);
  ~SchedulerLoop();

  // Takes in what changed and tries every waiting pod that something relevant has changed for. Placing a pod writes,
  // per claim, the finalizer, then allocation and reservedFor in one status update, then the pod's nodeName. A pod
  // that cannot be placed gets the condition PodScheduled=False, reason Unschedulable, whose message says why in at
  // most 256 characters and is written only when it differs.
  Result<bool> Step();

  const allocator::Inventory& inventory() const;
  const allocator::State& allocations() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kumiko::localcluster
