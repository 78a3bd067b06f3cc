#include "allocator/smallest_change.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "allocator/device_match.h"
#include "allocator/node_world.h"
#include "allocator/request_plan.h"

namespace kumiko::allocator {
namespace {

constexpr std::size_t kPatterns = 4;
constexpr std::size_t kAmounts = 4;
// Devices of other nodes that are looked at.
constexpr std::size_t kElsewhere = 1'000;

bool ChangesWhatIsPublished(const Change& change) {
  return std::holds_alternative<RelaxClass>(change) || std::holds_alternative<EnableFeature>(change) ||
         std::holds_alternative<DeclareNodeOperations>(change) || std::holds_alternative<CompletePool>(change) ||
         std::holds_alternative<AddDevices>(change);
}

// What may help on one node, each change by itself.
class Candidates {
 public:
  Candidates(const NodeWorld& world, const Inventory& inventory) : world_(world), inventory_(inventory) {}

  std::vector<Change> All() {
    std::vector<const api::ResourceClaim*> claims;
    for (const auto& claim : world_.claims) claims.push_back(&claim);
    const auto plan = MakePlan(inventory_, claims);
    std::size_t requests = 0;
    for (const auto& claim : plan.claims) requests += claim.requests.size();
    for (const auto& claim : plan.claims) {
      for (const auto& request : claim.requests) {
        for (const auto& alternative : request.alternatives) OfRequest({claim.name, alternative.name}, alternative);
      }
      // The last first: people name first what they need most.
      for (auto request = claim.requests.rbegin(); requests > 1 && request != claim.requests.rend(); ++request) {
        Add(DropRequest{{claim.name, request->name}});
      }
      const auto& constraints = claim.claim->spec.devices.constraints;
      // From the last, so that those before keep their places when two are dropped.
      for (std::size_t c = constraints.size(); c-- > 0;) {
        Add(DropConstraint{claim.name, c, claim.constraints[c].attribute});
      }
    }
    Release();
    Features();
    Pools();
    Devices(plan);
    return std::move(found_);
  }

 private:
  // In the order of their effort; equals as they come.
  void Add(Change change) {
    const auto place = std::upper_bound(found_.begin(), found_.end(), Effort(change),
                                        [](int effort, const Change& other) { return effort < Effort(other); });
    found_.insert(place, std::move(change));
  }

  template <class F>
  void ForEachDevice(F f) const {
    for (const auto& slice : world_.slices) {
      for (const auto& device : slice.spec.devices) f(slice, device);
    }
  }

  void OfRequest(const RequestName& name, const AlternativePlan& alternative) {
    const auto& request = *alternative.request;
    Counts(name, alternative);
    if (request.capacity) {
      for (const auto& [capacity, amount] : request.capacity->requests) Amounts(name, capacity, amount);
    }
    Taints(name, request);
    for (std::size_t s = 0; s < alternative.selectors.size(); ++s) {
      const bool of_class = s < alternative.class_selectors;
      const auto index = of_class ? s : s - alternative.class_selectors;
      const auto& plan = alternative.selectors[s];
      const auto add = [&](std::string expression, std::string condition) {
        if (!of_class) {
          Add(RelaxSelector{name, index, std::move(expression), std::move(condition)});
        } else if (relaxed_.insert({request.device_class_name, index, expression}).second) {
          Add(RelaxClass{request.device_class_name, index, std::move(expression), std::move(condition)});
        }
      };
      const auto& selector = (of_class ? alternative.device_class->spec.selectors : request.selectors)[index];
      if (!selector.cel || selector.cel->expression == "true") continue;
      if (plan.expression) {
        const auto& conjuncts = plan.expression->Conjuncts();
        for (std::size_t left_out = 0; conjuncts.size() > 1 && left_out < conjuncts.size(); ++left_out) {
          std::string rest;
          for (std::size_t i = 0; i < conjuncts.size(); ++i) {
            if (i != left_out) rest += (rest.empty() ? "" : " && ") + conjuncts[i].text;
          }
          add(std::move(rest), conjuncts[left_out].text);
        }
      }
      add("true", selector.cel->expression);
    }
  }

