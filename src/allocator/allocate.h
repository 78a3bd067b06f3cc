// Allocating the claims of one pod on one node: all requests of all claims are searched together (spec dra-allocator
// §2.4-2.11). Pure: no clock, no I/O, no threads; the same input gives the same result.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "allocator/demand.h"
#include "allocator/inventory.h"
#include "allocator/state.h"
#include "api/resource/types.h"

namespace kumiko::allocator {

enum class Policy {
  kFirstFit,  // the reference's answer: lowest pool, slice and position first
  kPacked,    // what leaves most room for later requests (spec packing-partitions)
};

struct Options {
  Policy policy = Policy::kPacked;
  // Candidates looked at before the search ends with an error. Counted, so that a replay ends at the same point.
  std::int64_t max_steps = 1'000'000;
  // Asked for now and then; a stop ends the search with an error.
  std::stop_token stop;
  // What packing leaves room for. Null: every kind of device is in equal demand by work.
  const Demand* demand = nullptr;
};

struct Outcome {
  enum class Kind {
    kFits,
    kDoesNotFit,  // this node is no place for these claims now
    kNodeError,   // the same, because of something wrong with this node's pools; `error` says what
    kFatal,       // bad input or out of steps: no node can be decided; `error` says what
  };
  Kind kind = Kind::kDoesNotFit;
  std::vector<api::AllocationResult> results;  // kFits: one per claim, in the order of the claims
  std::string error;
  std::int64_t steps = 0;
};

// The state is the same on return; committing is State::Add of each result. Share ids are filled in ("share-0", …
// counted within the call); who commits replaces them by unique ones.
Outcome Allocate(const Inventory& inventory, State& state, const std::string& node,
                 std::span<const api::ResourceClaim* const> claims, const Options& options);

// The same for each of several nodes, one independent of the other.
std::vector<Outcome> AllocateEach(const Inventory& inventory, State& state, std::span<const std::string> nodes,
                                  std::span<const api::ResourceClaim* const> claims, const Options& options);

}  // namespace kumiko::allocator
