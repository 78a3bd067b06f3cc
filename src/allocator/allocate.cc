#include "allocator/allocate.h"

#include "allocator/result_builder.h"
#include "allocator/search.h"

namespace kumiko::allocator {

Outcome Allocate(const Inventory& inventory, State& state, const std::string& node,
                 std::span<const api::ResourceClaim* const> claims, const Options& options) {
  Outcome outcome;
  const auto plan = MakePlan(inventory, claims);
  if (!plan) {
    outcome.kind = Outcome::Kind::kFatal;
    outcome.error = plan.error().message;
    return outcome;
  }
  const auto& view = inventory.ViewOf(node);
  auto found = SearchNode(inventory, state, view, *plan, options, nullptr);
  outcome.kind = found.kind;
  outcome.error = std::move(found.error);
  outcome.steps = found.steps;
  if (found.kind != Outcome::Kind::kFits) return outcome;
  auto results = BuildResults(view, *plan, found.picks);
  if (!results) {
    outcome.kind = Outcome::Kind::kFatal;
    outcome.error = results.error().message;
    return outcome;
  }
  outcome.results = std::move(*results);
  return outcome;
}

}  // namespace kumiko::allocator
