#include "allocator/inventory.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "allocator/view_builder.h"
#include "base/check.h"

namespace kumiko::allocator {
namespace {

// Changes that are remembered one by one.
constexpr std::size_t kMaxDropped = 100'000;

void Erase(std::vector<const StoredSlice*>& list, const StoredSlice* slice) {
  list.erase(std::find(list.begin(), list.end(), slice));
}

std::int64_t HighestGeneration(const std::vector<const StoredSlice*>& slices) {
  std::int64_t highest = 0;
  for (const auto* slice : slices) highest = std::max(highest, slice->generation);
  return highest;
}

}  // namespace

std::string ToString(const DeviceId& id) {
  return id.driver + "/" + id.pool + "/" + id.device;
}

struct Inventory::Impl {
  struct Node {
    std::string name;
    std::vector<const StoredSlice*> slices;  // with this nodeName
    std::unique_ptr<NodeView> view;          // null: to be built
    bool exists = false;                     // as an object
    bool optional_node_operations = false;
    api::StringMap labels;
  };

  Features features;
  std::shared_ptr<cel::ExpressionCache> expressions;
  cel::CompileOptions selector_options;
  cel::CompileOptions derived_options;

  NameTable names;
  AttributeTable attributes;
  SliceReader reader{names, attributes};
  ViewBuilder views;

  StringFlatMap<std::unique_ptr<StoredSlice>> slices;
  std::vector<const StoredSlice*> shared_slices;  // without nodeName
  std::vector<Node> nodes;                        // by NodeIndex
  StringFlatMap<NodeIndex> node_index;
  FlatMap<std::uint64_t, PoolId> pool_ids;  // by driver and name
  std::vector<NameId> pool_names;
  std::vector<NameId> pool_drivers;
  std::vector<std::vector<const StoredSlice*>> pools;  // by PoolId, slices of any generation
  std::map<std::string, api::DeviceTaintRule> taint_rules;
  std::map<std::string, api::DeviceClass> classes;

  std::vector<NodeIndex> dropped;
  std::uint64_t first_dropped = 0;  // number of the change that dropped.front() is
  std::vector<const cel::SharedAttribute*> readable;

  NodeIndex IndexOf(const std::string& name) {
    if (const auto found = node_index.find(name); found != node_index.end()) return found->second;
    const auto index = static_cast<NodeIndex>(nodes.size());
    nodes.emplace_back();
    nodes.back().name = name;
    node_index.emplace(name, index);
    return index;
  }

  PoolId IndexOfPool(std::string_view driver, std::string_view pool) {
    const auto driver_id = names.Intern(driver);
    const auto name_id = names.Intern(pool);
    const auto [found, added] =
        pool_ids.try_emplace(std::uint64_t{driver_id} << 32 | name_id, static_cast<PoolId>(pools.size()));
    if (added) {
      pool_names.push_back(name_id);
      pool_drivers.push_back(driver_id);
      pools.emplace_back();
    }
    return found->second;
  }

  void Drop(NodeIndex node) {
    if (!nodes[node].view) return;
    nodes[node].view.reset();
    dropped.push_back(node);
  }

  void DropAll() {
    for (auto& node : nodes) node.view.reset();
    first_dropped += dropped.size() + 1;
    dropped.clear();
  }

  void Touched(const StoredSlice& slice) {
    if (dropped.size() > kMaxDropped) DropAll();
    // A pool that reaches several nodes is judged complete or obsolete by all its slices.
    for (const auto* other : pools[slice.pool]) {
      if (!other->node_name) {
        DropAll();
        return;
      }
      Drop(IndexOf(*other->node_name));
    }
  }

  void Link(const StoredSlice* slice) {
    (slice->node_name ? nodes[IndexOf(*slice->node_name)].slices : shared_slices).push_back(slice);
    pools[slice->pool].push_back(slice);
    Touched(*slice);
  }

  void Unlink(const StoredSlice* slice) {
    Touched(*slice);
    Erase(slice->node_name ? nodes[IndexOf(*slice->node_name)].slices : shared_slices, slice);
    Erase(pools[slice->pool], slice);
  }