  void Counts(const RequestName& name, const AlternativePlan& alternative) {
    const auto devices = static_cast<std::int64_t>(DeviceCount());
    const auto count = alternative.all ? devices + 1 : static_cast<std::int64_t>(alternative.count);
    const auto instead_of = alternative.all ? std::nullopt : std::optional(count);
    const auto most = std::min<std::int64_t>({count - 1, devices, api::kMaxAllocationResults});
    // Not all of many: what helps is raised again as far as it fits.
    for (auto lower = most; lower >= 1; lower = lower > 8 ? std::max<std::int64_t>(8, lower / 2) : lower - 1) {
      Add(LowerCount{name, lower, instead_of});
    }
  }

  std::size_t DeviceCount() const {
    std::size_t count = 0;
    ForEachDevice([&](const auto&, const auto&) { ++count; });
    return count;
  }

  // What is left of the capacity, or what its policy offers, below what is asked for.
  void Amounts(const RequestName& name, const std::string& capacity, const Quantity& asked) {
    std::set<Quantity> amounts;
    const auto offer = [&](const Quantity& amount) {
      if (amount.Sign() > 0 && amount < asked) amounts.insert(amount);
    };
    ForEachDevice([&](const auto& slice, const auto& device) {
      const auto found = device.capacity.find(capacity);
      if (found == device.capacity.end()) return;
      Quantity left = found->second.value;
      for (const auto& held : world_.held) {
        if (held.device.device != device.name || held.device.pool != slice.spec.pool.name) continue;
        const auto consumed = held.consumed.find(capacity);
        if (consumed != held.consumed.end()) left -= consumed->second;
      }
      offer(left);
      const auto& policy = found->second.request_policy;
      if (!policy) return;
      if (policy->default_value) offer(*policy->default_value);
      for (const auto& valid : policy->valid_values) offer(valid);
      if (policy->valid_range && policy->valid_range->max) offer(*policy->valid_range->max);
      if (policy->valid_range && policy->valid_range->min) offer(*policy->valid_range->min);
    });
    std::size_t taken = 0;
    for (auto amount = amounts.rbegin(); amount != amounts.rend() && taken < kAmounts; ++amount, ++taken) {
      Add(LowerCapacity{name, capacity, *amount, asked});
    }
    Add(LowerCapacity{name, capacity, std::nullopt, asked});
  }

  void Taints(const RequestName& name, const api::DeviceSubRequest& request) {
    if (!world_.features.device_taints) return;
    std::set<std::string> keys;
    const auto look_at = [&](const api::DeviceTaint& taint) {
      const bool prevents = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
      const bool tolerated = std::any_of(request.tolerations.begin(), request.tolerations.end(),
                                         [&](const auto& t) { return api::Tolerates(t, taint); });
      if (prevents && !tolerated) keys.insert(taint.key);
    };
    ForEachDevice([&](const auto&, const auto& device) {
      for (const auto& taint : device.taints) look_at(taint);
    });
    for (const auto& rule : world_.taint_rules) look_at(rule.spec.taint);
    for (const auto& key : keys) Add(Tolerate{name, key});
    if (keys.size() > 1) Add(Tolerate{name, ""});
  }

  void Release() {
    ReleaseDevices all;
    for (const auto& held : world_.held) {
      all.devices.push_back(held.device);
      Add(ReleaseDevices{{held.device}});
    }
    if (all.devices.size() > 1) Add(std::move(all));
  }

  void Features() {
    bool counters = false;
    bool groups = false;
    bool binding = false;
    bool skips = false;
    bool lists = false;
    bool multiple = false;
    for (const auto& slice : world_.slices) {
      counters = counters || !slice.spec.shared_counters.empty() || slice.spec.per_device_node_selection;
      skips = skips || !slice.spec.skip_node_operations.empty();
    }
    ForEachDevice([&](const auto&, const auto& device) {
      for (const auto& draw : device.consumes_counters) {
        counters = true;
        groups = groups || !draw.compatibility_groups.empty();
      }
      binding = binding || !device.binding_conditions.empty();
      multiple = multiple || device.allow_multiple_allocations.value_or(false);
      for (const auto& [name, value] : device.attributes) {
        lists = lists || value.int_values || value.bool_values || value.string_values || value.version_values;
      }
    });
    const auto& on = world_.features;
    const std::pair<bool, const char*> rows[] = {
        {counters && !on.partitionable_devices, "PartitionableDevices"},
        {groups && !on.compatibility_groups, "CompatibilityGroups"},
        {binding && !on.device_binding_and_status, "DeviceBindingAndStatus"},
        {multiple && !on.consumable_capacity, "ConsumableCapacity"},
        {multiple && on.consumable_capacity && !on.fractional_capacity_range, "FractionalCapacityRange"},
        {lists && !on.list_type_attributes, "ListTypeAttributes"},
        {skips && !on.optional_node_operations, "OptionalNodeOperations"}};
    for (const auto& [helps, feature] : rows) {
      if (helps) Add(EnableFeature{feature});
    }
    if (skips && world_.node.status.declared_features.empty()) Add(DeclareNodeOperations{world_.node.metadata.name});
  }

