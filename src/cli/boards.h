// The boards of a node as they are published, with what is held of each: for strips and for what stands in the way.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allocator/device_id.h"
#include "api/resource/types.h"
#include "cli/explain/holders.h"
#include "gpu/layout.h"
#include "localcluster/cluster_model.h"
#include "report/strip.h"

namespace kumiko::cli {

struct BoardPart {
  allocator::DeviceId id;
  std::string profile;  // empty: the whole board
  std::optional<gpu::SlotRange> slots;
  const Holder* holder = nullptr;
};

struct Board {
  std::string node;
  std::string name;  // "gpu-0"
  std::string model;
  const api::Device* whole = nullptr;  // null when only parts are published
  std::vector<const api::Device*> devices;
  int slots = 0;  // memory slots; 0: it cannot be divided
  std::vector<BoardPart> held;
  std::vector<bool> taken;      // by slot
  std::vector<bool> reachable;  // by slot: some device with it could be had now
  std::string taint;            // "key=value" that no pod tolerates by itself; empty: healthy

  // Thousandths of the board that claims hold.
  int AllocatedMilli() const;
  int FreeSlots() const;
  report::Strip Strip() const;
};

// Slices by the node that publishes them; of each pool its newest generation.
using NodeSlices = std::map<std::string, std::vector<const api::ResourceSlice*>>;
NodeSlices SlicesByNode(const localcluster::ClusterModel& model);

// In the order of their numbers. `slices` are one node's.
std::vector<Board> BoardsOf(const std::string& node, const std::vector<const api::ResourceSlice*>& slices,
                            const Holders& holders, const localcluster::ClusterModel& model);

}  // namespace kumiko::cli
