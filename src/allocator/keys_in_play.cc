#include "allocator/keys_in_play.h"

#include <algorithm>

namespace kumiko::allocator {
namespace {

void Merge(const std::optional<std::vector<cel::AttributeKey>>& read, KeysInPlay& keys) {
  if (!read) keys.reset();
  if (keys) keys->insert(keys->end(), read->begin(), read->end());
}

void Merge(const SelectorPlan& selector, KeysInPlay& keys) {
  if (selector.expression) Merge(selector.expression->ReadKeys(), keys);
}

}  // namespace

KeysInPlay KeysOf(const Inventory& inventory, const Plan& plan, const Demand* demand) {
  KeysInPlay keys;
  keys.emplace();
  for (const auto& claim : plan.claims) {
    for (const auto& request : claim.requests) {
      for (const auto& alternative : request.alternatives) {
        for (const auto& selector : alternative.selectors) Merge(selector, keys);
        for (const auto& derived : alternative.derived) Merge(derived.expression, keys);
      }
    }
    for (const auto& constraint : claim.constraints) {
      const auto& [domain, id] = inventory.attributes().Name(constraint.name);
      // Without a domain the name belongs to whichever driver published the device.
      if (domain.empty()) return std::nullopt;
      if (keys) keys->push_back({.map = cel::AttributeKey::Map::kAttributes, .domain = domain, .id = id});
    }
  }
  if (demand != nullptr) {
    for (const auto& entry : demand->Classes()) {
      for (const auto& text : entry.selectors) {
        if (const auto expression = inventory.Compile(text)) Merge(expression->ReadKeys(), keys);
      }
    }
  }
  if (keys) {
    std::sort(keys->begin(), keys->end());
    keys->erase(std::unique(keys->begin(), keys->end()), keys->end());
  }
  return keys;
}

}  // namespace kumiko::allocator