  void Pools() {
    std::map<std::tuple<std::string, std::string, std::int64_t>, std::pair<std::int64_t, std::int64_t>> pools;
    for (const auto& slice : world_.slices) {
      const auto& pool = slice.spec.pool;
      auto& entry = pools[{slice.spec.driver, pool.name, pool.generation}];
      ++entry.first;
      entry.second = pool.resource_slice_count;
    }
    for (const auto& [name, counts] : pools) {
      const auto& [driver, pool, generation] = name;
      if (counts.first < counts.second) Add(CompletePool{driver, pool, generation, counts.first, counts.second});
    }
  }

  // More devices like those that some request accepts.
  void Devices(const Plan& plan) {
    std::vector<DeviceId> patterns;
    std::size_t wanted = 0;
    for (const auto& claim : plan.claims) {
      for (const auto& request : claim.requests) {
        std::size_t most = 1;
        for (const auto& alternative : request.alternatives) {
          most = std::max(most, alternative.all ? std::size_t{1} : alternative.count);
          AddPatterns(&alternative, patterns);
        }
        wanted += most;
      }
    }
    wanted = std::min(wanted, api::kMaxAllocationResults);
    // With a selector relaxed, any device may do.
    if (patterns.empty()) AddPatterns(nullptr, patterns);
    for (const auto& pattern : patterns) {
      const auto add = [&](std::size_t n) {
        Add(AddDevices{world_.node.metadata.name, pattern, static_cast<std::int64_t>(n)});
      };
      for (std::size_t n = 1; n < wanted; n += n < 8 ? 1 : n / 2) add(n);
      add(wanted);
    }
  }

  // A few devices that the request accepts, whatever is taken; without a request, of all.
  void AddPatterns(const AlternativePlan* alternative, std::vector<DeviceId>& patterns) const {
    std::size_t taken = 0;
    ForEachDevice([&](const auto& slice, const auto& device) {
      if (taken == kPatterns) return;
      DeviceId id{slice.spec.driver, slice.spec.pool.name, device.name};
      const auto ref = inventory_.FindDevice(id);
      if (!ref.slice) return;
      if (alternative && MatchSelectors(inventory_, *alternative, ref).kind != Verdict::Kind::kTrue) return;
      ++taken;
      if (std::find(patterns.begin(), patterns.end(), id) == patterns.end()) patterns.push_back(std::move(id));
    });
  }

  const NodeWorld& world_;
  const Inventory& inventory_;
  std::set<std::tuple<std::string, std::size_t, std::string>> relaxed_;
  std::vector<Change> found_;
};

// To do without every request is no help.
bool AsksForAnything(const NodeWorld& world) {
  return std::any_of(world.claims.begin(), world.claims.end(),
                     [](const auto& claim) { return !claim.spec.devices.requests.empty(); });
}

// One node with what may help on it.
class Node {
 public:
  Node(const Inventory& inventory, const State& state, const std::string& name,
       std::span<const api::ResourceClaim* const> claims, std::span<const DeviceRef> patterns,
       std::shared_ptr<cel::ExpressionCache> expressions)
      : world_(CopyNode(inventory, state, name, claims)), expressions_(std::move(expressions)) {
    AddPatterns(inventory, patterns, world_);
    inventory_ = MakeInventory(world_, expressions_);
    asked_.features = world_.features;
    asked_.node = world_.node;
    asked_.claims = world_.claims;
    asked_.held = world_.held;
    candidates_ = Candidates(world_, *inventory_).All();
  }

  const std::vector<Change>& candidates() const { return candidates_; }
  const std::string& name() const { return world_.node.metadata.name; }

