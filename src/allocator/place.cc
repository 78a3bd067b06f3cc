#include "allocator/place.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "allocator/cluster_search.h"
#include "allocator/decision_cache.h"
#include "allocator/keys_in_play.h"
#include "allocator/packing.h"
#include "allocator/result_builder.h"
#include "allocator/search.h"

namespace kumiko::allocator {
namespace {

constexpr std::size_t kNodesToCount = 16;

// Nodes of one class; the first in the policy's order stands for all.
struct Group {
  std::string node;
  std::size_t members = 1;
};

std::vector<Group> GroupNodes(const Inventory& inventory, const State& state, const Plan& plan,
                              std::span<const std::string> nodes, const Options& options) {
  std::vector<Group> groups;
  if (nodes.size() == 1) {
    groups.push_back({.node = nodes.front(), .members = 1});
    return groups;
  }
  const Demand* demand = options.policy == Policy::kPacked ? options.demand : nullptr;
  const auto keys = KeysOf(inventory, plan, demand);
  std::map<NodeClassId, std::size_t> group_of;
  for (const auto& node : nodes) {
    const auto id = state.cache().node_classes.ClassOf(inventory, state, node, keys);
    const auto [found, added] = group_of.try_emplace(id, groups.size());
    if (added) {
      groups.push_back({.node = node, .members = 1});
      continue;
    }
    auto& group = groups[found->second];
    ++group.members;
    if (options.policy == Policy::kPacked && node < group.node) group.node = node;
  }
  return groups;
}

class Placing {
 public:
  Placing(const Inventory& inventory, const State& state, const Plan& plan, const Options& options)
      : inventory_(inventory), state_(state), plan_(plan), options_(options) {}

  Placement FirstFit(const std::vector<Group>& groups) {
    for (const auto& group : groups) {
      auto found = Search(inventory_.ViewOf(group.node), nullptr);
      if (Exhausted(found)) return std::move(placement_);
      if (found.kind == Outcome::Kind::kFits) return Finish(group.node, found.picks);
    }
    return std::move(placement_);
  }

  // With the help of what is known about the whole cluster; nullopt when that does not suffice.
  std::optional<Placement> PackedByIndex(State& state) {
    auto& index = state.cache().ClusterOf(inventory_);
    ClusterSearch search(inventory_, state, plan_, options_, index);
    if (!search.Prepare()) return std::nullopt;
    auto found = search.Run();
    placement_.steps += found.steps;
    placement_.decided += found.searched;
    placement_.kind = found.kind;
    placement_.error = std::move(found.error);
    auto candidates = std::move(found.candidates);
    std::vector<std::string> odd;
    for (const auto node : index.boards.OddNodes()) odd.push_back(inventory_.NodeName(node));
    if (placement_.kind == Outcome::Kind::kFatal) odd.clear();
    auto among_odd = CandidatesAmong(GroupNodes(inventory_, state_, plan_, odd, options_));
    std::move(among_odd.begin(), among_odd.end(), std::back_inserter(candidates));
    const auto* best = Best(candidates, search.tolerance());
    return best ? Finish(best->node, best->picks) : std::move(placement_);
  }

  Placement Packed(const std::vector<Group>& groups) {
    const auto candidates = CandidatesAmong(groups);
    const auto* best = Best(candidates, tolerance_);
    return best ? Finish(best->node, best->picks) : std::move(placement_);
  }

 private:
  // Empty when the search has to end.
  std::vector<Candidate> CandidatesAmong(const std::vector<Group>& groups) {
    std::vector<Candidate> candidates;
    if (groups.empty()) return candidates;
    std::vector<std::unique_ptr<InFlight>> states;
    std::vector<Packing::Node> nodes;
    for (const auto& group : groups) {
      states.push_back(std::make_unique<InFlight>(inventory_.ViewOf(group.node), state_));
      nodes.push_back({.in_flight = states.back().get(), .members = group.members});
    }
    const Packing packing(inventory_, options_.demand, nodes, state_.cache().shapes);
    tolerance_ = packing.tolerance();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const auto order = packing.OrderFor(i);
      auto found = Search(states[i]->view(), &order);
      if (Exhausted(found)) return {};
      if (found.kind != Outcome::Kind::kFits) continue;
      auto cost = packing.CostOf(i, found.picks);
      cost.alternatives = AlternativesPassed(plan_, found.picks);
      candidates.push_back({.node = groups[i].node, .picks = std::move(found.picks), .cost = cost});
    }
    return candidates;
  }

