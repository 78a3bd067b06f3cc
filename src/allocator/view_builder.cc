#include "allocator/view_builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "allocator/mutant.h"

namespace kumiko::allocator {
namespace {

constexpr std::uint64_t kPoolMark = std::uint64_t{1} << 63;
constexpr std::uint64_t kRuleMark = std::uint64_t{1} << 62;
constexpr std::uint64_t kOtherMark = std::uint64_t{1} << 61;

struct Gathered {
  PoolId pool = 0;
  NameId driver = 0;
  std::int64_t generation = 0;
  std::vector<const StoredSlice*> relevant;
  std::vector<const StoredSlice*> others;  // of the same pool and generation, not for this node
  bool incomplete = false;
  bool obsolete = false;
};

Result<bool> Selects(const std::optional<std::string>& node_name, bool all_nodes,
                     const std::optional<api::NodeSelector>& selector, const ViewInput& input) {
  if (node_name && !node_name->empty()) return *node_name == *input.node;
  if (all_nodes) return true;
  if (selector) {
    return api::Matches(*selector, *input.node, *input.labels);
  }
  return false;
}

Result<bool> DeviceOnNode(const StoredSlice& slice, const SliceShape::Device& device, const ViewInput& input) {
  if (!slice.per_device_node_selection) return true;
  const auto* extras = slice.shape->ExtrasOf(device);
  if (!extras) return false;
  return Selects(extras->node_name, extras->all_nodes.value_or(false), extras->node_selector, input);
}

Result<bool> Relevant(const StoredSlice& slice, const ViewInput& input) {
  if (slice.node_name || slice.all_nodes || slice.node_selector) {
    KU_TRY(const bool here, Selects(slice.node_name, slice.all_nodes, slice.node_selector, input),
           "failed to perform node selection for slice {}", slice.name);
    return here;
  }
  if (!slice.per_device_node_selection) return false;
  for (const auto& device : slice.shape->devices) {
    KU_TRY(const bool here, DeviceOnNode(slice, device, input),
           "failed to perform node selection for device {} in slice {}", input.names->Text(device.name), slice.name);
    if (here) return true;
  }
  return false;
}

class Gathering {
 public:
  explicit Gathering(const ViewInput& input) : input_(input) {}

  Result<std::vector<Gathered>> Run() {
    if (input_.own) KU_TRY_OK(Add(*input_.own));
    KU_TRY_OK(Add(*input_.shared));
    for (auto& pool : pools_) {
      std::sort(pool.relevant.begin(), pool.relevant.end(),
                [](const auto* a, const auto* b) { return Mutant(5) ? a->name > b->name : a->name < b->name; });
      JudgeCompleteness(pool);
    }
    std::erase_if(pools_, [](const auto& pool) { return pool.obsolete; });
    if (pools_.size() > 1) {
      std::sort(pools_.begin(), pools_.end(), [this](const auto& a, const auto& b) {
        if (Mutant(6) && PoolName(a) != PoolName(b)) return PoolName(a) < PoolName(b);
        return std::tie(Text(a.driver), PoolName(a)) < std::tie(Text(b.driver), PoolName(b));
      });
    }
    return std::move(pools_);
  }

  // Slices for this node that need a feature that is off.
  const std::vector<const StoredSlice*>& ignored() const { return ignored_; }

 private:
  const std::string& Text(NameId id) const { return input_.names->Text(id); }
  const std::string& PoolName(const Gathered& pool) const { return Text((*input_.pool_names)[pool.pool]); }

  bool Ignored(const StoredSlice& slice) const {
    const auto& features = *input_.features;
    return (!features.partitionable_devices && (slice.has_per_device_field || !slice.shape->counter_sets.empty())) ||
           (!features.compatibility_groups && slice.shape->has_compatibility_groups);
  }

  Status Add(const std::vector<const StoredSlice*>& slices) {
    for (const auto* slice : slices) {
      if (Ignored(*slice)) {
        if (Relevant(*slice, input_).value_or(false)) ignored_.push_back(slice);
        continue;
      }
      KU_TRY(const bool relevant, Relevant(*slice, input_));
      if (!relevant) continue;
      auto found = std::find_if(pools_.begin(), pools_.end(), [&](const auto& p) { return p.pool == slice->pool; });
      if (found == pools_.end()) {
        pools_.push_back({});
        found = pools_.end() - 1;
        found->pool = slice->pool;
        found->driver = slice->shape->driver;
        found->generation = slice->generation;
      }
      if (slice->generation < found->generation) continue;
      if (slice->generation > found->generation) found->relevant.clear();
      found->generation = slice->generation;
      found->relevant.push_back(slice);
    }
    return {};
  }