  std::unique_ptr<NodeView> BuildView(const Node& node) {
    ViewInput input;
    input.features = &features;
    input.node = &node.name;
    input.labels = &node.labels;
    input.optional_node_operations = node.optional_node_operations;
    input.own = &node.slices;
    input.shared = &shared_slices;
    input.pools = &pools;
    input.pool_names = &pool_names;
    input.names = &names;
    input.taint_rules = &taint_rules;
    return std::make_unique<NodeView>(views.Build(input));
  }
};

Inventory::Inventory(const Features& features, std::shared_ptr<cel::ExpressionCache> expressions)
    : impl_(std::make_unique<Impl>()) {
  impl_->features = features;
  impl_->expressions = expressions ? std::move(expressions) : std::make_shared<cel::ExpressionCache>();
  const cel::DraFeatures gates{.consumable_capacity = features.consumable_capacity,
                               .list_type_attributes = features.list_type_attributes};
  impl_->selector_options.features = gates;
  impl_->derived_options.features = gates;
  impl_->derived_options.derived_attribute = true;
}
Inventory::~Inventory() = default;

const Features& Inventory::features() const {
  return impl_->features;
}

void Inventory::UpsertSlice(const api::ResourceSlice& slice) {
  auto stored = std::make_unique<StoredSlice>();
  stored->name = slice.metadata.name;
  stored->pool = impl_->IndexOfPool(slice.spec.driver, slice.spec.pool.name);
  impl_->reader.Read(slice, *stored);
  auto& kept = impl_->slices[stored->name];
  if (kept) impl_->Unlink(kept.get());
  kept = std::move(stored);
  impl_->Link(kept.get());
}

void Inventory::RemoveSlice(const std::string& name) {
  const auto found = impl_->slices.find(name);
  if (found == impl_->slices.end()) return;
  impl_->Unlink(found->second.get());
  impl_->slices.erase(found);
}

void Inventory::UpsertNode(const api::Node& node) {
  const auto index = impl_->IndexOf(node.metadata.name);
  const auto& declared = node.status.declared_features;
  auto& entry = impl_->nodes[index];
  entry.exists = true;
  entry.labels = node.metadata.labels;
  entry.optional_node_operations =
      std::find(declared.begin(), declared.end(), "DRAOptionalNodeOperations") != declared.end();
  impl_->Drop(index);
}

void Inventory::RemoveNode(const std::string& name) {
  const auto index = impl_->IndexOf(name);
  auto& entry = impl_->nodes[index];
  entry.exists = false;
  entry.labels.clear();
  entry.optional_node_operations = false;
  impl_->Drop(index);
}

void Inventory::UpsertTaintRule(const api::DeviceTaintRule& rule) {
  impl_->DropAll();
  impl_->views.ForgetLayouts();
  impl_->taint_rules[rule.metadata.name] = rule;
}

void Inventory::RemoveTaintRule(const std::string& name) {
  impl_->DropAll();
  impl_->views.ForgetLayouts();
  impl_->taint_rules.erase(name);
}

const std::map<std::string, api::DeviceTaintRule>& Inventory::TaintRules() const {
  return impl_->taint_rules;
}

void Inventory::UpsertClass(const api::DeviceClass& device_class) {
  impl_->classes[device_class.metadata.name] = device_class;
}

void Inventory::RemoveClass(const std::string& name) {
  impl_->classes.erase(name);
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

DeviceRef Inventory::FindDevice(const DeviceId& id) const {
  const auto name = impl_->names.Find(id.device);
  if (!name) return {};
  const auto& slices = impl_->pools[impl_->IndexOfPool(id.driver, id.pool)];
  const auto generation = HighestGeneration(slices);
  for (const auto* slice : slices) {
    if (slice->generation != generation) continue;
    const auto& devices = slice->shape->devices;
    for (std::uint32_t d = 0; d < devices.size(); ++d) {
      if (devices[d].name == *name) return {slice, d};
    }
  }
  return {};
}

std::vector<DeviceId> Inventory::Devices() const {
  std::vector<std::pair<DeviceId, std::pair<std::string, std::uint32_t>>> found;
  for (PoolId pool = 0; pool < impl_->pools.size(); ++pool) {
    const auto generation = HighestGeneration(impl_->pools[pool]);
    for (const auto* slice : impl_->pools[pool]) {
      if (slice->generation != generation) continue;
      for (std::uint32_t d = 0; d < slice->shape->devices.size(); ++d) {
        found.push_back({{slice->shape->driver_name, impl_->names.Text(impl_->pool_names[pool]),
                          impl_->names.Text(slice->shape->devices[d].name)},
                         {slice->name, d}});
      }
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.driver, a.first.pool, a.second) < std::tie(b.first.driver, b.first.pool, b.second);
  });
  std::vector<DeviceId> devices;
  for (auto& [id, place] : found) devices.push_back(std::move(id));
  return devices;
}

std::vector<DeviceRef> Inventory::SomeDevices(std::size_t most) const {
  std::vector<DeviceRef> devices;
  for (const auto& slices : impl_->pools) {
    const auto generation = HighestGeneration(slices);
    for (const auto* slice : slices) {
      if (slice->generation != generation) continue;
      for (std::uint32_t d = 0; d < slice->shape->devices.size(); ++d) {
        if (devices.size() == most) return devices;
        devices.push_back({slice, d});
      }
    }
  }
  return devices;
}

std::vector<std::string> Inventory::NodeNames() const {
  std::set<std::string> names;
  for (const auto& node : impl_->nodes) {
    if (node.exists || !node.slices.empty()) names.insert(node.name);
  }
  return {names.begin(), names.end()};
}

NodeIndex Inventory::NodeIndexOf(const std::string& node) const {
  return impl_->IndexOf(node);
}

const std::string& Inventory::NodeName(NodeIndex node) const {
  return impl_->nodes[node].name;
}

std::size_t Inventory::node_count() const {
  return impl_->nodes.size();
}

const NodeView& Inventory::ViewOf(NodeIndex node) const {
  auto& entry = impl_->nodes[node];
  if (!entry.view) entry.view = impl_->BuildView(entry);
  return *entry.view;
}

std::optional<std::span<const NodeIndex>> Inventory::DroppedSince(std::uint64_t from) const {
  if (from < impl_->first_dropped) return std::nullopt;
  return std::span<const NodeIndex>(impl_->dropped).subspan(from - impl_->first_dropped);
}

std::uint64_t Inventory::changes() const {
  return impl_->first_dropped + impl_->dropped.size();
}

PoolId Inventory::PoolOf(std::string_view driver, std::string_view pool) const {
  return impl_->IndexOfPool(driver, pool);
}

NameId Inventory::PoolName(PoolId pool) const {
  return impl_->pool_names[pool];
}
NameId Inventory::PoolDriver(PoolId pool) const {
  return impl_->pool_drivers[pool];
}

DeviceId Inventory::IdOf(const NodeView& view, std::uint32_t device) const {
  const auto& entry = view.layout->devices[device];
  const auto pool = view.pools[entry.pool];
  const auto& names = impl_->names;
  return {names.Text(impl_->pool_drivers[pool]), names.Text(impl_->pool_names[pool]), names.Text(entry.name)};
}

NameTable& Inventory::names() const {
  return impl_->names;
}
AttributeTable& Inventory::attributes() const {
  return impl_->attributes;
}

Result<cel::Expression> Inventory::Compile(std::string_view expression) const {
  return impl_->expressions->Get(expression, impl_->selector_options);
}

Result<cel::Expression> Inventory::CompileDerivedAttribute(std::string_view expression) const {
  return impl_->expressions->Get(expression, impl_->derived_options);
}

Inventory::Readable Inventory::Read(const DeviceRef& device) const {
  auto& readable = impl_->readable;
  readable.clear();
  const auto& shape = device.shape();
  const auto range = device.device().attributes;
  for (auto i = range.begin; i < range.end; ++i) {
    const auto id = device.slice->values[i];
    if (const auto error = impl_->attributes.ErrorOf(id); !error.empty()) {
      return {.view = {},
              .error = "attribute " + impl_->names.Text(shape.attributes[i].written) + ": " + std::string(error)};
    }
    readable.push_back(&impl_->attributes.At(id));
  }
  const auto capacities = shape.readable[device.ordinal];
  return {.view = {.driver = shape.driver_name,
                   .attributes = std::span<const cel::SharedAttribute* const>(readable),
                   .capacity = std::span(shape.readable_capacities).subspan(capacities.begin, capacities.size()),
                   .allow_multiple_allocations = device.device().allow_multiple_allocations},
          .error = {}};
}

Verdict Inventory::Evaluate(const cel::Expression& expression, const DeviceRef& device) const {
  auto readable = Read(device);
  if (!readable.error.empty()) return {Verdict::Kind::kError, std::move(readable.error)};
  auto matches = expression.Matches(readable.view);
  if (!matches) return {Verdict::Kind::kError, std::move(matches.error().message)};
  return {*matches ? Verdict::Kind::kTrue : Verdict::Kind::kFalse, {}};
}

Result<AttributeId> Inventory::EvaluateAttribute(const cel::Expression& expression, AttributeNameId name,
                                                 const DeviceRef& device) const {
  auto readable = Read(device);
  if (!readable.error.empty()) return Fail(Code::kInvalidArgument, "{}", readable.error);
  auto derived = expression.EvaluateAttribute(readable.view);
  if (!derived.value) return tl::unexpected(std::move(derived.value.error()));
  return impl_->attributes.Intern(name, ToApi(*derived.value));
}

}  // namespace kumiko::allocator
