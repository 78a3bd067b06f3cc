#include "allocator/node_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/overloaded.h"

namespace kumiko::allocator {
namespace {

api::ResourceClaim& ClaimNamed(NodeWorld& world, const std::string& name) {
  const auto found = std::find_if(world.claims.begin(), world.claims.end(),
                                  [&](const auto& claim) { return api::QualifiedName(claim.metadata) == name; });
  KU_CHECK(found != world.claims.end()) << "a change names claim " << name << ", which is not asked for";
  return *found;
}

api::DeviceSubRequest& RequestNamed(NodeWorld& world, const RequestName& of) {
  for (auto& request : ClaimNamed(world, of.claim).spec.devices.requests) {
    if (request.exactly && request.name == of.request) return *request.exactly;
    for (auto& alternative : request.first_available) {
      if (request.name + "/" + alternative.name == of.request) return alternative;
    }
  }
  KU_CHECK(false) << "a change names request " << of.request << " of claim " << of.claim << ", which has none";
  std::abort();
}

const api::Device* DeviceNamed(const NodeWorld& world, const DeviceId& id) {
  for (const auto& slice : world.slices) {
    if (slice.spec.driver != id.driver || slice.spec.pool.name != id.pool) continue;
    for (const auto& device : slice.spec.devices) {
      if (device.name == id.device) return &device;
    }
  }
  return nullptr;
}

void Add(const AddDevices& change, NodeWorld& world) {
  const auto* like = DeviceNamed(world, change.like);
  KU_CHECK(like != nullptr) << "a change names device " << ToString(change.like) << ", which is not published";
  api::ResourceSlice slice;
  slice.metadata.name = fmt::format("added-{}", world.slices.size());
  slice.spec.driver = change.like.driver;
  slice.spec.pool = {.name = slice.metadata.name, .generation = 1, .resource_slice_count = 1};
  slice.spec.node_name = change.node;
  for (std::int64_t i = 0; i < change.count; ++i) {
    api::Device device;
    device.name = fmt::format("added-{}", i);
    device.attributes = like->attributes;
    device.capacity = like->capacity;
    device.allow_multiple_allocations = like->allow_multiple_allocations;
    slice.spec.devices.push_back(std::move(device));
  }
  world.slices.push_back(std::move(slice));
}

api::Device CopyDevice(const Inventory& inventory, const DeviceRef& ref) {
  const auto& names = inventory.names();
  const auto& shape = ref.shape();
  const auto& stored = ref.device();
  api::Device device;
  device.name = names.Text(stored.name);
  for (auto i = stored.attributes.begin; i < stored.attributes.end; ++i) {
    const auto value = ref.slice->values[i];
    auto& attribute = device.attributes[names.Text(shape.attributes[i].written)];
    // One without a value stays without.
    if (inventory.attributes().HasValue(value)) attribute = ToApi(inventory.attributes().At(value).value);
  }
  for (const auto& capacity : ref.capacities()) {
    device.capacity[capacity.name] = {.value = capacity.value, .request_policy = capacity.policy};
  }
  for (auto g = stored.draws.begin; g < stored.draws.end; ++g) {
    const auto& draw = shape.draws[g];
    api::DeviceCounterConsumption consumption;
    consumption.counter_set = names.Text(draw.set);
    for (const auto& part : ref.consumption()) {
      if (part.set == draw.set) consumption.counters[names.Text(part.counter)] = {ToQuantity(part.amount)};
    }
    for (const auto group : draw.groups) consumption.compatibility_groups.push_back(names.Text(group));
    device.consumes_counters.push_back(std::move(consumption));
  }
  device.taints.assign(ref.taints().begin(), ref.taints().end());
  if (const auto* extras = shape.ExtrasOf(stored)) {
    device.binding_conditions = extras->binding_conditions;
    device.binding_failure_conditions = extras->binding_failure_conditions;
    device.binds_to_node = extras->binds_to_node;
  }
  device.allow_multiple_allocations = stored.allow_multiple_allocations;
  return device;
}

// A slice as one node sees it: for this node, or for another.
std::string Elsewhere(const std::string& node) {
  return node + "-elsewhere";
}

// Twice the same node: what the slice says of where it is, in terms that a result cannot carry.
api::NodeSelector TwoTerms(const std::string& node) {
  api::NodeSelectorTerm term;
  term.match_fields.push_back({.key = "metadata.name", .operator_ = "In", .values = {node}});
  return {.node_selector_terms = {term, term}};
}

class SliceCopy {
 public:
  SliceCopy(const Inventory& inventory, const NodeView& view) : inventory_(inventory), view_(view) {
    const auto& layout = *view.layout;
    for (std::uint32_t d = 0; d < layout.candidates; ++d) {
      const auto ref = view.Device(d);
      reaches_.insert(ref.slice);
      if (layout.devices[d].on_node) on_node_.emplace(ref.slice, ref.ordinal);
    }
    for (const auto& unused : view.unused) {
      reaches_.insert(unused.slice);
      for (const auto d : unused.devices) on_node_.emplace(unused.slice, d);
    }
  }

