#include "allocator/node_classes.h"

#include <algorithm>

namespace kumiko::allocator {
namespace {

constexpr std::size_t kMaxKeySets = 64;
constexpr std::size_t kMaxIds = 200'000;

// The layout, and the values that expressions in play read.
std::string ShapeText(const Inventory& inventory, const NodeView& view, const KeysInPlay& keys) {
  std::string text = view.error + std::to_string(view.layout->serial) + (view.optional_node_operations ? "+" : "-");
  std::vector<AttributeNameId> names;
  auto& attributes = inventory.attributes();
  if (keys) {
    for (const auto& key : *keys) {
      if (key.map != cel::AttributeKey::Map::kAttributes) continue;
      if (const auto name = attributes.FindName(key.domain, key.id)) names.push_back(*name);
    }
    for (const char* near : {"pcieRoot", "numaNode"}) {
      if (const auto name = attributes.FindName("resource.kubernetes.io", near)) names.push_back(*name);
    }
  }
  const bool whole_domains =
      keys && std::any_of(keys->begin(), keys->end(), [](const auto& k) { return k.id.empty(); });
  const auto append = [&text](AttributeId id) { text.append(reinterpret_cast<const char*>(&id), sizeof(id)); };
  for (std::uint32_t d = 0; d < view.layout->candidates; ++d) {
    const auto device = view.Device(d);
    if (!keys || whole_domains) {
      for (const auto id : device.attributes()) append(id);
    } else {
      for (const auto name : names) append(device.Attribute(name));
    }
  }
  return text;
}

std::string UseText(const NodeView& view, const State& state) {
  std::vector<std::string> uses;
  for (std::uint32_t p = 0; p < view.pools.size(); ++p) {
    for (const auto& holding : state.HoldingsOf(view.pools[p])) {
      const auto device = view.layout->FindDevice(p, holding.device);
      if (!device) continue;
      std::string use = std::to_string(*device) + (holding.exclusive > 0 ? "x" : "s") + std::to_string(holding.shares) +
                        "," + std::to_string(holding.capacities);
      for (const auto& [name, amount] : holding.consumed) use += name + "=" + amount.ToString() + ",";
      uses.push_back(std::move(use));
    }
  }
  std::sort(uses.begin(), uses.end());
  std::string text;
  for (const auto& use : uses) text += use + ";";
  return text;
}

// Grows when any device of the view's pools changes hands.
std::uint64_t UseVersion(const State& state, const NodeView& view) {
  std::uint64_t version = 0;
  for (const auto pool : view.pools) version += state.PoolVersion(pool);
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
  if (shape.view != view.serial)
    shape = {.view = view.serial, .version = 0, .id = Intern("s" + ShapeText(inventory, view, keys))};
  const auto version = UseVersion(state, view);
  auto& use = uses_[node];
  if (use.view != view.serial || use.version != version) {
    use = {.view = view.serial, .version = version, .id = Intern("u" + UseText(view, state))};
  }
  return {.shape = shape.id, .use = use.id};
}

}  // namespace kumiko::allocator
