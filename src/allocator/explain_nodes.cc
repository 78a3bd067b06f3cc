#include "allocator/explain_nodes.h"

#include <map>
#include <utility>

#include "allocator/decision_cache.h"
#include "allocator/keys_in_play.h"
#include "allocator/search.h"

namespace kumiko::allocator {
namespace {

constexpr std::int64_t kMostSteps = 10'000;

}  // namespace

std::vector<ExplainedNodes> ExplainEach(const Inventory& inventory, const State& state,
                                        std::span<const api::ResourceClaim* const> claims,
                                        std::span<const std::string> nodes, DeviceNames names) {
  const auto plan = MakePlan(inventory, claims);
  const bool searchable = FirstError(plan).empty();
  const auto keys = KeysOf(inventory, plan, nullptr);
  std::vector<ExplainedNodes> explained;
  std::map<NodeClassId, std::size_t> entry_of;
  for (const auto& node : nodes) {
    const auto id = state.cache().node_classes.ClassOf(inventory, state, node, keys);
    const auto [found, added] = entry_of.try_emplace(id, explained.size());
    if (added) explained.emplace_back();
    explained[found->second].nodes.push_back(node);
  }
  Options options;
  options.policy = Policy::kFirstFit;
  options.max_steps = kMostSteps;
  for (auto& entry : explained) {
    const auto& view = inventory.ViewOf(entry.nodes.front());
    entry.fits = searchable && SearchNode(inventory, state, view, plan, options, nullptr).kind == Outcome::Kind::kFits;
    if (entry.fits) continue;
    entry.explanation = Explain(inventory, state, claims, std::span(entry.nodes).first(1), names);
  }
  return explained;
}

}  // namespace kumiko::allocator
