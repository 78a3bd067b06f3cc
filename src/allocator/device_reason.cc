#include "allocator/device_reason.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "allocator/capacity.h"
#include "allocator/constraint.h"
#include "base/suggest.h"

namespace kumiko::allocator {
namespace {

using Reason = Rejection::Reason;

constexpr Amount kOneUnit = 1000;

// "memory-slice-3" with one unit: a place of the board, of which a device needs certain ones.
bool IsSlot(const Inventory& inventory, const NodeLayout::Counter& counter) {
  const auto& name = inventory.names().Text(counter.name);
  return counter.declared == kOneUnit && !name.empty() && name.back() >= '0' && name.back() <= '9';
}

std::string WithoutPrefix(const std::string& text) {
  for (const std::string_view prefix : {"attribute ", "capacity "}) {
    if (text.starts_with(prefix)) return text.substr(prefix.size());
  }
  return text;
}

std::string IdOf(const std::string& attribute) {
  return attribute.substr(attribute.find('/') + 1);
}

struct ValueTexts {
  std::string operator()(std::int64_t v) const { return fmt::format("{}", v); }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(const std::string& v) const { return v; }
  std::string operator()(const cel::Version& v) const { return v.text; }
  template <class Item>
  std::string operator()(const std::vector<Item>& list) const {
    std::string text = "[";
    for (std::size_t i = 0; i < list.size(); ++i) {
      text += (i > 0 ? ", " : "") + (*this)(static_cast<const Item&>(list[i]));
    }
    return text + "]";
  }
};

std::string ValueText(const AttributeTable& attributes, AttributeId id) {
  return attributes.HasValue(id) ? std::visit(ValueTexts(), attributes.At(id).value) : "of no known type";
}

std::string MissingAttribute(const cel::Mismatch& mismatch, const cel::DeviceView& device,
                             Rejection::Selector& selector) {
  selector.attribute = mismatch.attribute;
  std::vector<std::string> known;
  for (const auto attribute : device.attributes) {
    if (attribute.id == mismatch.attribute) {
      return fmt::format("{} in the domain that is asked; {} has it", mismatch.detail, attribute.domain);
    }
    known.emplace_back(attribute.id);
  }
  const auto near = mismatch.attribute.empty() ? std::nullopt : Suggest(mismatch.attribute, known);
  selector.near = near.value_or("");
  return near ? mismatch.detail + "; did you mean " + *near + "?" : mismatch.detail;
}

DeviceReason SelectorReason(const Inventory& inventory, const AlternativePlan& alternative, const Match& match,
                            const DeviceRef& device) {
  DeviceReason reason;
  reason.of_class = match.selector >= alternative.class_selectors;
  const auto& selector = alternative.selectors[match.selector];
  const auto& texts = reason.of_class ? alternative.request->selectors : alternative.device_class->spec.selectors;
  const auto index = reason.of_class ? match.selector - alternative.class_selectors : match.selector;
  const auto& text = texts[index].cel ? texts[index].cel->expression : std::string();
  reason.selector = {.index = index, .expression = text, .condition = text};
  const auto readable = inventory.Read(device);
  if (!selector.expression || !readable.error.empty()) {
    reason.reason = Reason::kSelectorError;
    reason.detail = selector.expression ? readable.error : selector.error;
    return reason;
  }
  const auto mismatch = selector.expression->ExplainMismatch(readable.view);
  if (!mismatch.conjunct.empty()) reason.selector->condition = mismatch.conjunct;
  switch (mismatch.kind) {
    case cel::Mismatch::Kind::kNone:
    case cel::Mismatch::Kind::kFalse:
      reason.reason = Reason::kSelectorFalse;
      reason.detail = WithoutPrefix(mismatch.detail);
      break;
    case cel::Mismatch::Kind::kAttributeMissing:
      reason.reason = Reason::kAttributeMissing;
      reason.detail = MissingAttribute(mismatch, readable.view, *reason.selector);
      break;
    case cel::Mismatch::Kind::kError:
      reason.reason = Reason::kSelectorError;
      reason.detail = mismatch.detail;
      break;
  }
  return reason;
}

DeviceReason FeatureOff(std::string_view what, std::string_view feature) {
  return {.reason = Reason::kFeatureOff,
          .detail = fmt::format("{} the feature {}, which is off", what, feature),
          .selector = {},
          .needs = {},
          .left = {}};
}

DeviceReason Because(Reason reason, std::string detail) {
  return {.reason = reason, .detail = std::move(detail), .selector = {}, .needs = {}, .left = {}};
}

}  // namespace

NodeReasons::NodeReasons(const Inventory& inventory, const State& state, const NodeView& view, const Plan& plan)
    : inventory_(&inventory),
      state_(&state),
      view_(&view),
      plan_(&plan),
      alone_(view, state),
      matches_(inventory, view, plan) {}

bool NodeReasons::AsksCapacity(const AlternativePlan& alternative, std::uint32_t device) const {
  return inventory_->features().consumable_capacity &&
         (view_->layout->devices[device].has_capacity || alternative.request->capacity);
}

bool NodeReasons::Serves(const ClaimPlan& claim, const AlternativePlan& alternative, std::uint32_t device) {
  return matches_.Selected(alternative, device) == Verdict::Kind::kTrue && !Alone(claim, alternative, device);
}

std::optional<DeviceReason> NodeReasons::Selecting(const AlternativePlan& alternative, std::uint32_t index) const {
  const auto device = view_->Device(index);
  const auto* extras = device.shape().ExtrasOf(device.device());
  if (extras && !extras->binding_conditions.empty() && !inventory_->features().device_binding_and_status) {
    return FeatureOff("its binding conditions need", "DeviceBindingAndStatus");
  }
  const auto match = MatchSelectors(*inventory_, alternative, device);
  if (match.kind == Verdict::Kind::kTrue) return std::nullopt;
  return SelectorReason(*inventory_, alternative, match, device);
}

std::optional<DeviceReason> NodeReasons::Alone(const ClaimPlan& claim, const AlternativePlan& alternative,
                                               std::uint32_t index) {
  const auto& features = inventory_->features();
  if (matches_.Selected(alternative, index) != Verdict::Kind::kTrue) {
    if (auto reason = Selecting(alternative, index)) return reason;
  }
  const auto& entry = view_->layout->devices[index];
  if (!matches_.Tolerated(alternative, index)) {
    const auto* taint = UntoleratedTaint(alternative, *view_, index);
    return Because(Reason::kDeviceTaint,
                   "taint " + taint->key + (taint->value.empty() ? "" : "=" + taint->value) + " not tolerated");
  }
  if (!alternative.admin_access && alone_.InUse(index)) return Because(Reason::kDeviceTaken, "taken");
  if (AsksCapacity(alternative, index)) {
    const auto& take = matches_.Take(alternative, index);
    if (!take || !take->possible || !alone_.CapacitySuffices(index, take->amounts)) {
      return CapacityReason(alone_, alternative, index);
    }
  }
  if (entry.skips_node_operations && !(features.optional_node_operations && view_->optional_node_operations)) {
    if (!features.optional_node_operations) {
      return FeatureOff("its slice skips node operations, which needs", "OptionalNodeOperations");
    }
    return Because(Reason::kNodeOperations,
                   "its slice skips node operations; the node does not declare DRAOptionalNodeOperations");
  }
  if (view_->Device(index).device().draws.size() > 0) {
    if (!features.partitionable_devices) return FeatureOff("its shared counters need", "PartitionableDevices");
    if (!alternative.admin_access && !(alone_.Shareable(index) && alone_.HasShares(index))) {
      if (features.compatibility_groups && !alone_.GroupsAdmit(index)) return GroupReason(index);
      if (!alone_.CountersSuffice(index)) return CounterReason(alone_, index);
    }
  }
  for (const auto c : alternative.constraints) {
    if (auto reason = ConstraintReason(claim, alternative, c, index, {})) return reason;
  }
  return std::nullopt;
}

void NodeReasons::SetPicks(std::vector<Pick> picks) {
  picks_ = std::move(picks);
  beside_.emplace(*view_, *state_);
  for (const auto& pick : picks_) beside_->Push(pick);
}

std::string NodeReasons::NameOf(const Pick& pick) const {
  const bool several = plan_->claims.size() > 1;
  return fmt::format("request {}{}", pick.alternative->name,
                     several ? " of claim " + plan_->claims[pick.claim].name : "");
}

std::optional<DeviceReason> NodeReasons::Beside(std::uint32_t claim, const AlternativePlan& alternative,
                                                std::uint32_t index) {
  if (picks_.empty()) return std::nullopt;
  const auto& features = inventory_->features();
  const auto& in_flight = *beside_;
  const bool shareable = in_flight.Shareable(index);
  for (const auto& pick : picks_) {
    if (pick.device != index) continue;
    const bool looks_only = alternative.admin_access || pick.alternative->admin_access;
    if (!shareable && (!looks_only || pick.claim == claim)) {
      return Because(Reason::kOtherRequest, "needed by " + NameOf(pick));
    }
  }
  const auto others = [&](DeviceReason reason) {
    if (reason.reason == Reason::kDeviceTaken) reason.detail = "nothing left";
    reason.reason = Reason::kOtherRequest;
    reason.detail += " beside the other requests";
    return reason;
  };
  if (AsksCapacity(alternative, index)) {
    const auto& take = matches_.Take(alternative, index);
    if (take && !in_flight.CapacitySuffices(index, take->amounts)) {
      return others(CapacityReason(in_flight, alternative, index));
    }
  }
  if (view_->Device(index).device().draws.size() > 0 && !alternative.admin_access &&
      !(shareable && in_flight.HasShares(index))) {
    if (features.compatibility_groups && !in_flight.GroupsAdmit(index)) return others(GroupReason(index));
    if (!in_flight.CountersSuffice(index)) return others(CounterReason(in_flight, index));
  }
  std::vector<Pick> of_claim;
  for (const auto& pick : picks_) {
    if (pick.claim == claim) of_claim.push_back(pick);
  }
  for (const auto c : alternative.constraints) {
    if (auto reason = ConstraintReason(plan_->claims[claim], alternative, c, index, of_claim)) return reason;
  }
  return std::nullopt;
}

DeviceReason NodeReasons::CapacityReason(const InFlight& in_flight, const AlternativePlan& alternative,
                                         std::uint32_t index) {
  const auto& take = matches_.Take(alternative, index);
  if (!take) return Because(Reason::kCapacityShort, take.error().message);
  const auto device = view_->Device(index);
  const auto& asked = alternative.request->capacity;
  if (!take->possible) {
    if (asked) {
      for (const auto& [name, amount] : asked->requests) {
        const auto capacities = device.capacities();
        const bool known =
            std::any_of(capacities.begin(), capacities.end(), [&](const auto& c) { return c.name == name; });
        if (!known) return Because(Reason::kCapacityShort, "capacity " + name + " does not exist");
      }
      for (std::size_t c = 0; c < take->amounts.size(); ++c) {
        const auto found = asked->requests.find(device.capacities()[c].name);
        if (found == asked->requests.end() || !device.capacities()[c].policy) continue;
        return Because(Reason::kCapacityShort, fmt::format("capacity {}: {} is not an amount that is offered",
                                                           found->first, found->second.ToString()));
      }
    }
    return Because(Reason::kCapacityShort, "its default amount of a capacity is not one that its policy permits");
  }
  for (std::size_t c = 0; c < take->amounts.size(); ++c) {
    const auto& capacity = device.capacities()[c];
    Quantity left = capacity.value;
    if (const auto* holding = in_flight.HoldingOf(index)) {
      const auto held = holding->consumed.find(capacity.name);
      if (held != holding->consumed.end()) left -= held->second;
    }
    for (const auto& pick : in_flight.picks()) {
      if (pick.device == index && pick.shared) left -= pick.amounts[c];
    }
    if (take->amounts[c] <= left) continue;
    return {.reason = Reason::kCapacityShort,
            .detail = "capacity " + capacity.name,
            .selector = {},
            .needs = take->amounts[c].ToString(),
            .left = left.Sign() < 0 ? Quantity() : left};
  }
  return Because(Reason::kCapacityShort, "too little capacity left");
}

// Which counters keep a device off its board: slots, or amounts of which any part would do.
DeviceReason NodeReasons::CounterReason(const InFlight& in_flight, std::uint32_t device) const {
  const auto& layout = *view_->layout;
  const auto& board = layout.boards[layout.devices[device].board];
  int free_slots = 0;
  for (const auto counter : board.counters) {
    if (IsSlot(*inventory_, layout.counters[counter]) && in_flight.Remaining(counter) == kOneUnit) ++free_slots;
  }
  int width = 0;
  bool nothing_left = false;
  const NodeLayout::Consumption* short_of = nullptr;
  for (const auto& consumption : layout.ConsumptionOf(device)) {
    const auto& counter = layout.counters[consumption.counter];
    const auto remaining = in_flight.Remaining(consumption.counter);
    if (IsSlot(*inventory_, counter) && consumption.amount == kOneUnit) {
      ++width;
      continue;
    }
    if (consumption.amount <= remaining) continue;
    nothing_left = nothing_left || remaining <= 0;
    if (!short_of) short_of = &consumption;
  }
  if (nothing_left || (width > 0 && free_slots == 0)) return Because(Reason::kDeviceTaken, "taken");
  if (short_of) {
    return {.reason = Reason::kCounterShort,
            .detail = inventory_->names().Text(layout.counters[short_of->counter].name),
            .selector = {},
            .needs = ToQuantity(short_of->amount).ToString(),
            .left = ToQuantity(in_flight.Remaining(short_of->counter))};
  }
  if (width > 0) {
    return {.reason = free_slots < width ? Reason::kCounterShort : Reason::kNoSlot,
            .detail = "",
            .selector = {},
            .needs = {},
            .left = {},
            .slots = free_slots,
            .width = width};
  }
  return Because(Reason::kCounterShort, "more of a counter of its pool is in use than there is");
}

DeviceReason NodeReasons::GroupReason(std::uint32_t index) const {
  const auto device = view_->Device(index);
  std::string groups;
  const auto range = device.device().draws;
  for (auto g = range.begin; g < range.end; ++g) {
    for (const auto group : device.shape().draws[g].groups) {
      groups += (groups.empty() ? "" : ", ") + inventory_->names().Text(group);
    }
  }
  return Because(Reason::kGroups, groups.empty()
                                      ? "it has no compatibility group, unlike what uses its board"
                                      : "compatibility group " + groups + " does not go with what uses its board");
}

std::optional<DeviceReason> NodeReasons::ConstraintReason(const ClaimPlan& claim, const AlternativePlan& alternative,
                                                          std::uint32_t constraint, std::uint32_t device,
                                                          std::span<const Pick> picks) {
  const auto& plan = claim.constraints[constraint];
  auto& attributes = inventory_->attributes();
  const auto value = matches_.ConstraintValue(claim, alternative, constraint, device);
  if (!value) return Because(Reason::kConstraint, value.error().message);
  const auto id = IdOf(plan.attribute);
  ConstraintState state(plan, attributes, inventory_->features());
  if (!state.Allows(*value)) {
    return Because(Reason::kConstraint, fmt::format("{} does not exist, the claim needs it {}", id,
                                                    plan.distinct ? "to tell devices apart" : "to be equal"));
  }
  for (const auto& pick : picks) {
    const auto& of_pick = pick.alternative->constraints;
    if (std::find(of_pick.begin(), of_pick.end(), constraint) == of_pick.end()) continue;
    const auto other = matches_.ConstraintValue(claim, *pick.alternative, constraint, pick.device);
    if (!other || !state.Allows(*other)) continue;
    state.Push(*other);
    if (state.Allows(*value)) continue;
    return Because(Reason::kConstraint,
                   plan.distinct ? fmt::format("{} is {}, as of {}", id, ValueText(attributes, *value), NameOf(pick))
                                 : fmt::format("{} is {}, not {} as of {}", id, ValueText(attributes, *value),
                                               ValueText(attributes, *other), NameOf(pick)));
  }
  return std::nullopt;
}

}  // namespace kumiko::allocator
