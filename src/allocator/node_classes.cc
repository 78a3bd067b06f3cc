#include "allocator/node_classes.h"

#include "allocator/constraint.h"
#include "allocator/packing_classes.h"

namespace kumiko::allocator {
namespace {

constexpr std::size_t kMaxKeySets = 64;
constexpr std::size_t kMaxIds = 200'000;

void AppendPolicy(std::string& text, const api::CapacityRequestPolicy& policy) {
  if (policy.default_value) text += "d" + policy.default_value->ToString();
  for (const auto& value : policy.valid_values) text += "v" + value.ToString();
  if (!policy.valid_range) return;
  for (const auto& bound : {policy.valid_range->min, policy.valid_range->max, policy.valid_range->step}) {
    text += bound ? "r" + bound->ToString() : "r";
  }
}

std::string ShapeText(const NodeView& view, const KeysInPlay& keys) {
  std::string text = view.error;
  for (const auto& pool : view.pools) {
    text += pool.incomplete ? 'u' : pool.invalid ? 'i' : 'p';
    for (const auto& counter : pool.counters) text += std::to_string(counter.declared) + ",";
  }
  for (const auto& device : view.devices) {
    text += "\n" + std::to_string(device.pool) + (device.on_node ? "+" : "-") + ProjectContent(*device.content, keys);
    text += LabelOf(*device.content);
    if (const auto* root = FindAttribute(*device.content, "resource.kubernetes.io/pcieRoot")) {
      DeviceContent one;
      one.attributes.push_back({.domain = "", .id = "", .value = *root});
      text += ProjectContent(one, std::nullopt);
    }
    for (const auto& consumption : device.consumes) {
      text += "c" + std::to_string(consumption.counter) + "=" + std::to_string(consumption.amount);
    }
    for (const auto* taint : device.taints) text += "t" + taint->key + "=" + taint->value + ":" + taint->effect;
    for (const auto& [name, capacity] : device.device->capacity) {
      text += "q" + name + "=" + capacity.value.ToString();
      if (capacity.request_policy) AppendPolicy(text, *capacity.request_policy);
    }
  }
  return text;
}

std::string UseText(const NodeView& view, const State& state) {
  std::string text;
  for (const auto& device : view.devices) {
    if (!state.Holds(device.index)) {
      text += '.';
      continue;
    }
    text += state.HoldsExclusively(device.index) ? 'x' : 's';
    if (const auto shares = state.Shares(device.index); shares > 0) text += std::to_string(shares);
    if (const auto* consumed = state.ConsumedCapacity(device.index)) {
      for (const auto& [name, amount] : *consumed) text += name + "=" + amount.ToString() + ",";
    }
  }
  return text;
}

// Grows when any device of the view's pools changes hands.
std::uint64_t UseVersion(const Inventory& inventory, const State& state, const NodeView& view) {
  std::uint64_t version = 0;
  for (const auto& pool : view.pools) {
    if (!pool.devices.empty())
      version += state.PoolVersion(inventory.PoolIndexOf(view.devices[pool.devices.front()].index));
  }
  return version;
}

std::string KeyText(const KeysInPlay& keys) {
  if (!keys) return "*";
  std::string text;
  for (const auto& key : *keys) {
    text += key.map == cel::AttributeKey::Map::kAttributes ? "a" : "c";
    text += key.domain + "/" + key.id + "\n";
  }
  return text;
}

}  // namespace

std::uint32_t NodeClasses::Intern(std::string text) {
  return ids_.try_emplace(std::move(text), static_cast<std::uint32_t>(ids_.size())).first->second;
}

NodeClassId NodeClasses::ClassOf(const Inventory& inventory, const State& state, const std::string& node,
                                 const KeysInPlay& keys) {
  if (ids_.size() > kMaxIds || shapes_.size() > kMaxKeySets) {
    ids_.clear();
    shapes_.clear();
    uses_.clear();
  }
  const auto& view = inventory.ViewOf(node);
  auto& shape = shapes_[KeyText(keys)][node];
  if (shape.view != view.serial) shape = {.view = view.serial, .version = 0, .id = Intern("s" + ShapeText(view, keys))};
  const auto version = UseVersion(inventory, state, view);
  auto& use = uses_[node];
  if (use.view != view.serial || use.version != version) {
    use = {.view = view.serial, .version = version, .id = Intern("u" + UseText(view, state))};
  }
  return {.shape = shape.id, .use = use.id};
}

}  // namespace kumiko::allocator