  api::ResourceSlice Of(const StoredSlice& stored) const {
    const auto& names = inventory_.names();
    const auto& shape = *stored.shape;
    const std::string elsewhere = Elsewhere(view_.node);
    api::ResourceSlice slice;
    slice.metadata.name = stored.name;
    slice.spec.driver = shape.driver_name;
    slice.spec.pool = {.name = names.Text(inventory_.PoolName(stored.pool)),
                       .generation = stored.generation,
                       .resource_slice_count = stored.slice_count};
    // Slices of counters alone count for the pool wherever they are for.
    const bool here = reaches_.contains(&stored);
    if (stored.has_per_device_field) {
      slice.spec.per_device_node_selection = stored.per_device_node_selection;
    }
    if (here && stored.node_selector && stored.node_selector->node_selector_terms.size() > 1) {
      slice.spec.node_selector = TwoTerms(view_.node);
    } else if (!stored.per_device_node_selection) {
      slice.spec.node_name = here ? view_.node : elsewhere;
    }
    slice.spec.skip_node_operations = shape.skip_node_operations;
    for (std::uint32_t d = 0; d < shape.devices.size(); ++d) {
      auto device = CopyDevice(inventory_, {&stored, d});
      if (stored.per_device_node_selection) {
        device.node_name = on_node_.contains({&stored, d}) ? view_.node : elsewhere;
      }
      slice.spec.devices.push_back(std::move(device));
    }
    for (const auto set : shape.counter_sets) {
      api::CounterSet copy;
      copy.name = names.Text(set);
      for (const auto& counter : shape.counters) {
        if (counter.set == set) copy.counters[names.Text(counter.name)] = {ToQuantity(counter.declared)};
      }
      slice.spec.shared_counters.push_back(std::move(copy));
    }
    return slice;
  }

