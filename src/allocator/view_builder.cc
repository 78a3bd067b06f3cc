#include "allocator/view_builder.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace kumiko::allocator {
namespace {

using PoolKey = std::pair<std::string, std::string>;

struct Gathered {
  std::int64_t generation = 0;
  std::vector<const StoredSlice*> relevant;
  std::vector<const StoredSlice*> others;  // of the same pool and generation, not for this node
  bool incomplete = false;
  bool binding_conditions = false;
};

Result<bool> Selects(const std::optional<std::string>& node_name, const std::optional<bool>& all_nodes,
                     const std::optional<api::NodeSelector>& selector, const ViewInput& input) {
  if (node_name) return *node_name == input.node;
  if (all_nodes.value_or(false)) return true;
  if (selector) {
    static const api::StringMap kNoLabels;
    return api::Matches(*selector, input.node, input.node_object ? input.node_object->metadata.labels : kNoLabels);
  }
  return false;
}

Result<bool> DeviceOnNode(const api::ResourceSlice& slice, const api::Device& device, const ViewInput& input) {
  if (!slice.spec.per_device_node_selection.value_or(false)) return true;
  return Selects(device.node_name, device.all_nodes, device.node_selector, input);
}

Result<bool> SliceRelevant(const api::ResourceSlice& slice, const ViewInput& input) {
  if (slice.spec.per_device_node_selection.value_or(false)) {
    for (const auto& device : slice.spec.devices) {
      KU_TRY(const bool on_node, DeviceOnNode(slice, device, input), "device {}", device.name);
      if (on_node) return true;
    }
    return false;
  }
  return Selects(slice.spec.node_name, slice.spec.all_nodes, slice.spec.node_selector, input);
}

Status GatherSlices(const SlicesByName* slices, const ViewInput& input, std::map<PoolKey, Gathered>& pools) {
  if (!slices) return {};
  for (const auto& [name, stored] : *slices) {
    KU_TRY(const bool relevant, SliceRelevant(*stored->slice, input), "slice {}", name);
    if (!relevant) continue;
    const auto& spec = stored->slice->spec;
    auto& pool = pools[{spec.driver, spec.pool.name}];
    if (!pool.relevant.empty() && spec.pool.generation < pool.generation) continue;
    if (spec.pool.generation > pool.generation) pool.relevant.clear();
    pool.generation = spec.pool.generation;
    pool.relevant.push_back(stored);
  }
  return {};
}

// False: the pool is obsolete, a newer generation exists elsewhere.
bool Complete(const PoolKey& key, const ViewInput& input, Gathered& pool) {
  const auto wanted = pool.relevant.front()->slice->spec.pool.resource_slice_count;
  if (static_cast<std::int64_t>(pool.relevant.size()) == wanted) return true;
  const auto found = input.pools->find(key);
  std::int64_t count = 0;
  if (found != input.pools->end()) {
    for (const auto& [name, stored] : found->second) {
      const auto generation = stored->slice->spec.pool.generation;
      if (generation > pool.generation) return false;
      if (generation != pool.generation) continue;
      ++count;
      if (std::find(pool.relevant.begin(), pool.relevant.end(), stored) == pool.relevant.end()) {
        pool.others.push_back(stored);
      }
    }
  }
  pool.incomplete = count != wanted;
  return true;
}

bool RuleApplies(const api::DeviceTaintRule& rule, const std::string& driver, const std::string& pool,
                 const std::string& device) {
  const auto& selector = rule.spec.device_selector;
  if (!selector) return false;
  return (!selector->driver || *selector->driver == driver) && (!selector->pool || *selector->pool == pool) &&
         (!selector->device || *selector->device == device);
}

class PoolBuilder {
 public:
  PoolBuilder(const ViewInput& input, NodeView& view, std::vector<ViewDevice>& off_node)
      : input_(input), view_(view), off_node_(off_node) {}

  Status Add(const PoolKey& key, const Gathered& gathered) {
    PoolView pool;
    pool.driver = key.first;
    pool.name = key.second;
    pool.generation = gathered.generation;
    pool.incomplete = gathered.incomplete;
    if (!pool.incomplete) {
      AddCounters(gathered.relevant, pool);
      AddCounters(gathered.others, pool);
      std::sort(pool.counters.begin(), pool.counters.end(),
                [](const auto& a, const auto& b) { return std::tie(a.set, a.name) < std::tie(b.set, b.name); });
      KU_TRY_OK(AddDevices(gathered, pool));
    }
    view_.any_invalid = view_.any_invalid || pool.invalid;
    view_.pools.push_back(std::move(pool));
    return {};
  }

 private:
  static void Invalidate(PoolView& pool, std::string reason) {
    if (!pool.invalid) pool.invalid_reason = std::move(reason);
    pool.invalid = true;
  }

