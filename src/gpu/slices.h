// ResourceSlices of the driver gpu.nvidia.com from the boards of a node: names, attributes, capacities, counter sets
// and the split at the API's limits. The node driver, the local cluster and the simulator publish through this one
// function. Source: spec node-driver §1. Pure: facts in, objects out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource/types.h"
#include "base/result.h"
#include "gpu/boards.h"

namespace kumiko::gpu {

inline constexpr const char* kGpuDriver = "gpu.nvidia.com";

enum class MigMode {
  kOff,      // one whole GPU
  kStatic,   // the instances that exist
  kDynamic,  // every partition the board can make; on boards after Ampere the whole GPU too
};

// An existing MIG instance of a statically cut board.
struct MigInstance {
  Profile profile;
  Placement placement;
  std::string uuid;
};

// What `--consumable-shares` says of one board (spec node-driver §1.6).
struct Sharing {
  enum class Kind { kDisabled, kUnlimited, kMemory, kShares };
  Kind kind = Kind::kDisabled;
  std::int64_t shares = 0;  // for kShares: at least 1
};

// One board as the driver reads it from NVML and sysfs.
struct BoardInstance {
  int minor = 0;  // of /dev/nvidia<minor>
  std::string uuid;
  Model model;
  MigMode mig = MigMode::kOff;
  std::vector<MigInstance> instances;  // of a static board
  Sharing sharing;
  std::string pci_bus_id;                // "0000:1a:00.0"
  std::optional<std::string> pcie_root;  // "pci0000:18"
  std::optional<int> numa_node;
  std::optional<std::string> addressing_mode;  // "HMM", "ATS", "None"
  std::string driver_version = "580.95.05";    // as NVML prints it
  int cuda_driver_version = 13000;             // NVML's number: 1000 * major + 10 * minor
};

struct PoolOptions {
  std::string node_name;
  std::string node_uid;
  std::int64_t generation = 1;
};

// The whole pool of a node. With a dynamic board among them: first the slices of counter sets (at most 8 sets each),
// then a slice per board; else the plain layout, every device in one slice, split at the API's limits. A node without
// boards gets one empty slice. Order is allocation preference: boards by minor; on a board the smallest parts first,
// the whole GPU last (geometry.h).
// Fails with kInvalidArgument, naming board, profile and field, when a dynamic board's table lacks a number.
Result<std::vector<api::ResourceSlice>> BuildSlices(const PoolOptions& pool, const std::vector<BoardInstance>& boards);

// "gpu-0", "gpu-1-mig-2g47gb-14-0"
std::string DeviceName(int minor);
std::string DeviceName(int minor, const Profile& profile, const Placement& placement);

// "580.95.05" → "580.95.5"; "9.0" → "9.0.0"
std::string ToSemver(std::string_view version);

}  // namespace kumiko::gpu
