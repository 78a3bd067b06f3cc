#include "allocator/inventory.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "allocator/view_builder.h"
#include "base/check.h"
#include "cel/expression_cache.h"

namespace kumiko::allocator {

std::string ToString(const DeviceId& id) {
  return id.driver + "/" + id.pool + "/" + id.device;
}

struct Inventory::Impl {
  using PoolKey = std::pair<std::string, std::string>;

  std::map<std::string, StoredSlice> slices;
  std::map<std::string, SlicesByName> slices_of_node;
  SlicesByName shared_slices;
  std::map<PoolKey, SlicesByName> pools;
  std::map<std::string, api::Node> nodes;
  std::map<std::string, api::DeviceTaintRule> taint_rules;
  std::map<std::string, api::DeviceClass> classes;
  std::uint64_t version = 0;
  std::uint32_t next_serial = 0;

  // Caches and the numbering, filled by const calls.
  std::map<std::string, NodeView> views;
  std::uint64_t next_view = 0;
  std::map<DeviceId, DeviceIndex> index_of;
  std::vector<const DeviceId*> id_of;
  std::map<PoolKey, std::uint32_t> pool_index_of;
  std::vector<std::uint32_t> pool_of;
  std::optional<cel::ExpressionCache> own_expressions;
  cel::ExpressionCache* expressions = nullptr;
  VerdictCache verdicts;

  DeviceIndex Intern(const DeviceId& id) {
    const auto [found, added] = index_of.try_emplace(id, static_cast<DeviceIndex>(id_of.size()));
    if (added) {
      id_of.push_back(&found->first);
      const auto pool =
          pool_index_of.try_emplace({id.driver, id.pool}, static_cast<std::uint32_t>(pool_index_of.size()));
      pool_of.push_back(pool.first->second);
    }
    return found->second;
  }

  void Touched(const StoredSlice& stored) {
    ++version;
    const auto& spec = stored.slice->spec;
    if (!spec.node_name) {
      views.clear();
      return;
    }
    views.erase(*spec.node_name);
    // A pool that reaches several nodes is judged complete or obsolete by all its slices.
    const auto pool = pools.find({spec.driver, spec.pool.name});
    if (pool == pools.end()) return;
    for (const auto& [name, other] : pool->second) {
      if (!other->slice->spec.node_name) {
        views.clear();
        return;
      }
      views.erase(*other->slice->spec.node_name);
    }
  }

  void Unlink(const StoredSlice& stored) {
    const auto& slice = *stored.slice;
    Touched(stored);
    const auto& name = slice.metadata.name;
    if (slice.spec.node_name) {
      const auto node = slices_of_node.find(*slice.spec.node_name);
      node->second.erase(name);
      if (node->second.empty()) slices_of_node.erase(node);
    } else {
      shared_slices.erase(name);
    }
    const auto pool = pools.find({slice.spec.driver, slice.spec.pool.name});
    pool->second.erase(name);
    if (pool->second.empty()) pools.erase(pool);
  }

  static std::int64_t HighestGeneration(const SlicesByName& slices_of_pool) {
    std::int64_t highest = 0;
    for (const auto& [name, stored] : slices_of_pool) highest = std::max(highest, stored->slice->spec.pool.generation);
    return highest;
  }