  bool Fits(std::span<const Change* const> changes, std::int64_t max_steps) const {
    const bool published = std::any_of(changes.begin(), changes.end(),
                                       [](const Change* change) { return ChangesWhatIsPublished(*change); });
    // Copying slices is what takes time.
    NodeWorld tried = published ? world_ : asked_;
    for (const auto* change : changes) Apply(*change, tried);
    if (!AsksForAnything(tried)) return false;
    const auto own = published ? MakeInventory(tried, expressions_) : nullptr;
    return Decide(own ? *own : *inventory_, tried, max_steps).kind == Outcome::Kind::kFits;
  }

  // How many requests are left when those from the first on are served as long as they fit together.
  std::size_t Missing(std::span<const Change* const> changes, std::int64_t max_steps) const {
    NodeWorld tried = world_;
    for (const auto* change : changes) Apply(*change, tried);
    if (!AsksForAnything(tried)) return std::numeric_limits<std::size_t>::max();
    const auto inventory = MakeInventory(tried, expressions_);
    std::vector<api::ResourceClaim> claims;
    claims.swap(tried.claims);
    std::size_t missing = 0;
    bool all = true;
    for (const auto& claim : claims) {
      tried.claims.push_back(claim);
      auto& requests = tried.claims.back().spec.devices.requests;
      requests.clear();
      for (const auto& request : claim.spec.devices.requests) {
        requests.push_back(request);
        all = all && Decide(*inventory, tried, max_steps).kind == Outcome::Kind::kFits;
        missing += all ? 0 : 1;
      }
    }
    return missing;
  }

 private:
  NodeWorld world_;
  NodeWorld asked_;  // without what is published
  std::shared_ptr<cel::ExpressionCache> expressions_;
  std::unique_ptr<Inventory> inventory_;
  std::vector<Change> candidates_;
};

// A single change or a pair, on one node.
struct Trial {
  int effort = 0;
  std::size_t node = 0;
  std::size_t first = 0;
  std::optional<std::size_t> second;
};

// Both change the same thing, so that the second would undo the first or find nothing.
bool Exclusive(const Change& a, const Change& b) {
  const auto request = [](const Change& change) -> const RequestName* {
    if (const auto* c = std::get_if<LowerCount>(&change)) return &c->of;
    if (const auto* c = std::get_if<LowerCapacity>(&change)) return &c->of;
    if (const auto* c = std::get_if<Tolerate>(&change)) return &c->of;
    if (const auto* c = std::get_if<RelaxSelector>(&change)) return &c->of;
    return nullptr;
  };
  const auto dropped = [&](const Change& drop, const Change& other) {
    const auto* gone = std::get_if<DropRequest>(&drop);
    const auto* of = request(other);
    return gone && of && gone->of.claim == of->claim &&
           (gone->of.request == of->request || of->request.starts_with(gone->of.request + "/"));
  };
  if (dropped(a, b) || dropped(b, a)) return true;
  if (a.index() != b.index()) return false;
  if (const auto* c = std::get_if<LowerCount>(&a)) return c->of == std::get<LowerCount>(b).of;
  if (const auto* c = std::get_if<LowerCapacity>(&a)) {
    const auto& other = std::get<LowerCapacity>(b);
    return c->of == other.of && c->capacity == other.capacity;
  }
  if (const auto* c = std::get_if<RelaxSelector>(&a)) {
    const auto& other = std::get<RelaxSelector>(b);
    return c->of == other.of && c->selector == other.selector;
  }
  if (const auto* c = std::get_if<RelaxClass>(&a)) {
    const auto& other = std::get<RelaxClass>(b);
    return c->device_class == other.device_class && c->selector == other.selector;
  }
  if (const auto* c = std::get_if<AddDevices>(&a)) return c->like == std::get<AddDevices>(b).like;
  return false;
}

class Trying {
 public:
  Trying(std::vector<std::unique_ptr<Node>> nodes, const ChangeLimits& limits)
      : nodes_(std::move(nodes)), limits_(limits) {}

  Proposal Run() {
    if (OneOrTwo() || limits_.most_changes < 3) return std::move(proposal_);
    for (const auto& node : nodes_) {
      if (StepByStep(*node)) break;
    }
    return std::move(proposal_);
  }