  void JudgeCompleteness(Gathered& pool) const {
    const auto wanted = pool.relevant.front()->slice_count;
    if (static_cast<std::int64_t>(pool.relevant.size()) == wanted) return;
    std::int64_t count = 0;
    for (const auto* slice : (*input_.pools)[pool.pool]) {
      if (slice->generation > pool.generation && !Mutant(16)) {
        pool.obsolete = true;
        return;
      }
      if (slice->generation != pool.generation) continue;
      if (!input_.features->compatibility_groups && slice->shape->has_compatibility_groups) continue;
      ++count;
      if (std::find(pool.relevant.begin(), pool.relevant.end(), slice) == pool.relevant.end()) {
        pool.others.push_back(slice);
      }
    }
    pool.incomplete = count != wanted && !Mutant(15);
    std::sort(pool.others.begin(), pool.others.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  }

  const ViewInput& input_;
  std::vector<Gathered> pools_;
  std::vector<const StoredSlice*> ignored_;
};

bool RuleConcerns(const api::DeviceTaintRule& rule, const std::string& driver, const std::string& pool) {
  const auto& selector = rule.spec.device_selector;
  return selector && (!selector->driver || *selector->driver == driver) && (!selector->pool || *selector->pool == pool);
}

// Gives the devices of gathered pools their places.
class LayoutBuilder {
 public:
  LayoutBuilder(const ViewInput& input, NodeLayout& layout) : input_(input), layout_(layout) {}

  // Slices are numbered in the order of `pools`, relevant ones of a pool first.
  Status Run(const std::vector<Gathered>& pools) {
    for (const auto& pool : pools) {
      layout_.pools.push_back({});
      auto& made = layout_.pools.back();
      made.driver = pool.driver;
      made.incomplete = pool.incomplete;
      KU_TRY_OK(AddPool(pool, made));
    }
    layout_.candidates = static_cast<std::uint32_t>(layout_.devices.size());
    for (auto& device : off_node_) layout_.devices.push_back(device);
    if (!off_node_.empty()) FindTwins();
    if (!rule_taints_.empty()) ArrangeRuleTaints();
    FindBoards();
    return {};
  }

 private:
  static void Invalidate(NodeLayout::Pool& pool, std::string reason) {
    if (!pool.invalid) pool.invalid_reason = std::move(reason);
    pool.invalid = true;
  }

  Status AddPool(const Gathered& gathered, NodeLayout::Pool& pool) {
    const auto first_slice = next_slice_;
    next_slice_ += static_cast<std::uint32_t>(gathered.relevant.size() + gathered.others.size());
    pool.counters.begin = pool.counters.end = static_cast<std::uint32_t>(layout_.counters.size());
    if (pool.incomplete) return {};
    if (gathered.relevant.size() > 1 || gathered.relevant.front()->shape->devices.size() > 1) {
      CheckNames(gathered, pool);
    }
    sets_.clear();
    if (!pool.invalid && input_.features->partitionable_devices) AddCounters(gathered, pool);
    const auto first_device = layout_.devices.size();
    const auto first_off_node = off_node_.size();
    const auto first_consumption = layout_.consumption.size();
    std::uint32_t slice = first_slice;
    for (const auto* stored : gathered.relevant) {
      if (!pool.invalid) KU_TRY_OK(AddDevices(*stored, slice, true, pool));
      ++slice;
    }
    for (const auto* stored : gathered.others) {
      if (!pool.invalid) KU_TRY_OK(AddDevices(*stored, slice, false, pool));
      ++slice;
    }
    if (pool.invalid) {
      layout_.devices.resize(first_device);
      off_node_.resize(first_off_node);
      std::erase_if(rule_taints_, [&](const auto& entry) { return entry.first >= first_device; });
      layout_.consumption.resize(first_consumption);
      layout_.counters.resize(pool.counters.begin);
      pool.counters.end = pool.counters.begin;
      layout_.any_invalid = true;
    }
    return {};
  }

