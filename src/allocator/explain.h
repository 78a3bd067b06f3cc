// Why claims fit nowhere: typed reasons, counted so that every device of the candidate nodes stands in exactly one row.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allocator/device_id.h"
#include "allocator/inventory.h"
#include "allocator/state.h"
#include "api/resource/types.h"

namespace kumiko::allocator {

struct Rejection {
  // In the order in which a device is tested; a device counts under the first that holds.
  enum class Reason {
    kClassMissing,      // the request names a class that does not exist, or is otherwise no request
    kNoDevices,         // no device is published on these nodes
    kFeatureOff,        // "needs the feature PartitionableDevices, which is off"
    kPoolUpdating,      // its pool has fewer slices than the driver announced
    kPoolInvalid,       // its pool contradicts itself: "pool n1: duplicate device name gpu-0"
    kSelectorFalse,     // "architecture is Ampere, needs Hopper"
    kAttributeMissing,  // "attribute migProfile does not exist; did you mean profile?"
    kSelectorError,     // any other run-time error
    kDeviceTaint,       // "taint example.com/broken not tolerated"
    kDeviceTaken,       // held by another claim, as a whole or by its board
    kCapacityShort,     // "capacity memory: 1Gi left, needs 2Gi", "capacity cores: 5 is not offered"
    kNodeOperations,    // the node's kubelet cannot do without the operations that the slice skips
    kGroups,            // "compatibility group ts does not go with what uses its board"
    kCounterShort,      // "memory: 5Gi left, needs 10Gi", "free slots 3, needs 4"
    kNoSlot,            // "free slots 5, none four wide": enough is free on the board, but not side by side
    kOtherRequest,      // free, but another request of the same claims needs it, or what it draws from
    kConstraint,        // "numa is 1, not 0 as of request a"; no set of free devices satisfies the constraints
    kClaimLimit,        // the claim would hold more devices than a claim may
    kTooFew,            // free and suitable, but fewer than wanted on one node
  };
  // The selector that a device fails.
  struct Selector {
    std::size_t index = 0;   // in the class or the request, as of_class says
    std::string expression;  // all of it
    std::string condition;   // the part that is not true: of several joined by &&, the first
    // kAttributeMissing: what it reads, and what the device has under a similar name, or ""
    std::string attribute = {};
    std::string near = {};
    bool operator==(const Selector&) const = default;
  };

  Reason reason = Reason::kNoDevices;
  std::string detail;
  std::size_t devices = 0;
  bool of_class = true;              // false: the request's class does not even accept these devices
  std::optional<Selector> selector;  // kSelectorFalse, kAttributeMissing, kSelectorError
  std::vector<DeviceId> names;       // of the devices, when asked for
  bool operator==(const Rejection&) const = default;
};

struct Explanation {
  std::string claim;            // ns/name of the claim that fits nowhere, or of the last when only all together do not
  std::string request;          // its request (req or req/sub) that is explained
  std::size_t wanted = 0;       // devices that it asks for on one node; 0: all
  std::size_t devices = 0;      // published for the candidate nodes; the rows add up to this number
  std::vector<Rejection> rows;  // those that the class accepts first, then by number of devices, largest first
  // Boards with devices of which the class accepts none: GPUs in MIG mode, where a whole GPU is asked for.
  std::size_t boards_outside_class = 0;
  std::string device_class;
  // Candidate nodes that come nearest to serving the request, nearest first; a few.
  std::vector<std::string> nearest_nodes;
};

enum class DeviceNames { kLeftOut, kListed };

// Explains the first request that fits nowhere; meant to be called after a placement that did not fit. Where requests
// fit one by one but not together, it is the first that does not fit beside those before it, and devices count under
// what is against them once first-fit has served those. Looks at every device of the candidate nodes; searches take at
// most 200,000 steps, beyond which the reason is a general one.
Explanation Explain(const Inventory& inventory, const State& state, std::span<const api::ResourceClaim* const> claims,
                    std::span<const std::string> candidate_nodes, DeviceNames names = DeviceNames::kLeftOut);

// Whether some device may come to serve the request without a change of it: what keeps it is in use, or its pool is
// being updated.
bool MayPass(const Explanation& explanation);

// One line for a pod condition, at most 256 characters: "none of 12 devices: 6 architecture is Ampere, needs Hopper; 3
// taken". Counts only the devices that the class accepts, unless there is none; boards without any are told apart.
std::string Text(const Explanation& explanation);
inline constexpr std::size_t kMaxExplanationText = 256;

}  // namespace kumiko::allocator