  void AddCounters(const std::vector<const StoredSlice*>& slices, PoolView& pool) {
    for (const auto* stored : slices) {
      for (const auto& set : stored->slice->spec.shared_counters) {
        for (const auto& counter : pool.counters) {
          if (counter.set == set.name) Invalidate(pool, "duplicate counter set " + set.name);
        }
        for (const auto& [name, counter] : set.counters) {
          pool.counters.push_back({.set = set.name, .name = name, .declared = counter.value.MilliValue()});
        }
      }
    }
  }

  Status AddDevices(const Gathered& gathered, PoolView& pool) {
    std::set<std::string> names;
    std::vector<ViewDevice> on_node;
    std::vector<ViewDevice> elsewhere;
    const auto add = [&](const StoredSlice& stored, bool relevant) -> Status {
      const auto& slice = *stored.slice;
      if (!slice.spec.shared_counters.empty()) return {};
      for (std::size_t i = 0; i < slice.spec.devices.size(); ++i) {
        const auto& device = slice.spec.devices[i];
        if (relevant && !names.insert(device.name).second) Invalidate(pool, "duplicate device name " + device.name);
        ViewDevice entry;
        entry.index = stored.indices[i];
        entry.pool = static_cast<std::uint32_t>(view_.pools.size());
        entry.device = &device;
        entry.slice = &slice;
        entry.content = &stored.contents[i];
        AddConsumption(device, entry, pool);
        AddTaints(device, entry, pool);
        KU_TRY(const bool here, DeviceOnNode(slice, device, input_), "device {}", device.name);
        entry.on_node = relevant && here;
        (entry.on_node ? on_node : elsewhere).push_back(std::move(entry));
      }
      return {};
    };
    for (const auto* stored : gathered.relevant)
      KU_TRY_OK(add(*stored, true), "slice {}", stored->slice->metadata.name);
    for (const auto* stored : gathered.others) KU_TRY_OK(add(*stored, false), "slice {}", stored->slice->metadata.name);
    if (pool.invalid) return {};
    std::move(on_node.begin(), on_node.end(), std::back_inserter(view_.devices));
    std::move(elsewhere.begin(), elsewhere.end(), std::back_inserter(off_node_));
    return {};
  }

  static void AddConsumption(const api::Device& device, ViewDevice& entry, PoolView& pool) {
    std::map<std::uint32_t, Amount> amounts;
    for (const auto& consumption : device.consumes_counters) {
      for (const auto& [name, counter] : consumption.counters) {
        const auto found =
            std::lower_bound(pool.counters.begin(), pool.counters.end(), std::tie(consumption.counter_set, name),
                             [](const PoolCounter& a, const auto& b) { return std::tie(a.set, a.name) < b; });
        if (found == pool.counters.end() || found->set != consumption.counter_set || found->name != name) {
          Invalidate(pool,
                     "device " + device.name + " consumes unknown counter " + consumption.counter_set + "/" + name);
          continue;
        }
        amounts[static_cast<std::uint32_t>(found - pool.counters.begin())] += counter.value.MilliValue();
      }
    }
    for (const auto& [counter, amount] : amounts) entry.consumes.push_back({.counter = counter, .amount = amount});
  }

  void AddTaints(const api::Device& device, ViewDevice& entry, const PoolView& pool) const {
    for (const auto& taint : device.taints) entry.taints.push_back(&taint);
    for (const auto& [name, rule] : *input_.taint_rules) {
      if (RuleApplies(rule, pool.driver, pool.name, device.name)) entry.taints.push_back(&rule.spec.taint);
    }
  }