  std::optional<std::pair<const api::ResourceSlice*, const api::Device*>> Find(const DeviceId& id) const {
    const auto pool = pools.find({id.driver, id.pool});
    if (pool == pools.end()) return std::nullopt;
    const auto generation = HighestGeneration(pool->second);
    for (const auto& [name, stored] : pool->second) {
      if (stored->slice->spec.pool.generation != generation) continue;
      for (const auto& device : stored->slice->spec.devices) {
        if (device.name == id.device) return std::pair(stored->slice.get(), &device);
      }
    }
    return std::nullopt;
  }
};

Inventory::Inventory() : impl_(std::make_unique<Impl>()) {
  impl_->expressions = &impl_->own_expressions.emplace();
}
Inventory::Inventory(cel::ExpressionCache& expressions) : impl_(std::make_unique<Impl>()) {
  impl_->expressions = &expressions;
}
Inventory::~Inventory() = default;

void Inventory::UpsertSlice(std::shared_ptr<const api::ResourceSlice> slice) {
  KU_CHECK(slice != nullptr);
  const auto name = slice->metadata.name;
  RemoveSlice(name);
  StoredSlice stored;
  const auto& spec = slice->spec;
  for (const auto& device : spec.devices) {
    stored.contents.push_back(BuildContent(spec.driver, device));
    stored.contents.back().serial = impl_->next_serial++;
    stored.indices.push_back(impl_->Intern({spec.driver, spec.pool.name, device.name}));
  }
  stored.slice = std::move(slice);
  const auto& kept = impl_->slices.emplace(name, std::move(stored)).first->second;
  const auto& kept_spec = kept.slice->spec;
  auto& siblings = kept_spec.node_name ? impl_->slices_of_node[*kept_spec.node_name] : impl_->shared_slices;
  siblings[name] = &kept;
  impl_->pools[{kept_spec.driver, kept_spec.pool.name}][name] = &kept;
  impl_->Touched(kept);
}

void Inventory::RemoveSlice(const std::string& name) {
  const auto found = impl_->slices.find(name);
  if (found == impl_->slices.end()) return;
  impl_->Unlink(found->second);
  impl_->slices.erase(found);
}

void Inventory::UpsertNode(const api::Node& node) {
  impl_->nodes[node.metadata.name] = node;
  impl_->views.erase(node.metadata.name);
  ++impl_->version;
}

void Inventory::RemoveNode(const std::string& name) {
  impl_->nodes.erase(name);
  impl_->views.erase(name);
  ++impl_->version;
}

void Inventory::UpsertTaintRule(const api::DeviceTaintRule& rule) {
  impl_->views.clear();
  impl_->taint_rules[rule.metadata.name] = rule;
  ++impl_->version;
}

void Inventory::RemoveTaintRule(const std::string& name) {
  impl_->views.clear();
  impl_->taint_rules.erase(name);
  ++impl_->version;
}

void Inventory::UpsertClass(const api::DeviceClass& device_class) {
  impl_->classes[device_class.metadata.name] = device_class;
  ++impl_->version;
}

void Inventory::RemoveClass(const std::string& name) {
  impl_->classes.erase(name);
  ++impl_->version;
}

const api::DeviceClass* Inventory::FindClass(const std::string& name) const {
  const auto found = impl_->classes.find(name);
  return found == impl_->classes.end() ? nullptr : &found->second;
}

std::vector<std::string> Inventory::ClassNames() const {
  std::vector<std::string> names;
  for (const auto& [name, device_class] : impl_->classes) names.push_back(name);
  return names;
}

const api::Device* Inventory::FindDevice(const DeviceId& id) const {
  const auto found = impl_->Find(id);
  return found ? found->second : nullptr;
}

const api::ResourceSlice* Inventory::FindSliceOf(const DeviceId& id) const {
  const auto found = impl_->Find(id);
  return found ? found->first : nullptr;
}

std::vector<DeviceId> Inventory::Devices() const {
  std::vector<DeviceId> devices;
  for (const auto& [key, slices] : impl_->pools) {
    const auto generation = Impl::HighestGeneration(slices);
    for (const auto& [name, stored] : slices) {
      if (stored->slice->spec.pool.generation != generation) continue;
      for (const auto& device : stored->slice->spec.devices) devices.push_back({key.first, key.second, device.name});
    }
  }
  return devices;
}

std::vector<std::string> Inventory::NodeNames() const {
  std::set<std::string> names;
  for (const auto& [name, node] : impl_->nodes) names.insert(name);
  for (const auto& [name, slices] : impl_->slices_of_node) names.insert(name);
  return {names.begin(), names.end()};
}

const NodeView& Inventory::ViewOf(const std::string& node) const {
  if (const auto found = impl_->views.find(node); found != impl_->views.end()) return found->second;
  ViewInput input;
  input.node = node;
  if (const auto found = impl_->nodes.find(node); found != impl_->nodes.end()) input.node_object = &found->second;
  if (const auto found = impl_->slices_of_node.find(node); found != impl_->slices_of_node.end())
    input.own = &found->second;
  input.shared = &impl_->shared_slices;
  input.pools = &impl_->pools;
  input.taint_rules = &impl_->taint_rules;
  auto view = BuildNodeView(input);
  view.serial = ++impl_->next_view;
  return impl_->views.emplace(node, std::move(view)).first->second;
}

DeviceIndex Inventory::IndexOf(const DeviceId& id) const {
  return impl_->Intern(id);
}

std::uint32_t Inventory::PoolIndexOf(DeviceIndex index) const {
  return impl_->pool_of[index];
}

const DeviceId& Inventory::IdOf(DeviceIndex index) const {
  KU_CHECK(index < impl_->id_of.size()) << "device index " << index;
  return *impl_->id_of[index];
}

std::size_t Inventory::IndexCount() const {
  return impl_->id_of.size();
}

Result<cel::Expression> Inventory::Compile(std::string_view expression) const {
  return impl_->expressions->Get(expression);
}

const Verdict& Inventory::Evaluate(const cel::Expression& expression, const DeviceContent& content) const {
  return impl_->verdicts.Evaluate(expression, content);
}

void Inventory::ForgetVerdicts() {
  impl_->verdicts = VerdictCache();
}

std::uint64_t Inventory::version() const {
  return impl_->version;
}

}  // namespace kumiko::allocator
