// Which devices a pod sees: the results of its claims' allocations, as the kubelet would inject them. For reports,
// scenarios and the demo.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "allocator/device_id.h"
#include "api/core/types.h"
#include "api/resource/types.h"
#include "base/result.h"
#include "gpu/layout.h"
#include "kube/api_client.h"

namespace kumiko::localcluster {

struct PodDevice {
  std::string claim;    // name of the ResourceClaim, in the pod's namespace
  std::string request;  // "gpu" or "gpu/whole"
  allocator::DeviceId id;
  std::string node;        // where the device is
  std::string model;       // the device's productName, or empty
  gpu::DeviceShape shape;  // board, profile, slots, memory
};

struct PodPlacement {
  api::Pod pod;
  std::vector<PodDevice> devices;  // empty while a claim is not allocated
  // What the pod's annotation says it uses, at most what its devices have; 0 unless it runs.
  std::int64_t memory_used_bytes = 0;
};

// One GPU of the cluster and what is taken of it.
struct BoardUse {
  std::string node;
  std::string board;  // "gpu-0"
  std::string model;
  std::int64_t memory_bytes = 0;
  std::int64_t memory_allocated_bytes = 0;
  std::int64_t memory_used_bytes = 0;
  int slots = 0;  // memory slots; 0 when the board has none
  int slots_allocated = 0;
};

struct ClusterUse {
  std::vector<PodPlacement> pods;  // by (namespace, name)
  std::vector<BoardUse> boards;    // by (node, number of the board)
  std::int64_t MemoryBytes() const;
  std::int64_t MemoryAllocatedBytes() const;
  std::int64_t MemoryUsedBytes() const;
};

// Computed from the objects alone.
Result<ClusterUse> ReadUse(kube::ApiClient& api);

}  // namespace kumiko::localcluster