  const ViewInput& input_;
  NodeView& view_;
  std::vector<ViewDevice>& off_node_;
};

// Joins the counter sets that one device consumes together; each group is a board.
void FindBoards(NodeView& view) {
  std::vector<std::size_t> offset(view.pools.size() + 1, 0);
  for (std::size_t p = 0; p < view.pools.size(); ++p) offset[p + 1] = offset[p] + view.pools[p].counters.size();
  std::vector<std::size_t> parent(offset.back());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](std::size_t x) {
    while (parent[x] != x) x = parent[x] = parent[parent[x]];
    return x;
  };
  for (std::size_t p = 0; p < view.pools.size(); ++p) {
    const auto& counters = view.pools[p].counters;
    for (std::size_t c = 1; c < counters.size(); ++c) {
      if (counters[c].set == counters[c - 1].set) parent[root(offset[p] + c)] = root(offset[p] + c - 1);
    }
  }
  for (const auto& device : view.devices) {
    for (std::size_t i = 1; i < device.consumes.size(); ++i) {
      parent[root(offset[device.pool] + device.consumes[i].counter)] =
          root(offset[device.pool] + device.consumes[0].counter);
    }
  }
  std::map<std::size_t, std::uint32_t> board_of_root;
  for (std::uint32_t d = 0; d < view.devices.size(); ++d) {
    auto& device = view.devices[d];
    if (!device.on_node) continue;
    const auto next = static_cast<std::uint32_t>(view.boards.size());
    device.board = next;
    if (!device.consumes.empty()) {
      const auto r = root(offset[device.pool] + device.consumes[0].counter);
      device.board = board_of_root.try_emplace(r, next).first->second;
    }
    if (device.board == next) view.boards.push_back({.pool = device.pool, .devices = {}, .counters = {}});
    view.boards[device.board].devices.push_back(d);
  }
  for (std::size_t p = 0; p < view.pools.size(); ++p) {
    for (std::uint32_t c = 0; c < view.pools[p].counters.size(); ++c) {
      const auto found = board_of_root.find(root(offset[p] + c));
      if (found != board_of_root.end()) view.boards[found->second].counters.push_back(c);
    }
  }
}

bool HasBindingConditions(const Gathered& pool) {
  return std::any_of(pool.relevant.begin(), pool.relevant.end(), [](const StoredSlice* stored) {
    const auto& devices = stored->slice->spec.devices;
    return std::any_of(devices.begin(), devices.end(), [](const auto& d) { return !d.binding_conditions.empty(); });
  });
}

Status Build(const ViewInput& input, NodeView& view) {
  std::map<PoolKey, Gathered> gathered;
  KU_TRY_OK(GatherSlices(input.own, input, gathered));
  KU_TRY_OK(GatherSlices(input.shared, input, gathered));
  std::vector<ViewDevice> off_node;
  PoolBuilder builder(input, view, off_node);
  for (const bool binding : {false, true}) {
    for (auto& [key, pool] : gathered) {
      if (HasBindingConditions(pool) != binding) continue;
      std::sort(pool.relevant.begin(), pool.relevant.end(),
                [](const auto* a, const auto* b) { return a->slice->metadata.name < b->slice->metadata.name; });
      if (!Complete(key, input, pool)) continue;
      KU_TRY_OK(builder.Add(key, pool));
    }
  }
  std::move(off_node.begin(), off_node.end(), std::back_inserter(view.devices));
  for (std::uint32_t d = 0; d < view.devices.size(); ++d) view.pools[view.devices[d].pool].devices.push_back(d);
  FindBoards(view);
  return {};
}

}  // namespace

std::pair<std::string, std::string> SplitName(const std::string& name, const std::string& driver) {
  const auto slash = name.find('/');
  if (slash == std::string::npos) return {driver, name};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

DeviceContent BuildContent(const std::string& driver, const api::Device& device) {
  DeviceContent content;
  content.driver = driver;
  content.allow_multiple_allocations = device.allow_multiple_allocations.value_or(false);
  for (const auto& [name, attribute] : device.attributes) {
    auto [domain, id] = SplitName(name, driver);
    cel::AttributeValue value;
    if (attribute.int_value) {
      value = *attribute.int_value;
    } else if (attribute.bool_value) {
      value = *attribute.bool_value;
    } else if (attribute.string_value) {
      value = *attribute.string_value;
    } else if (attribute.version_value) {
      value = cel::Version{*attribute.version_value};
    } else {
      continue;
    }
    content.attributes.push_back({.domain = std::move(domain), .id = std::move(id), .value = std::move(value)});
  }
  for (const auto& [name, capacity] : device.capacity) {
    auto [domain, id] = SplitName(name, driver);
    content.capacity.push_back({.domain = std::move(domain), .id = std::move(id), .value = capacity.value});
  }
  const auto before = [](const auto& a, const auto& b) { return std::tie(a.domain, a.id) < std::tie(b.domain, b.id); };
  const auto same = [](const auto& a, const auto& b) { return std::tie(a.domain, a.id) == std::tie(b.domain, b.id); };
  std::stable_sort(content.attributes.begin(), content.attributes.end(), before);
  content.attributes.erase(std::unique(content.attributes.begin(), content.attributes.end(), same),
                           content.attributes.end());
  std::stable_sort(content.capacity.begin(), content.capacity.end(), before);
  content.capacity.erase(std::unique(content.capacity.begin(), content.capacity.end(), same), content.capacity.end());
  return content;
}

NodeView BuildNodeView(const ViewInput& input) {
  NodeView view;
  view.node = input.node;
  if (const auto built = Build(input, view); !built) {
    NodeView failed;
    failed.node = input.node;
    failed.error = built.error().message;
    return failed;
  }
  return view;
}

}  // namespace kumiko::allocator