  void CheckNames(const Gathered& gathered, NodeLayout::Pool& pool) {
    names_.clear();
    for (const auto* stored : gathered.relevant) {
      if (!stored->shape->counter_sets.empty()) continue;
      for (const auto& device : stored->shape->devices) names_.push_back(device.name);
    }
    std::sort(names_.begin(), names_.end());
    const auto twice = std::adjacent_find(names_.begin(), names_.end());
    if (twice != names_.end()) Invalidate(pool, "duplicate device name " + input_.names->Text(*twice));
  }

  void AddCounters(const Gathered& gathered, NodeLayout::Pool& pool) {
    const auto pool_index = static_cast<std::uint32_t>(layout_.pools.size() - 1);
    for (const auto* slices : {&gathered.relevant, &gathered.others}) {
      for (const auto* stored : *slices) {
        sets_.insert(sets_.end(), stored->shape->counter_sets.begin(), stored->shape->counter_sets.end());
        for (const auto& counter : stored->shape->counters) {
          layout_.counters.push_back(
              {.set = counter.set, .name = counter.name, .declared = counter.declared, .pool = pool_index});
        }
      }
    }
    std::sort(sets_.begin(), sets_.end());
    const auto twice = std::adjacent_find(sets_.begin(), sets_.end());
    if (twice != sets_.end()) Invalidate(pool, "duplicate counter set name " + input_.names->Text(*twice));
    std::sort(layout_.counters.begin() + pool.counters.begin, layout_.counters.end(),
              [](const auto& a, const auto& b) { return std::tie(a.set, a.name) < std::tie(b.set, b.name); });
    pool.counters.end = static_cast<std::uint32_t>(layout_.counters.size());
  }

  Status AddDevices(const StoredSlice& stored, std::uint32_t slice, bool relevant, NodeLayout::Pool& pool) {
    const auto& shape = *stored.shape;
    if (!shape.counter_sets.empty()) return {};
    if (std::find(layout_.shapes.begin(), layout_.shapes.end(), stored.shape) == layout_.shapes.end()) {
      layout_.shapes.push_back(stored.shape);
    }
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
      const auto& device = shape.devices[i];
      NodeLayout::Device entry;
      entry.slice = slice;
      entry.ordinal = i;
      entry.pool = static_cast<std::uint32_t>(layout_.pools.size() - 1);
      entry.name = device.name;
      entry.allow_multiple_allocations = device.allow_multiple_allocations;
      entry.has_capacity = device.capacities.size() > 0;
      entry.tainted = device.taints.size() > 0;
      entry.skips_node_operations = !shape.skip_node_operations.empty();
      if (input_.features->partitionable_devices) AddConsumption(shape, device, entry, pool);
      if (pool.invalid) return {};
      KU_TRY(const bool here, DeviceOnNode(stored, device, input_), "device {} in slice {}",
             input_.names->Text(device.name), stored.name);
      entry.on_node = relevant && here;
      if (entry.on_node) AddRuleTaints(stored, device, entry);
      (relevant ? layout_.devices : off_node_).push_back(entry);
    }
    return {};
  }

  void AddConsumption(const SliceShape& shape, const SliceShape::Device& device, NodeLayout::Device& entry,
                      NodeLayout::Pool& pool) {
    entry.consumption.begin = static_cast<std::uint32_t>(layout_.consumption.size());
    entry.draws = device.draws.size() > 0;
    for (auto i = device.draws.begin; i < device.draws.end; ++i) {
      const auto set = shape.draws[i].set;
      if (std::binary_search(sets_.begin(), sets_.end(), set)) continue;
      Invalidate(pool, "counter set " + input_.names->Text(set) + " not found");
      return;
    }
    const auto begin = layout_.counters.begin() + pool.counters.begin;
    const auto end = layout_.counters.begin() + pool.counters.end;
    for (auto c = device.consumption.begin; c < device.consumption.end; ++c) {
      const auto& wanted = shape.consumption[c];
      const auto found = std::lower_bound(begin, end, wanted, [](const auto& a, const auto& b) {
        return std::tie(a.set, a.name) < std::tie(b.set, b.counter);
      });
      if (found == end || found->set != wanted.set || found->name != wanted.counter) {
        Invalidate(pool, "counter " + input_.names->Text(wanted.counter) + " not found in counter set " +
                             input_.names->Text(wanted.set));
        return;
      }
      const auto counter = static_cast<std::uint32_t>(found - layout_.counters.begin());
      if (layout_.consumption.size() > entry.consumption.begin && layout_.consumption.back().counter == counter) {
        layout_.consumption.back().amount += wanted.amount;
      } else {
        layout_.consumption.push_back({counter, wanted.amount});
      }
    }
    entry.consumption.end = static_cast<std::uint32_t>(layout_.consumption.size());
  }

