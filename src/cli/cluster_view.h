// Gathers from the API what report/placement_page.h draws. Every number comes from the objects of the store: pods,
// claims and slices; the model table adds what a slice of an undivided GPU does not say (its multiprocessors).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "kube/api_client.h"
#include "report/placement_page.h"

namespace kumiko::cli {

// What one pod does on its devices.
struct Work {
  std::int64_t memory_bytes = 0;
  std::int64_t multiprocessors = 0;
  bool operator==(const Work&) const = default;
};

// By owner ("ReplicaSet default/chat-7d4f" is known by its own owner, "Deployment default/chat"; a pod without owner by
// itself): what each of its running pods does, on average.
using WorkByOwner = std::map<std::string, Work>;

// Running pods use what kumiko.dev/gpu-memory-used says, else all memory of their devices, and kumiko.dev/gpu-util
// percent of their multiprocessors, else all. A device never counts for more than it has.
Result<WorkByOwner> WorkOf(kube::ApiClient& api);

// Everything but title and whole_gpus. `known` overrides what a pod's owner does: the same pods do the same work on
// other devices.
Result<report::PlacementPage> ViewOf(kube::ApiClient& api, const WorkByOwner& known = {});

}  // namespace kumiko::cli
