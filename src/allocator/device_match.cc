#include "allocator/device_match.h"

#include <algorithm>

namespace kumiko::allocator {

Match MatchSelectors(const Inventory& inventory, const AlternativePlan& alternative, const DeviceContent& content) {
  Match match;
  for (; match.selector < alternative.selectors.size(); ++match.selector) {
    const auto& verdict = inventory.Evaluate(alternative.selectors[match.selector], content);
    if (verdict.kind == Verdict::Kind::kTrue) continue;
    match.kind = verdict.kind;
    match.error = verdict.error;
    return match;
  }
  match.kind = Verdict::Kind::kTrue;
  return match;
}

const api::DeviceTaint* UntoleratedTaint(const AlternativePlan& alternative, const ViewDevice& device) {
  const auto& tolerations = alternative.request->tolerations;
  for (const auto* taint : device.taints) {
    if (taint->effect != "NoSchedule" && taint->effect != "NoExecute") continue;
    const bool tolerated = std::any_of(tolerations.begin(), tolerations.end(),
                                       [taint](const auto& toleration) { return api::Tolerates(toleration, *taint); });
    if (!tolerated) return taint;
  }
  return nullptr;
}

DeviceMatches::DeviceMatches(const Inventory& inventory, const NodeView& view, const Plan& plan)
    : inventory_(&inventory),
      view_(&view),
      selected_(plan.alternative_count * view.devices.size(), Known::kNo),
      tolerated_(plan.alternative_count * view.devices.size(), Known::kNo) {}

Verdict::Kind DeviceMatches::Selected(const AlternativePlan& alternative, std::uint32_t device) {
  auto& known = selected_[alternative.serial * view_->devices.size() + device];
  if (known == Known::kNo) {
    switch (MatchSelectors(*inventory_, alternative, *view_->devices[device].content).kind) {
      case Verdict::Kind::kFalse:
        known = Known::kFalse;
        break;
      case Verdict::Kind::kTrue:
        known = Known::kTrue;
        break;
      case Verdict::Kind::kError:
        known = Known::kError;
        break;
    }
  }
  if (known == Known::kTrue) return Verdict::Kind::kTrue;
  return known == Known::kError ? Verdict::Kind::kError : Verdict::Kind::kFalse;
}

std::string DeviceMatches::Error(const ClaimPlan& claim, const AlternativePlan& alternative,
                                 std::uint32_t device) const {
  const auto& entry = view_->devices[device];
  const auto& pool = view_->pools[entry.pool];
  const auto match = MatchSelectors(*inventory_, alternative, *entry.content);
  const auto of_class = alternative.device_class->spec.selectors.size();
  const auto where = match.selector < of_class ? fmt::format("class {}, selector #{}",
                                                             alternative.device_class->metadata.name, match.selector)
                                               : fmt::format("selector #{}", match.selector - of_class);
  return fmt::format("claim {}, request {}: {}: {} (device {} of driver {} on node {})", claim.name, alternative.name,
                     where, match.error, entry.device->name, pool.driver, view_->node);
}

bool DeviceMatches::Tolerated(const AlternativePlan& alternative, std::uint32_t device) {
  if (view_->devices[device].taints.empty()) return true;
  auto& known = tolerated_[alternative.serial * view_->devices.size() + device];
  if (known == Known::kNo) {
    known = UntoleratedTaint(alternative, view_->devices[device]) ? Known::kFalse : Known::kTrue;
  }
  return known == Known::kTrue;
}

}  // namespace kumiko::allocator