 private:
  bool Fits(const Node& node, std::span<const Change* const> changes) {
    ++proposal_.trials;
    return node.Fits(changes, limits_.max_steps);
  }

  std::size_t Missing(const Node& node, std::span<const Change* const> changes) {
    ++proposal_.trials;
    return node.Missing(changes, limits_.max_steps);
  }

  // Singles and pairs, the smallest first.
  bool OneOrTwo() {
    int trials = limits_.max_trials;
    for (const auto& trial : Trials()) {
      const auto& node = *nodes_[trial.node];
      std::vector<const Change*> changes{&node.candidates()[trial.first]};
      if (trial.second) changes.push_back(&node.candidates()[*trial.second]);
      if (--trials < 0) return false;
      if (!Fits(node, changes)) continue;
      Propose(node, changes);
      return true;
    }
    return false;
  }

  // One change after the other, or two at once, that lets more requests fit; then those that are not needed go again.
  bool StepByStep(const Node& node) {
    std::vector<const Change*> changes;
    auto missing = Missing(node, changes);
    while (missing > 0) {
      if (changes.size() >= limits_.most_changes) return false;
      const auto step = Step(node, changes, missing);
      if (step.empty()) return false;
      changes.insert(changes.end(), step.begin(), step.end());
    }
    for (std::size_t i = 0; i < changes.size();) {
      auto fewer = changes;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (Fits(node, fewer)) {
        changes = std::move(fewer);
      } else {
        ++i;
      }
    }
    Propose(node, changes);
    return true;
  }

  // The single change after which fewest requests are missing, or the first pair after which fewer are than now; lowers
  // `missing`. Empty: none.
  std::vector<const Change*> Step(const Node& node, const std::vector<const Change*>& before, std::size_t& missing) {
    std::vector<const Change*> step;
    auto changes = before;
    changes.push_back(nullptr);
    for (const auto& candidate : node.candidates()) {
      changes.back() = &candidate;
      if (!Compatible(changes)) continue;
      const auto left = Missing(node, changes);
      if (left >= missing) continue;
      missing = left;
      step = {&candidate};
    }
    if (!step.empty()) return step;
    int trials = limits_.max_trials;
    changes.push_back(nullptr);
    for (const auto& trial : PairsOf(node)) {
      changes[before.size()] = &node.candidates()[trial.first];
      changes.back() = &node.candidates()[*trial.second];
      if (!Compatible(changes)) continue;
      if (--trials < 0) break;
      const auto left = Missing(node, changes);
      if (left >= missing) continue;
      missing = left;
      return {changes[before.size()], changes.back()};
    }
    return {};
  }

  void Propose(const Node& node, std::vector<const Change*> changes) {
    proposal_.node = node.name();
    std::sort(changes.begin(), changes.end(), [&](const Change* a, const Change* b) {
      return std::pair(PlaceFromEnd(*a), a) < std::pair(PlaceFromEnd(*b), b);
    });
    for (const auto* change : changes) proposal_.changes.push_back(*change);
    for (std::size_t i = 0; i < proposal_.changes.size(); ++i) {
      ReleaseFewer(node, i);
      AskForMore(node, i);
    }
  }

  // Constraints that are dropped are named by their places: the last goes first.
  static std::ptrdiff_t PlaceFromEnd(const Change& change) {
    const auto* drop = std::get_if<DropConstraint>(&change);
    return drop ? -static_cast<std::ptrdiff_t>(drop->constraint) - 1 : 0;
  }

  static bool Compatible(const std::vector<const Change*>& changes) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
      for (std::size_t j = i + 1; j < changes.size(); ++j) {
        if (changes[i] == changes[j] || Exclusive(*changes[i], *changes[j])) return false;
      }
    }
    return true;
  }

