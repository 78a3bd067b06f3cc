// Why claims fit nowhere: typed reasons, counted so that every device of the candidate nodes stands in exactly one row.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "allocator/inventory.h"
#include "allocator/state.h"
#include "api/resource/types.h"

namespace kumiko::allocator {

struct Rejection {
  // In the order in which a device is tested; a device counts under the first that holds.
  enum class Reason {
    kClassMissing,      // the request names a class that does not exist, or is otherwise no request
    kNoDevices,         // no device is published on these nodes
    kPoolUpdating,      // pools are incomplete or contradict themselves; their devices are not counted
    kSelectorFalse,     // "architecture is Ampere, needs Hopper"
    kAttributeMissing,  // "attribute migProfile does not exist; did you mean profile?"
    kSelectorError,     // any other run-time error
    kDeviceTaint,       // "taint example.com/broken not tolerated"
    kDeviceTaken,       // held by another claim, as a whole or by its board
    kCapacityShort,     // too little of a consumable capacity left
    kCounterShort,      // "memory: too little left", "free slots 3, needs 4"
    kNoSlot,            // "free slots 5, none four wide": enough is free on the board, but not side by side
    kTooFew,            // free and suitable, but fewer than wanted on one node
    kConstraint,        // free and suitable, but no set of them satisfies the claim's constraints or other requests
  };
  Reason reason = Reason::kNoDevices;
  std::string detail;
  std::size_t devices = 0;
  bool of_class = true;  // false: the request's class does not even accept these devices
  bool operator==(const Rejection&) const = default;
};

struct Explanation {
  std::string claim;            // ns/name of the claim that fits nowhere, or of the last when only all together do not
  std::string request;          // its request (req or req/sub) that is explained
  std::size_t devices = 0;      // published on the candidate nodes; the rows add up to this number
  std::vector<Rejection> rows;  // those that the class accepts first, then by number of devices, largest first
  // Boards with devices of which the class accepts none: GPUs in MIG mode, where a whole GPU is asked for.
  std::size_t boards_outside_class = 0;
  std::string device_class;
};

// Explains the first request that fits nowhere; meant to be called after a placement that did not fit.
Explanation Explain(const Inventory& inventory, const State& state, std::span<const api::ResourceClaim* const> claims,
                    std::span<const std::string> candidate_nodes);

// One line for a pod condition, at most 256 characters: "none of 12 devices: 6 architecture is Ampere, needs Hopper; 3
// taken". Counts only the devices that the class accepts, unless there is none; boards without any are told apart.
std::string Text(const Explanation& explanation);

}  // namespace kumiko::allocator
