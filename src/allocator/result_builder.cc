#include "allocator/result_builder.h"

#include <algorithm>
#include <set>

namespace kumiko::allocator {
namespace {

api::DeviceRequestAllocationResult BuildDevice(const Inventory& inventory, const NodeView& view, const Pick& pick,
                                               std::size_t& next_share) {
  const auto ref = view.Device(pick.device);
  auto id = inventory.IdOf(view, pick.device);
  api::DeviceRequestAllocationResult result;
  result.request = pick.alternative->name;
  result.driver = std::move(id.driver);
  result.pool = std::move(id.pool);
  result.device = std::move(id.device);
  if (pick.alternative->admin_access) result.admin_access = true;
  result.tolerations = pick.alternative->request->tolerations;
  if (pick.shared) {
    result.share_id = "share-" + std::to_string(next_share++);
    result.consumed_capacity = ByName(ref.capacities(), pick.amounts);
  }
  const auto* extras = ref.shape().ExtrasOf(ref.device());
  if (extras && inventory.features().device_binding_and_status) {
    result.binding_conditions = extras->binding_conditions;
    result.binding_failure_conditions = extras->binding_failure_conditions;
  }
  result.skip_node_operations = ref.shape().skip_node_operations;
  return result;
}

// The alternative of each request of one claim that was chosen, in request order.
std::vector<const AlternativePlan*> ChosenAlternatives(const ClaimPlan& claim, std::uint32_t index,
                                                       const std::vector<Pick>& picks) {
  std::vector<const AlternativePlan*> chosen(claim.requests.size(), nullptr);
  for (std::size_t r = 0; r < claim.requests.size(); ++r) {
    // Alternatives that ask for nothing leave no pick; the first of them is taken.
    const auto& alternatives = claim.requests[r].alternatives;
    for (const auto& alternative : alternatives) {
      if (!chosen[r] && (alternatives.size() == 1 || (!alternative.all && alternative.count == 0))) {
        chosen[r] = &alternative;
      }
    }
  }
  for (const auto& pick : picks) {
    if (pick.claim == index) chosen[pick.request] = pick.alternative;
  }
  std::erase(chosen, nullptr);
  return chosen;
}

std::string RequestOf(const std::string& name) {
  return name.substr(0, name.find('/'));
}

bool Lists(const std::vector<std::string>& names, const AlternativePlan& alternative) {
  return std::find(names.begin(), names.end(), alternative.name) != names.end() ||
         std::find(names.begin(), names.end(), RequestOf(alternative.name)) != names.end();
}

std::vector<api::DeviceAllocationConfiguration> BuildConfig(const ClaimPlan& claim,
                                                            const std::vector<const AlternativePlan*>& chosen) {
  std::vector<api::DeviceAllocationConfiguration> configs;
  std::set<std::string> done;
  for (const auto* alternative : chosen) {
    const auto* device_class = alternative->device_class;
    if (!done.insert(device_class->metadata.name).second) continue;
    std::vector<std::string> requests;
    for (const auto* other : chosen) {
      if (other->device_class == device_class) requests.push_back(other->name);
    }
    for (const auto& config : device_class->spec.config) {
      configs.push_back({.source = "FromClass", .requests = requests, .opaque = config.opaque});
    }
  }
  for (const auto& config : claim.claim->spec.devices.config) {
    const bool used = config.requests.empty() || std::any_of(chosen.begin(), chosen.end(),
                                                             [&](const auto* a) { return Lists(config.requests, *a); });
    if (used) configs.push_back({.source = "FromClaim", .requests = config.requests, .opaque = config.opaque});
  }
  for (auto& config : configs) {
    const bool covers_all =
        std::all_of(chosen.begin(), chosen.end(), [&](const auto* a) { return Lists(config.requests, *a); });
    if (covers_all && !chosen.empty()) config.requests.clear();
  }
  return configs;
}

void AppendMissing(std::vector<api::NodeSelectorRequirement>& to,
                   const std::vector<api::NodeSelectorRequirement>& from) {
  for (const auto& requirement : from) {
    const bool known = std::any_of(to.begin(), to.end(), [&](const auto& other) {
      return other.key == requirement.key && other.operator_ == requirement.operator_ &&
             std::set(other.values.begin(), other.values.end()) ==
                 std::set(requirement.values.begin(), requirement.values.end());
    });
    if (!known) to.push_back(requirement);
  }
}

Result<std::optional<api::NodeSelector>> BuildNodeSelector(const NodeView& view,
                                                           const std::vector<const Pick*>& picks) {
  api::NodeSelectorTerm term;
  for (const auto* pick : picks) {
    const auto ref = view.Device(pick->device);
    const auto* extras = ref.shape().ExtrasOf(ref.device());
    const bool per_device = ref.slice->per_device_node_selection;
    const bool named = per_device ? extras && extras->node_name : ref.slice->node_name.has_value();
    if (named || (extras && extras->binds_to_node)) {
      api::NodeSelectorRequirement name{.key = "metadata.name", .operator_ = "In", .values = {view.node}};
      return api::NodeSelector{.node_selector_terms = {{.match_expressions = {}, .match_fields = {name}}}};
    }
    static const std::optional<api::NodeSelector> kNone;
    const auto& selector = per_device ? (extras ? extras->node_selector : kNone) : ref.slice->node_selector;
    if (!selector || selector->node_selector_terms.empty()) continue;
    if (selector->node_selector_terms.size() > 1) {
      return Fail(Code::kInvalidArgument, "unsupported ResourceSlice.NodeSelector with {} terms",
                  selector->node_selector_terms.size());
    }
    AppendMissing(term.match_fields, selector->node_selector_terms.front().match_fields);
    AppendMissing(term.match_expressions, selector->node_selector_terms.front().match_expressions);
  }
  if (term.match_fields.empty() && term.match_expressions.empty()) return std::nullopt;
  return api::NodeSelector{.node_selector_terms = {term}};
}

}  // namespace

Result<std::vector<api::AllocationResult>> BuildResults(const Inventory& inventory, const NodeView& view,
                                                        const Plan& plan, const std::vector<Pick>& picks) {
  std::vector<api::AllocationResult> results;
  std::size_t next_share = 0;
  for (std::uint32_t c = 0; c < plan.claims.size(); ++c) {
    api::AllocationResult result;
    std::vector<const Pick*> of_claim;
    for (const auto& pick : picks) {
      if (pick.claim != c) continue;
      of_claim.push_back(&pick);
      result.devices.results.push_back(BuildDevice(inventory, view, pick, next_share));
    }
    result.devices.config = BuildConfig(plan.claims[c], ChosenAlternatives(plan.claims[c], c, picks));
    KU_TRY(result.node_selector, BuildNodeSelector(view, of_claim), "create NodeSelector for claim {}",
           plan.claims[c].claim->metadata.name);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace kumiko::allocator