  SearchResult Search(const NodeView& view, const PickOrder* order) {
    auto options = options_;
    options.max_steps = options_.max_steps - placement_.steps;
    auto found = SearchNode(inventory_, state_, view, plan_, options, order);
    placement_.steps += found.steps;
    ++placement_.decided;
    // The gravest failure is reported when nothing fits: fatal, then an error of one node, then no room.
    if (found.kind == Outcome::Kind::kFatal || (found.kind == Outcome::Kind::kNodeError && placement_.error.empty())) {
      if (placement_.kind != Outcome::Kind::kFatal) {
        placement_.kind = found.kind;
        placement_.error = found.error;
      }
    }
    return found;
  }

  // Out of steps or told to stop: further nodes cannot be decided either.
  bool Exhausted(const SearchResult& found) const {
    return found.kind == Outcome::Kind::kFatal &&
           (placement_.steps >= options_.max_steps || options_.stop.stop_requested());
  }

  Placement Finish(const std::string& node, const std::vector<Pick>& picks) {
    placement_.kind = Outcome::Kind::kFits;
    placement_.error.clear();
    placement_.node = node;
    auto results = BuildResults(inventory_, inventory_.ViewOf(node), plan_, picks);
    if (results) {
      placement_.results = std::move(*results);
    } else {
      placement_.kind = Outcome::Kind::kFatal;
      placement_.error = results.error().message;
    }
    return std::move(placement_);
  }

  const Inventory& inventory_;
  const State& state_;
  const Plan& plan_;
  const Options& options_;
  Placement placement_;
  double tolerance_ = 0;
};

// Those of the nodes on which it is worth to search. With few of them counting costs more than it spares.
std::vector<std::string> NodesWithDevices(const Inventory& inventory, State& state, const Plan& plan,
                                          std::span<const std::string> nodes, const Options& options) {
  if (nodes.size() < kNodesToCount) return {nodes.begin(), nodes.end()};
  std::vector<NodeIndex> indices;  // asked for first: a node that has nothing yet becomes known by it
  indices.reserve(nodes.size());
  for (const auto& node : nodes) indices.push_back(inventory.NodeIndexOf(node));
  ClusterSearch search(inventory, state, plan, options, state.cache().ClusterOf(inventory));
  if (!search.PrepareBoards()) return {nodes.begin(), nodes.end()};
  std::vector<std::string> with_devices;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (search.MayServe(indices[i])) with_devices.push_back(nodes[i]);
  }
  return with_devices;
}

Placement PlacePlanned(const Inventory& inventory, State& state, const Plan& plan,
                       std::span<const std::string> candidate_nodes, const Options& options) {
  Placing placing(inventory, state, plan, options);
  switch (options.policy) {
    case Policy::kFirstFit: {
      const auto nodes = NodesWithDevices(inventory, state, plan, candidate_nodes, options);
      return placing.FirstFit(GroupNodes(inventory, state, plan, nodes, options));
    }
    case Policy::kPacked:
      return placing.Packed(GroupNodes(inventory, state, plan, candidate_nodes, options));
  }
  return {};
}

}  // namespace

Placement Place(const Inventory& inventory, State& state, std::span<const api::ResourceClaim* const> claims,
                std::span<const std::string> candidate_nodes, const Options& options) {
  return PlacePlanned(inventory, state, MakePlan(inventory, claims), candidate_nodes, options);
}

Placement Place(const Inventory& inventory, State& state, std::span<const api::ResourceClaim* const> claims,
                const Options& options) {
  const auto plan = MakePlan(inventory, claims);
  if (options.policy == Policy::kPacked) {
    if (auto placement = Placing(inventory, state, plan, options).PackedByIndex(state)) return std::move(*placement);
  }
  return PlacePlanned(inventory, state, plan, inventory.NodeNames(), options);
}

std::vector<Outcome> AllocateEach(const Inventory& inventory, State& state, std::span<const std::string> nodes,
                                  std::span<const api::ResourceClaim* const> claims, const Options& options) {
  const auto plan = MakePlan(inventory, claims);
  std::vector<Outcome> outcomes;
  outcomes.reserve(nodes.size());
  for (const auto& node : nodes) {
    auto placement = PlacePlanned(inventory, state, plan, std::span(&node, 1), options);
    outcomes.push_back({.kind = placement.kind,
                        .results = std::move(placement.results),
                        .error = std::move(placement.error),
                        .steps = placement.steps});
  }
  return outcomes;
}

Outcome Allocate(const Inventory& inventory, State& state, const std::string& node,
                 std::span<const api::ResourceClaim* const> claims, const Options& options) {
  return std::move(AllocateEach(inventory, state, std::span(&node, 1), claims, options).front());
}

}  // namespace kumiko::allocator