  static void AddPairs(const Node& node, std::size_t number, std::vector<Trial>& trials) {
    const auto& candidates = node.candidates();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      for (std::size_t j = i + 1; j < candidates.size(); ++j) {
        if (Exclusive(candidates[i], candidates[j])) continue;
        trials.push_back({Effort(candidates[i]) + Effort(candidates[j]), number, i, j});
      }
    }
  }

  static void Sort(std::vector<Trial>& trials) {
    std::sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) {
      return std::tuple(a.effort, a.second.has_value(), a.node, a.first, a.second) <
             std::tuple(b.effort, b.second.has_value(), b.node, b.first, b.second);
    });
  }

  static std::vector<Trial> PairsOf(const Node& node) {
    std::vector<Trial> pairs;
    AddPairs(node, 0, pairs);
    Sort(pairs);
    return pairs;
  }

  std::vector<Trial> Trials() const {
    std::vector<Trial> trials;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const auto& candidates = nodes_[n]->candidates();
      for (std::size_t i = 0; i < candidates.size(); ++i) trials.push_back({Effort(candidates[i]), n, i, std::nullopt});
      if (limits_.most_changes > 1) AddPairs(*nodes_[n], n, trials);
    }
    Sort(trials);
    return trials;
  }

  bool ProposalFits(const Node& node) {
    std::vector<const Change*> changes;
    for (const auto& change : proposal_.changes) changes.push_back(&change);
    return Fits(node, changes);
  }

  // That everything is released helps; maybe less does.
  void ReleaseFewer(const Node& node, std::size_t index) {
    auto* release = std::get_if<ReleaseDevices>(&proposal_.changes[index]);
    if (!release) return;
    for (std::size_t d = 0; d < release->devices.size() && release->devices.size() > 1;) {
      const auto kept = release->devices;
      release->devices.erase(release->devices.begin() + static_cast<std::ptrdiff_t>(d));
      if (ProposalFits(node)) continue;
      release->devices = kept;
      ++d;
    }
  }

  // That few are asked for helps; maybe more fit.
  void AskForMore(const Node& node, std::size_t index) {
    auto* lower = std::get_if<LowerCount>(&proposal_.changes[index]);
    if (!lower) return;
    const auto most =
        lower->instead_of ? *lower->instead_of - 1 : static_cast<std::int64_t>(api::kMaxAllocationResults);
    while (lower->count < most) {
      ++lower->count;
      if (ProposalFits(node)) continue;
      --lower->count;
      return;
    }
  }

  std::vector<std::unique_ptr<Node>> nodes_;
  ChangeLimits limits_;
  Proposal proposal_;
};

// For alternatives that accept no device of the nodes, a device elsewhere that they accept; any, where there is none.
std::vector<DeviceRef> PatternsElsewhere(const Inventory& inventory, const Plan& plan,
                                         std::span<const std::string> nodes) {
  std::vector<DeviceRef> here;
  for (const auto& node : nodes) {
    const auto& view = inventory.ViewOf(node);
    for (std::uint32_t d = 0; d < view.layout->candidates; ++d) here.push_back(view.Device(d));
  }
  std::vector<DeviceRef> elsewhere;
  std::vector<DeviceRef> patterns;
  for (const auto& claim : plan.claims) {
    for (const auto& request : claim.requests) {
      for (const auto& alternative : request.alternatives) {
        const auto accepts = [&](const DeviceRef& device) {
          return MatchSelectors(inventory, alternative, device).kind == Verdict::Kind::kTrue;
        };
        if (std::any_of(here.begin(), here.end(), accepts)) continue;
        if (elsewhere.empty()) elsewhere = inventory.SomeDevices(kElsewhere);
        const auto found = std::find_if(elsewhere.begin(), elsewhere.end(), accepts);
        if (found != elsewhere.end()) patterns.push_back(*found);
      }
    }
  }
  if (here.empty() && patterns.empty() && !elsewhere.empty()) patterns.push_back(elsewhere.front());
  return patterns;
}

}  // namespace

Proposal SmallestChange(const Inventory& inventory, const State& state,
                        std::span<const api::ResourceClaim* const> claims, std::span<const std::string> nodes,
                        const ChangeLimits& limits) {
  const auto expressions = std::make_shared<cel::ExpressionCache>();
  const auto plan = MakePlan(inventory, claims);
  if (!FirstError(plan).empty()) return {};
  const auto patterns = PatternsElsewhere(inventory, plan, nodes);
  std::vector<std::unique_ptr<Node>> copies;
  for (const auto& node : nodes) {
    if (!inventory.ViewOf(node).error.empty()) continue;
    copies.push_back(std::make_unique<Node>(inventory, state, node, claims, patterns, expressions));
  }
  return Trying(std::move(copies), limits).Run();
}

}  // namespace kumiko::allocator