 private:
  const Inventory& inventory_;
  const NodeView& view_;
  std::set<const StoredSlice*> reaches_;
  std::set<std::pair<const StoredSlice*, std::uint32_t>> on_node_;
};

void CopyHoldings(const Inventory& inventory, const State& state, PoolId pool, std::vector<HeldDevice>& held) {
  const auto& names = inventory.names();
  for (const auto& holding : state.HoldingsOf(pool)) {
    held.push_back({.device = {names.Text(inventory.PoolDriver(pool)), names.Text(inventory.PoolName(pool)),
                               names.Text(holding.device)},
                    .exclusive = holding.exclusive,
                    .shares = holding.shares,
                    .capacities = holding.capacities,
                    .consumed = holding.consumed});
  }
}

}  // namespace

NodeWorld CopyNode(const Inventory& inventory, const State& state, const std::string& node,
                   std::span<const api::ResourceClaim* const> claims) {
  NodeWorld world;
  const auto& view = inventory.ViewOf(node);
  world.features = inventory.features();
  world.node.metadata.name = node;
  if (view.optional_node_operations) world.node.status.declared_features.push_back("DRAOptionalNodeOperations");
  for (const auto* claim : claims) world.claims.push_back(*claim);
  std::set<std::string> classes;
  for (const auto& claim : world.claims) {
    for (const auto& request : claim.spec.devices.requests) {
      if (request.exactly) classes.insert(request.exactly->device_class_name);
      for (const auto& alternative : request.first_available) classes.insert(alternative.device_class_name);
    }
  }
  for (const auto& name : classes) {
    if (const auto* found = inventory.FindClass(name)) world.classes.push_back(*found);
  }
  for (const auto& [name, rule] : inventory.TaintRules()) world.taint_rules.push_back(rule);
  const SliceCopy copy(inventory, view);
  std::set<const StoredSlice*> slices(view.slices.begin(), view.slices.end());
  std::set<PoolId> pools(view.pools.begin(), view.pools.end());
  for (const auto& unused : view.unused) {
    slices.insert(unused.slice);
    pools.insert(unused.slice->pool);
  }
  for (const auto* slice : slices) world.slices.push_back(copy.Of(*slice));
  std::sort(world.slices.begin(), world.slices.end(),
            [](const auto& a, const auto& b) { return a.metadata.name < b.metadata.name; });
  for (const auto pool : pools) CopyHoldings(inventory, state, pool, world.held);
  return world;
}

void AddPatterns(const Inventory& inventory, std::span<const DeviceRef> devices, NodeWorld& world) {
  std::set<std::pair<std::string, std::string>> known;
  for (const auto& slice : world.slices) known.emplace(slice.spec.driver, slice.spec.pool.name);
  std::map<const StoredSlice*, api::ResourceSlice> slices;
  for (const auto& device : devices) {
    const auto& pool = inventory.names().Text(inventory.PoolName(device.slice->pool));
    if (known.contains({device.shape().driver_name, pool})) continue;
    auto& slice = slices[device.slice];
    slice.metadata.name = device.slice->name;
    slice.spec.driver = device.shape().driver_name;
    slice.spec.pool = {.name = pool, .generation = device.slice->generation, .resource_slice_count = 1};
    slice.spec.node_name = Elsewhere(world.node.metadata.name);
    slice.spec.devices.push_back(CopyDevice(inventory, device));
  }
  for (auto& [stored, slice] : slices) world.slices.push_back(std::move(slice));
}

std::unique_ptr<Inventory> MakeInventory(const NodeWorld& world, std::shared_ptr<cel::ExpressionCache> expressions) {
  auto inventory = std::make_unique<Inventory>(world.features, std::move(expressions));
  for (const auto& device_class : world.classes) inventory->UpsertClass(device_class);
  for (const auto& rule : world.taint_rules) inventory->UpsertTaintRule(rule);
  inventory->UpsertNode(world.node);
  for (const auto& slice : world.slices) inventory->UpsertSlice(slice);
  return inventory;
}

Outcome Decide(const Inventory& inventory, const NodeWorld& world, std::int64_t max_steps) {
  State state(inventory);
  for (const auto& held : world.held) {
    for (std::int32_t i = 0; i < held.exclusive; ++i) state.AddDevice(held.device);
    for (std::int32_t i = 0; i < held.shares; ++i) state.AddShare(held.device);
    if (held.capacities > 0) state.AddConsumedCapacity(held.device, held.consumed);
  }
  std::vector<const api::ResourceClaim*> claims;
  for (const auto& claim : world.claims) claims.push_back(&claim);
  Options options;
  options.policy = Policy::kFirstFit;
  options.max_steps = max_steps;
  return Allocate(inventory, state, world.node.metadata.name, claims, options);
}

void Apply(const Change& change, NodeWorld& world) {
  std::visit(
      Overloaded{[&](const LowerCount& c) {
                   auto& request = RequestNamed(world, c.of);
                   request.allocation_mode = api::kExactCount;
                   request.count = c.count;
                 },
                 [&](const LowerCapacity& c) {
                   auto& requests = RequestNamed(world, c.of).capacity->requests;
                   if (c.amount) {
                     requests[c.capacity] = *c.amount;
                   } else {
                     requests.erase(c.capacity);
                   }
                 },
                 [&](const Tolerate& c) {
                   api::DeviceToleration toleration;
                   toleration.key = c.key;
                   toleration.operator_ = "Exists";
                   RequestNamed(world, c.of).tolerations.push_back(std::move(toleration));
                 },
                 [&](const RelaxSelector& c) {
                   RequestNamed(world, c.of).selectors[c.selector].cel->expression = c.expression;
                 },
                 [&](const DropConstraint& c) {
                   auto& constraints = ClaimNamed(world, c.claim).spec.devices.constraints;
                   constraints.erase(constraints.begin() + static_cast<std::ptrdiff_t>(c.constraint));
                 },
                 [&](const DropRequest& c) {
                   std::erase_if(ClaimNamed(world, c.of.claim).spec.devices.requests,
                                 [&](const auto& request) { return request.name == c.of.request; });
                 },
                 [&](const ReleaseDevices& c) {
                   std::erase_if(world.held, [&](const auto& held) {
                     return std::find(c.devices.begin(), c.devices.end(), held.device) != c.devices.end();
                   });
                 },
                 [&](const RelaxClass& c) {
                   for (auto& device_class : world.classes) {
                     if (device_class.metadata.name == c.device_class) {
                       device_class.spec.selectors[c.selector].cel->expression = c.expression;
                     }
                   }
                 },
                 [&](const EnableFeature& c) {
                   for (const auto& row : kFeatureTable) {
                     if (row.name == c.feature) world.features.*row.on = true;
                   }
                 },
                 [&](const DeclareNodeOperations&) {
                   world.node.status.declared_features.push_back("DRAOptionalNodeOperations");
                 },
                 [&](const CompletePool& c) {
                   for (auto& slice : world.slices) {
                     auto& pool = slice.spec.pool;
                     if (slice.spec.driver == c.driver && pool.name == c.pool && pool.generation == c.generation) {
                       pool.resource_slice_count = c.slices;
                     }
                   }
                 },
                 [&](const AddDevices& c) { Add(c, world); }},
      change);
}

}  // namespace kumiko::allocator
