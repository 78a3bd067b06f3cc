#include "localcluster/pod_devices.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "gpu/boards.h"
#include "kube/typed.h"
#include "localcluster/kubelet.h"

namespace kumiko::localcluster {
namespace {

using Pool = std::pair<std::string, std::string>;  // driver, pool

// The published devices, by pool and name, of each pool's highest generation.
class Published {
 public:
  explicit Published(std::vector<api::ResourceSlice> slices) {
    std::map<Pool, std::int64_t> newest;
    for (const api::ResourceSlice& slice : slices) {
      std::int64_t& generation = newest[{slice.spec.driver, slice.spec.pool.name}];
      generation = std::max(generation, slice.spec.pool.generation);
    }
    for (api::ResourceSlice& slice : slices) {
      const Pool pool{slice.spec.driver, slice.spec.pool.name};
      if (slice.spec.pool.generation == newest[pool]) pools_[pool].push_back(std::move(slice));
    }
  }

  const std::map<Pool, std::vector<api::ResourceSlice>>& pools() const { return pools_; }

  // Null slice when the device is not published.
  std::pair<const api::Device*, const api::ResourceSlice*> Find(const allocator::DeviceId& id) const {
    const auto pool = pools_.find({id.driver, id.pool});
    if (pool == pools_.end()) return {nullptr, nullptr};
    for (const api::ResourceSlice& slice : pool->second) {
      for (const api::Device& device : slice.spec.devices) {
        if (device.name == id.device) return {&device, &slice};
      }
    }
    return {nullptr, nullptr};
  }

