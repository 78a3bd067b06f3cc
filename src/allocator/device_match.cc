#include "allocator/device_match.h"

#include <algorithm>

#include "allocator/constraint.h"
#include "allocator/mutant.h"

namespace kumiko::allocator {

Match MatchSelectors(const Inventory& inventory, const AlternativePlan& alternative, const DeviceRef& device) {
  Match match;
  for (; match.selector < alternative.selectors.size(); ++match.selector) {
    const auto& selector = alternative.selectors[match.selector];
    if (!selector.expression) {
      match.kind = Verdict::Kind::kError;
      match.compiles = false;
      match.error = selector.error;
      return match;
    }
    auto verdict = inventory.Evaluate(*selector.expression, device);
    if (verdict.kind == Verdict::Kind::kTrue) continue;
    match.kind = verdict.kind;
    match.error = std::move(verdict.error);
    return match;
  }
  match.kind = Verdict::Kind::kTrue;
  return match;
}

const api::DeviceTaint* UntoleratedTaint(const AlternativePlan& alternative, const NodeView& view,
                                         std::uint32_t device) {
  const auto& tolerations = alternative.request->tolerations;
  const auto prevents = [&](const api::DeviceTaint& taint) {
    if (taint.effect != "NoSchedule" && (taint.effect != "NoExecute" || Mutant(10))) return false;
    return std::none_of(tolerations.begin(), tolerations.end(),
                        [&](const auto& toleration) { return api::Tolerates(toleration, taint); });
  };
  for (const auto& taint : view.Device(device).taints()) {
    if (prevents(taint)) return &taint;
  }
  const auto& by_rules = view.layout->rule_taints;
  if (device >= by_rules.size() || Mutant(11)) return nullptr;
  const auto& rules = by_rules[device];
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const auto* taint) { return prevents(*taint); });
  return found == rules.end() ? nullptr : *found;
}

DeviceMatches::DeviceMatches(const Inventory& inventory, const NodeView& view, const Plan& plan)
    : inventory_(&inventory),
      view_(&view),
      device_count_(view.layout->candidates),
      selected_(plan.alternative_count * device_count_, Known::kNo),
      published_(plan.constraint_count * device_count_, kUnasked) {}

void DeviceMatches::Adopt(std::span<const std::uint8_t> suits) {
  adopted_ = true;
  for (std::size_t i = 0; i < suits.size(); ++i) selected_[i] = suits[i] != 0 ? Known::kTrue : Known::kFalse;
}

Verdict::Kind DeviceMatches::Selected(const AlternativePlan& alternative, std::uint32_t device) {
  auto& known =
      selected_[std::size_t{adopted_ ? alternative.serial : alternative.same_selectors} * device_count_ + device];
  if (known == Known::kNo) {
    const auto ref = view_->Device(device);
    const auto* extras = ref.shape().ExtrasOf(ref.device());
    if (extras && !extras->binding_conditions.empty() && !inventory_->features().device_binding_and_status) {
      known = Known::kFalse;
    } else {
      switch (MatchSelectors(*inventory_, alternative, ref).kind) {
        case Verdict::Kind::kFalse:
          known = Known::kFalse;
          break;
        case Verdict::Kind::kTrue:
          // Only now: an expression that fails counts also on devices of the slice that are for other nodes.
          known = view_->layout->devices[device].on_node ? Known::kTrue : Known::kFalse;
          break;
        case Verdict::Kind::kError:
          known = Known::kError;
          break;
      }
    }
  }
  if (known == Known::kTrue) return Verdict::Kind::kTrue;
  return known == Known::kError ? Verdict::Kind::kError : Verdict::Kind::kFalse;
}

std::string DeviceMatches::SelectorError(const ClaimPlan& claim, const AlternativePlan& alternative,
                                         std::uint32_t device) const {
  const auto match = MatchSelectors(*inventory_, alternative, view_->Device(device));
  const auto of_class = alternative.class_selectors;
  const auto where =
      match.selector < of_class
          ? fmt::format("class {}: selector #{}", alternative.device_class->metadata.name, match.selector)
          : fmt::format("claim {}: selector #{}", claim.name, match.selector - of_class);
  if (!match.compiles) return fmt::format("{}: CEL compile error: {}", where, match.error);
  return fmt::format("{} on device {}: CEL runtime error: {}", where, ToString(inventory_->IdOf(*view_, device)),
                     match.error);
}

bool DeviceMatches::Tolerated(const AlternativePlan& alternative, std::uint32_t device) {
  if (!view_->layout->devices[device].tainted || !inventory_->features().device_taints) return true;
  if (tolerated_.empty()) tolerated_.resize(selected_.size(), Known::kNo);
  auto& known = tolerated_[At(alternative, device)];
  if (known == Known::kNo) {
    known = UntoleratedTaint(alternative, *view_, device) ? Known::kFalse : Known::kTrue;
  }
  return known == Known::kTrue;
}

Result<AttributeId> DeviceMatches::ConstraintValue(const ClaimPlan& claim, const AlternativePlan& alternative,
                                                   std::uint32_t constraint, std::uint32_t device) {
  const auto& plan = claim.constraints[constraint];
  for (std::size_t i = 0; i < alternative.derived.size(); ++i) {
    const auto& derived = alternative.derived[i];
    if (derived.attribute != plan.attribute) continue;
    if (!derived.expression.expression) {
      return Fail(Code::kInvalidArgument, "compile derived attribute {} failed: {}", plan.attribute,
                  derived.expression.error);
    }
    const auto key = std::uint64_t{alternative.serial} << 48 | std::uint64_t{i} << 32 | device;
    const auto known = derived_.find(key);
    if (known != derived_.end()) return known->second;
    auto value = inventory_->EvaluateAttribute(*derived.expression.expression, plan.name, view_->Device(device));
    if (!value) {
      value = Fail(Code::kInvalidArgument, "evaluate derived attribute {} on device {} failed: {}", plan.attribute,
                   ToString(inventory_->IdOf(*view_, device)), value.error().message);
    }
    derived_.emplace(key, value);
    return value;
  }
  auto& value = published_[plan.serial * device_count_ + device];
  if (value == kUnasked) value = PublishedAttribute(view_->Device(device), plan);
  return value;
}

const Result<CapacityTake>& DeviceMatches::Take(const AlternativePlan& alternative, std::uint32_t device) {
  if (takes_.empty()) takes_.resize(selected_.size());
  auto& known = takes_[At(alternative, device)];
  if (!known) {
    const auto& request = alternative.request->capacity;
    known.emplace(TakeOf(view_->Device(device).capacities(), request ? &*request : nullptr, inventory_->features()));
  }
  return *known;
}

}  // namespace kumiko::allocator
