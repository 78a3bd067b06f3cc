// Filling a cluster of partitionable boards through the allocator: ResourceSlices as the node driver publishes them,
// ResourceClaims, Place over all nodes, every allocation kept.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "allocator/place.h"
#include "base/result.h"
#include "mixes.h"

namespace kumiko::packing {

// Spec simulator §3.2.
enum class Policy {
  kFirstFit,             // dra-first-fit: least allocated node first; on a board ascending start
  kFirstFitPackedNodes,  // the same, most allocated node first
  kFirstFitPreferred,    // dra-first-fit on the order that kumiko's own driver publishes
  kPacked,
};
inline constexpr std::array<std::string_view, 4> kPolicyNames = {"first-fit", "first-fit-packed-nodes",
                                                                 "first-fit-preferred", "packed"};

struct Cluster {
  const Kind* kind = nullptr;
  int nodes = 100;
  int boards_per_node = 8;
  std::int64_t slots() const { return std::int64_t{nodes} * boards_per_node * kind->board_slots; }
};

struct Filled {
  std::vector<std::int64_t> accepted;  // slots that run after each load
  std::int64_t decisions = 0;
  double seconds = 0;
};

// Runs the requests in order; `loads_percent`, ascending, says when to look. Nodes of equal use are tried in an order
// drawn from `ties`. Fails when the allocator does, when two parts overlap, or when
// a request is turned away that some board has room for.
Result<Filled> Fill(const Cluster& cluster, Policy policy, std::span<const std::size_t> requests,
                    std::span<const double> loads_percent, Random& ties);

}  // namespace kumiko::packing