  void FindTwins() {
    FlatSet<std::uint64_t> seen;
    for (std::uint32_t d = 0; d < layout_.devices.size(); ++d) {
      const auto& device = layout_.devices[d];
      const bool first = seen.insert(std::uint64_t{device.pool} << 32 | device.name).second;
      if (!first && device.draws) layout_.twins.push_back(d);
    }
  }

  void AddRuleTaints(const StoredSlice& stored, const SliceShape::Device& device, NodeLayout::Device& entry) {
    for (const auto& [name, rule] : *input_.taint_rules) {
      const auto& pool = input_.names->Text((*input_.pool_names)[stored.pool]);
      if (!RuleConcerns(rule, stored.shape->driver_name, pool)) continue;
      const auto& wanted = rule.spec.device_selector->device;
      if (wanted && *wanted != input_.names->Text(device.name)) continue;
      rule_taints_.push_back({static_cast<std::uint32_t>(layout_.devices.size()), &rule.spec.taint});
      entry.tainted = true;
    }
  }

  void ArrangeRuleTaints() {
    layout_.rule_taints.resize(layout_.devices.size());
    for (const auto& [device, taint] : rule_taints_) {
      layout_.rule_taints[device].push_back(taint);
    }
  }

  // Joins the counter sets that one device consumes together; each group is a board.
  void FindBoards() {
    const auto count = layout_.counters.size();
    std::vector<std::uint32_t> parent(count);
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](std::uint32_t x) {
      while (parent[x] != x) x = parent[x] = parent[parent[x]];
      return x;
    };
    for (std::uint32_t c = 1; c < count; ++c) {
      const auto& counter = layout_.counters[c];
      const auto& before = layout_.counters[c - 1];
      if (counter.pool == before.pool && counter.set == before.set) parent[root(c)] = root(c - 1);
    }
    for (std::uint32_t d = 0; d < layout_.candidates; ++d) {
      if (!layout_.devices[d].on_node) continue;
      const auto consumption = layout_.ConsumptionOf(d);
      for (std::size_t i = 1; i < consumption.size(); ++i) {
        if (root(consumption[i].counter) != root(consumption[0].counter)) {
          parent[root(consumption[i].counter)] = root(consumption[0].counter);
        }
      }
    }
    constexpr std::uint32_t kNone = 0xffff'ffff;
    std::vector<std::uint32_t> board_of_root(count, kNone);
    for (std::uint32_t d = 0; d < layout_.candidates; ++d) {
      if (!layout_.devices[d].on_node) continue;
      auto& device = layout_.devices[d];
      device.board = static_cast<std::uint32_t>(layout_.boards.size());
      if (device.consumption.size() > 0) {
        auto& board = board_of_root[root(layout_.consumption[device.consumption.begin].counter)];
        if (board == kNone) board = device.board;
        device.board = board;
      }
      if (device.board == layout_.boards.size()) {
        layout_.boards.push_back({.pool = device.pool, .devices = {}, .counters = {}});
      }
      layout_.boards[device.board].devices.push_back(d);
    }
    for (std::uint32_t c = 0; c < count; ++c) {
      if (const auto board = board_of_root[root(c)]; board != kNone) layout_.boards[board].counters.push_back(c);
    }
  }

  const ViewInput& input_;
  NodeLayout& layout_;
  std::uint32_t next_slice_ = 0;
  std::vector<NodeLayout::Device> off_node_;
  std::vector<std::pair<std::uint32_t, const api::DeviceTaint*>> rule_taints_;
  std::vector<NameId> names_;
  std::vector<NameId> sets_;  // of the pool, sorted
};

bool HasBindingConditions(const Gathered& pool) {
  return std::any_of(pool.relevant.begin(), pool.relevant.end(),
                     [](const auto* slice) { return slice->shape->has_binding_conditions; });
}

NodeView::Unused UnusedOf(const StoredSlice& slice, bool feature_off, const ViewInput& input) {
  NodeView::Unused unused{.slice = &slice, .devices = {}, .feature_off = feature_off};
  if (!slice.shape->counter_sets.empty()) return unused;
  for (std::uint32_t d = 0; d < slice.shape->devices.size(); ++d) {
    if (DeviceOnNode(slice, slice.shape->devices[d], input).value_or(false)) unused.devices.push_back(d);
  }
  return unused;
}

}  // namespace