 private:
  std::map<Pool, std::vector<api::ResourceSlice>> pools_;
};

std::string ModelOf(const api::Device& device) {
  const auto found = device.attributes.find("productName");
  return found == device.attributes.end() ? "" : found->second.string_value.value_or("");
}

std::string NodeOf(const api::Device& device, const api::ResourceSlice& slice) {
  return device.node_name.value_or(slice.spec.node_name.value_or(""));
}

// "gpu-10" behind "gpu-9".
std::pair<std::string, int> BoardOrder(const std::string& board) {
  const std::size_t digits = board.find_last_not_of("0123456789") + 1;
  int number = 0;
  std::from_chars(board.data() + digits, board.data() + board.size(), number);
  return {board.substr(0, digits), number};
}

std::string ClaimNameOf(const api::Pod& pod, const api::PodResourceClaim& entry) {
  if (entry.resource_claim_name) return *entry.resource_claim_name;
  for (const api::PodResourceClaimStatus& status : pod.status.resource_claim_statuses) {
    if (status.name == entry.name) return status.resource_claim_name.value_or("");
  }
  return "";
}

std::int64_t AnnotatedMemory(const api::Pod& pod) {
  const auto found = pod.metadata.annotations.find(kGpuMemoryUsedAnnotation);
  if (found == pod.metadata.annotations.end()) return 0;
  const Result<Quantity> quantity = Quantity::Parse(found->second);
  return quantity ? std::max<std::int64_t>(0, quantity->Value()) : 0;
}

using Boards = std::map<std::tuple<std::string, std::string, int>, BoardUse>;

BoardUse& BoardAt(Boards& boards, const std::string& node, const std::string& board) {
  const auto [prefix, number] = BoardOrder(board);
  BoardUse& use = boards[{node, prefix, number}];
  use.node = node;
  use.board = board;
  return use;
}

Boards EmptyBoards(const Published& published) {
  Boards boards;
  for (const auto& [pool, slices] : published.pools()) {
    for (const api::ResourceSlice& slice : slices) {
      for (const api::Device& device : slice.spec.devices) {
        const gpu::DeviceShape shape = gpu::ShapeOf(device, slices);
        if (shape.memory_bytes == 0) continue;
        BoardUse& use = BoardAt(boards, NodeOf(device, slice), shape.board);
        use.model = ModelOf(device);
        if (shape.slots) use.slots = std::max(use.slots, shape.slots->total);
        if (shape.profile.empty()) use.memory_bytes = std::max(use.memory_bytes, shape.memory_bytes);
      }
    }
  }
  return boards;
}

// A board that publishes parts only has the memory of its model, or, of a model that we do not know, that of all the
// parts that were cut.
void FillMemory(const Published& published, Boards& boards) {
  for (const auto& [pool, slices] : published.pools()) {
    for (const api::ResourceSlice& slice : slices) {
      std::map<std::string, std::int64_t> parts;
      for (const api::Device& device : slice.spec.devices) {
        const gpu::DeviceShape shape = gpu::ShapeOf(device, slices);
        if (!shape.profile.empty()) parts[shape.board] += shape.memory_bytes;
      }
      for (const api::Device& device : slice.spec.devices) {
        BoardUse& use = BoardAt(boards, NodeOf(device, slice), gpu::BoardOf(device.name));
        if (use.memory_bytes != 0) continue;
        const Result<const gpu::Model*> model = gpu::FindModel(use.model);
        use.memory_bytes = model ? (*model)->memory_bytes : parts[use.board];
      }
    }
  }
}

}  // namespace

std::int64_t ClusterUse::MemoryBytes() const {
  std::int64_t sum = 0;
  for (const BoardUse& board : boards) sum += board.memory_bytes;
  return sum;
}
std::int64_t ClusterUse::MemoryAllocatedBytes() const {
  std::int64_t sum = 0;
  for (const BoardUse& board : boards) sum += board.memory_allocated_bytes;
  return sum;
}
std::int64_t ClusterUse::MemoryUsedBytes() const {
  std::int64_t sum = 0;
  for (const BoardUse& board : boards) sum += board.memory_used_bytes;
  return sum;
}

Result<ClusterUse> ReadUse(kube::ApiClient& api) {
  KU_TRY(auto slices, kube::List<api::ResourceSlice>(api));
  KU_TRY(auto claims, kube::List<api::ResourceClaim>(api));
  KU_TRY(auto pods, kube::List<api::Pod>(api));
  const Published published(std::move(slices));
  Boards boards = EmptyBoards(published);
  FillMemory(published, boards);

  std::map<std::pair<std::string, std::string>, const api::ResourceClaim*> claim_at;
  for (const api::ResourceClaim& claim : claims) {
    claim_at[{claim.metadata.namespace_, claim.metadata.name}] = &claim;
    if (!claim.status.allocation) continue;
    for (const api::DeviceRequestAllocationResult& result : claim.status.allocation->devices.results) {
      if (result.admin_access.value_or(false)) continue;
      const auto [device, slice] = published.Find({result.driver, result.pool, result.device});
      if (device == nullptr) continue;
      const gpu::DeviceShape shape = gpu::ShapeOf(*device, published.pools().at({result.driver, result.pool}));
      if (shape.memory_bytes == 0) continue;
      BoardUse& use = BoardAt(boards, NodeOf(*device, *slice), shape.board);
      use.memory_allocated_bytes += shape.memory_bytes;
      use.slots_allocated += shape.slots ? shape.slots->size : use.slots;
    }
  }

  ClusterUse use;
  for (api::Pod& pod : pods) {
    PodPlacement placement;
    std::int64_t memory = 0;
    std::set<const api::ResourceClaim*> taken;  // two entries may name one claim
    for (const api::PodResourceClaim& entry : pod.spec.resource_claims) {
      const auto claim = claim_at.find({pod.metadata.namespace_, ClaimNameOf(pod, entry)});
      if (claim == claim_at.end() || !claim->second->status.allocation) continue;
      const auto& consumers = claim->second->status.reserved_for;
      const bool reserved = std::any_of(consumers.begin(), consumers.end(),
                                        [&](const auto& consumer) { return consumer.uid == pod.metadata.uid; });
      if (!reserved || !taken.insert(claim->second).second) continue;
      for (const api::DeviceRequestAllocationResult& result : claim->second->status.allocation->devices.results) {
        PodDevice seen;
        seen.claim = claim->second->metadata.name;
        seen.request = result.request;
        seen.id = {result.driver, result.pool, result.device};
        const auto [device, slice] = published.Find(seen.id);
        if (device != nullptr) {
          seen.node = NodeOf(*device, *slice);
          seen.model = ModelOf(*device);
          seen.shape = gpu::ShapeOf(*device, published.pools().at({result.driver, result.pool}));
        }
        memory += seen.shape.memory_bytes;
        placement.devices.push_back(std::move(seen));
      }
    }
    if (pod.status.phase == "Running" && memory > 0) {
      placement.memory_used_bytes = std::min(AnnotatedMemory(pod), memory);
      // Over several devices the use is spread by their size.
      for (const PodDevice& device : placement.devices) {
        if (device.shape.memory_bytes == 0) continue;
        const double part = static_cast<double>(device.shape.memory_bytes) / static_cast<double>(memory);
        BoardAt(boards, device.node, device.shape.board).memory_used_bytes +=
            static_cast<std::int64_t>(part * static_cast<double>(placement.memory_used_bytes));
      }
    }
    placement.pod = std::move(pod);
    use.pods.push_back(std::move(placement));
  }
  for (auto& [key, board] : boards) use.boards.push_back(std::move(board));
  return use;
}

}  // namespace kumiko::localcluster
