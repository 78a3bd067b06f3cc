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
    kClassMissing,      // the request names a class that does not exist
    kNoDevices,         // no device is published on these nodes
    kPoolUpdating,      // the pool is incomplete or contradicts itself
    kSelectorFalse,     // "architecture is Ampere, needs Hopper"
    kAttributeMissing,  // "attribute migProfile does not exist"
    kSelectorError,     // any other run-time error
    kDeviceTaint,       // "taint example.com/broken not tolerated"
    kDeviceTaken,       // held by another claim
    kCapacityShort,     // "capacity memory: too little left"
    kCounterShort,      // "memory: 3 left, needs 4"
    kNoSlot,            // enough is free on the board, but not side by side
    kConstraint,        // usable alone, but not together with the claim's other devices
  };
  Reason reason = Reason::kNoDevices;
  std::string detail;
  std::size_t devices = 0;
  bool operator==(const Rejection&) const = default;
};

struct Explanation {
  std::string claim;        // ns/name of the claim that fits nowhere, or of the first when only all together do not fit
  std::string request;      // its request (req or req/sub) that is explained
  std::size_t devices = 0;  // of the candidate nodes; the rows add up to this number
  std::vector<Rejection> rows;  // largest first within those of most use to the reader; equal rows are merged
};

// Explains the first request that fits nowhere; meant to be called after a placement that did not fit.
Explanation Explain(const Inventory& inventory, const State& state, std::span<const api::ResourceClaim* const> claims,
                    std::span<const std::string> candidate_nodes);

// One line for a pod condition, at most 256 characters: "none of 12 devices: 6 architecture is Ampere, needs Hopper; 3
// taken".
std::string Text(const Explanation& explanation);

}  // namespace kumiko::allocator