std::optional<std::uint32_t> NodeLayout::FindDevice(std::uint32_t pool, NameId name) const {
  if (by_name_.empty()) {
    by_name_.reserve(devices.size());
    for (std::uint32_t d = 0; d < devices.size(); ++d) {
      by_name_.try_emplace(std::uint64_t{devices[d].pool} << 32 | devices[d].name, d);
    }
  }
  const auto found = by_name_.find(std::uint64_t{pool} << 32 | name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t ViewBuilder::KeyHash::operator()(const Key& key) const {
  std::size_t hash = key.size();
  for (const auto word : key) {
    hash ^= word;
    hash *= 0xff51'afd7'ed55'8ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

NodeView ViewBuilder::Build(const ViewInput& input) {
  NodeView view;
  view.node = *input.node;
  view.serial = ++next_view_;
  view.optional_node_operations = input.optional_node_operations;
  const auto fail = [&](const Error& error) {
    view.error = "gather pool information: " + error.message;
    view.layout = std::make_shared<NodeLayout>();
    return std::move(view);
  };
  Gathering gathering(input);
  auto gathered = gathering.Run();
  if (!gathered) return fail(gathered.error());
  for (const auto* slice : gathering.ignored()) view.unused.push_back(UnusedOf(*slice, true, input));
  // Pools with binding conditions go behind all others, among them those that turn out to be invalid.
  auto& pools = *gathered;
  if (!Mutant(7) && std::any_of(pools.begin(), pools.end(), HasBindingConditions)) {
    NodeLayout trial;
    if (const auto built = LayoutBuilder(input, trial).Run(pools); !built) return fail(built.error());
    std::vector<Gathered> first;
    std::vector<Gathered> last;
    for (std::size_t p = 0; p < pools.size(); ++p) {
      const bool binding = !pools[p].incomplete && !trial.pools[p].invalid && HasBindingConditions(pools[p]);
      (binding ? last : first).push_back(std::move(pools[p]));
    }
    std::move(last.begin(), last.end(), std::back_inserter(first));
    pools = std::move(first);
  }

  Key key;
  for (const auto& pool : pools) {
    key.push_back(kPoolMark | std::uint64_t{pool.driver} << 1 | (pool.incomplete ? 1 : 0));
    view.pools.push_back(pool.pool);
    for (const auto* slice : pool.relevant) {
      view.slices.push_back(slice);
      key.push_back(slice->shape->serial);
      if (!slice->per_device_node_selection) continue;
      std::uint64_t bits = 1;
      for (const auto& device : slice->shape->devices) {
        const auto here = DeviceOnNode(*slice, device, input);
        if (!here) return fail(here.error());
        bits = bits << 1 | (*here ? 1 : 0);
        if ((bits >> 60) != 0) {
          key.push_back(bits);
          bits = 1;
        }
      }
      key.push_back(bits);
    }
    for (const auto* slice : pool.others) {
      view.slices.push_back(slice);
      key.push_back(kOtherMark | slice->shape->serial);
    }
    std::uint64_t rule_number = 0;
    for (const auto& [name, rule] : *input.taint_rules) {
      if (RuleConcerns(rule, input.names->Text(pool.driver), input.names->Text((*input.pool_names)[pool.pool]))) {
        key.push_back(kRuleMark | rule_number);
      }
      ++rule_number;
    }
  }
  if (layouts_.size() >= purge_at_) {
    boost::unordered::erase_if(layouts_, [](const auto& entry) { return entry.second.expired(); });
    purge_at_ = std::max<std::size_t>(1024, layouts_.size() * 2);
  }
  auto& known = layouts_[key];
  view.layout = known.lock();
  if (!view.layout) {
    auto layout = std::make_shared<NodeLayout>();
    layout->serial = next_serial_++;
    if (const auto built = LayoutBuilder(input, *layout).Run(pools); !built) return fail(built.error());
    known = layout;
    view.layout = std::move(layout);
  }
  for (std::size_t p = 0; p < pools.size(); ++p) {
    if (!view.layout->pools[p].incomplete && !view.layout->pools[p].invalid) continue;
    for (const auto* slice : pools[p].relevant) view.unused.push_back(UnusedOf(*slice, false, input));
  }
  return view;
}

}  // namespace kumiko::allocator
