#include "allocator/explain.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "allocator/device_reason.h"
#include "allocator/request_plan.h"
#include "allocator/search.h"

namespace kumiko::allocator {
namespace {

using Reason = Rejection::Reason;

constexpr std::size_t kNearestNodes = 4;
// Nodes on which requests are tried beside each other.
constexpr std::size_t kTriedNodes = 16;
constexpr std::int64_t kStepsOfAll = 200'000;
constexpr std::int64_t kStepsOfOne = 10'000;

std::string_view NumberWord(int number) {
  static constexpr std::array<std::string_view, 9> kWords = {"none", "one", "two",   "three", "four",
                                                             "five", "six", "seven", "eight"};
  return number >= 0 && number < static_cast<int>(kWords.size()) ? kWords[static_cast<std::size_t>(number)] : "so many";
}

// A request of the plan.
struct Asked {
  std::uint32_t claim = 0;
  std::uint32_t request = 0;
  auto operator<=>(const Asked&) const = default;
};

// One candidate node. A device that several nodes reach counts for the first of them.
struct NodeScene {
  NodeReasons reasons;
  std::vector<std::uint32_t> devices;
  std::vector<std::pair<DeviceId, DeviceReason>> unused;  // published for the node and not used
  std::size_t usable = 0;                                 // by the request that is explained, if it were alone
  std::optional<Asked> first_misfit;                      // beside the requests before it; unknown: too many steps
};

struct Scene {
  const Inventory* inventory = nullptr;
  const Plan* plan = nullptr;
  std::vector<std::unique_ptr<NodeScene>> nodes;
  std::size_t devices = 0;
};

DeviceReason WhyUnused(const Inventory& inventory, const NodeView& view, const NodeView::Unused& unused) {
  DeviceReason reason;
  const auto& slice = *unused.slice;
  if (unused.feature_off) {
    const bool partitions = !inventory.features().partitionable_devices &&
                            (slice.has_per_device_field || !slice.shape->counter_sets.empty());
    reason.reason = Reason::kFeatureOff;
    reason.detail = fmt::format("its slice needs the feature {}, which is off",
                                partitions ? "PartitionableDevices" : "CompatibilityGroups");
    return reason;
  }
  const auto& pool = inventory.names().Text(inventory.PoolName(slice.pool));
  for (std::size_t p = 0; p < view.pools.size(); ++p) {
    if (view.pools[p] != slice.pool) continue;
    const auto& entry = view.layout->pools[p];
    reason.reason = entry.incomplete ? Reason::kPoolUpdating : Reason::kPoolInvalid;
    reason.detail = entry.incomplete
                        ? fmt::format("pool {} is incomplete: {} slices are announced", pool, slice.slice_count)
                        : fmt::format("pool {} is invalid: {}", pool, entry.invalid_reason);
  }
  return reason;
}

Scene MakeScene(const Inventory& inventory, const State& state, std::span<const std::string> names, const Plan& plan) {
  Scene scene{.inventory = &inventory, .plan = &plan, .nodes = {}};
  // By identity: one node may refuse the pool of a device that another uses.
  std::set<std::pair<PoolId, NameId>> seen;
  const auto first_seen = [&](const StoredSlice& slice, std::uint32_t ordinal) {
    return seen.insert({slice.pool, slice.shape->devices[ordinal].name}).second;
  };
  for (const auto& name : names) {
    const auto& view = inventory.ViewOf(name);
    auto node = std::make_unique<NodeScene>(NodeScene{
        .reasons = NodeReasons(inventory, state, view, plan), .devices = {}, .unused = {}, .first_misfit = {}});
    for (std::uint32_t d = 0; d < view.layout->candidates; ++d) {
      const auto device = view.Device(d);
      if (view.layout->devices[d].on_node && first_seen(*device.slice, device.ordinal)) node->devices.push_back(d);
    }
    for (const auto& unused : view.unused) {
      for (const auto d : unused.devices) {
        const auto& shape = *unused.slice->shape;
        const auto pool = std::find(view.pools.begin(), view.pools.end(), unused.slice->pool);
        const bool published =
            pool != view.pools.end() &&
            view.layout->FindDevice(static_cast<std::uint32_t>(pool - view.pools.begin()), shape.devices[d].name);
        if (published || !first_seen(*unused.slice, d)) continue;
        const auto& texts = inventory.names();
        DeviceId id{shape.driver_name, texts.Text(inventory.PoolName(unused.slice->pool)),
                    texts.Text(shape.devices[d].name)};
        node->unused.emplace_back(std::move(id), WhyUnused(inventory, view, unused));
      }
    }
    scene.devices += node->devices.size() + node->unused.size();
    scene.nodes.push_back(std::move(node));
  }
  return scene;
}

const ClaimPlan& ClaimOf(const Plan& plan, const Asked& asked) {
  return plan.claims[asked.claim];
}
const RequestPlan& RequestOf(const Plan& plan, const Asked& asked) {
  return plan.claims[asked.claim].requests[asked.request];
}

// How many devices of the node the request could have if it were alone.
std::size_t Usable(NodeScene& node, const ClaimPlan& claim, const AlternativePlan& alternative) {
  std::size_t usable = 0;
  const auto& layout = *node.reasons.view().layout;
  for (std::uint32_t d = 0; d < layout.candidates; ++d) {
    if (layout.devices[d].on_node && node.reasons.Serves(claim, alternative, d)) ++usable;
  }
  return usable;
}

// Of the node's devices, how many the alternative lacks if it were alone.
std::size_t Lacking(const AlternativePlan& alternative, std::size_t usable) {
  const auto wanted = alternative.all ? 1 : alternative.count;
  return wanted > usable ? wanted - usable : 0;
}

struct Explained {
  Asked asked;
  const AlternativePlan* alternative = nullptr;
  bool alone = false;  // does not even fit alone
};

// The alternative that lacks fewest devices on some node; the first of equals. Leaves each node's usable devices.
Explained Nearest(const Scene& scene, const Asked& asked) {
  Explained nearest{.asked = asked};
  std::size_t least = 0;
  const auto& claim = ClaimOf(*scene.plan, asked);
  std::vector<std::size_t> best;
  for (const auto& alternative : RequestOf(*scene.plan, asked).alternatives) {
    std::size_t most = 0;
    std::vector<std::size_t> usable;
    for (const auto& node : scene.nodes) usable.push_back(Usable(*node, claim, alternative));
    for (const auto count : usable) most = std::max(most, count);
    const auto lacking = Lacking(alternative, most);
    if (nearest.alternative && lacking >= least) continue;
    least = lacking;
    nearest.alternative = &alternative;
    nearest.alone = lacking > 0;
    best = std::move(usable);
  }
  for (std::size_t n = 0; n < best.size(); ++n) scene.nodes[n]->usable = best[n];
  return nearest;
}

// The plan with its requests up to and with one.
Plan UpTo(const Plan& plan, const Asked& last) {
  Plan prefix;
  prefix.alternative_count = plan.alternative_count;
  prefix.constraint_count = plan.constraint_count;
  for (std::uint32_t c = 0; c <= last.claim; ++c) {
    prefix.claims.push_back(plan.claims[c]);
    if (c == last.claim) prefix.claims[c].requests.resize(last.request + std::size_t{1});
  }
  return prefix;
}

// The alternative of a pick that was made for a copy of the plan.
const AlternativePlan* SameAlternative(const Plan& plan, const Pick& pick) {
  const auto& alternatives = RequestOf(plan, {pick.claim, pick.request}).alternatives;
  const auto found = std::find_if(alternatives.begin(), alternatives.end(),
                                  [&](const auto& one) { return one.serial == pick.alternative->serial; });
  return &*found;
}

// Finds out, node by node, which request is the first that does not fit beside those before it, and gives the node the
// devices that first-fit gives to those.
void TryTogether(const Scene& scene, const State& state) {
  std::vector<Asked> all;
  for (std::uint32_t c = 0; c < scene.plan->claims.size(); ++c) {
    for (std::uint32_t r = 0; r < scene.plan->claims[c].requests.size(); ++r) all.push_back({c, r});
  }
  std::int64_t steps = 0;
  for (std::size_t n = 0; n < scene.nodes.size() && n < kTriedNodes && steps < kStepsOfAll; ++n) {
    auto& node = *scene.nodes[n];
    std::vector<Pick> picks;
    for (const auto& asked : all) {
      Options options;
      options.max_steps = kStepsOfOne;
      const auto prefix = UpTo(*scene.plan, asked);
      auto found = SearchNode(*scene.inventory, state, node.reasons.view(), prefix, options, nullptr);
      steps += found.steps;
      if (found.kind != Outcome::Kind::kFits) {
        node.first_misfit = asked;
        break;
      }
      picks = std::move(found.picks);
      for (auto& pick : picks) pick.alternative = SameAlternative(*scene.plan, pick);
    }
    node.reasons.SetPicks(std::move(picks));
  }
}

Explained ChooseRequest(const Scene& scene, const State& state) {
  Explained last;
  for (std::uint32_t c = 0; c < scene.plan->claims.size(); ++c) {
    for (std::uint32_t r = 0; r < scene.plan->claims[c].requests.size(); ++r) {
      last = Nearest(scene, {c, r});
      if (last.alone) return last;
    }
  }
  if (!last.alternative) return last;
  TryTogether(scene, state);
  std::optional<Asked> farthest;
  for (const auto& node : scene.nodes) {
    if (node->first_misfit) farthest = farthest ? std::max(*farthest, *node->first_misfit) : *node->first_misfit;
  }
  return farthest ? Nearest(scene, *farthest) : last;
}

// Of a device against which nothing speaks by itself.
DeviceReason Remainder(const Scene& scene, const NodeScene& node, const Explained& explained) {
  const auto& alternative = *explained.alternative;
  const auto& claim = ClaimOf(*scene.plan, explained.asked);
  const auto because = [](Reason reason, std::string detail) {
    DeviceReason made;
    made.reason = reason;
    made.detail = std::move(detail);
    return made;
  };
  const auto wanted = alternative.all ? std::string("all") : fmt::format("{}", alternative.count);
  if (explained.alone) {
    return because(Reason::kTooFew, fmt::format("free, but fewer than {} on one node", wanted));
  }
  if (node.first_misfit && *node.first_misfit < explained.asked) {
    return because(Reason::kOtherRequest, fmt::format("free, but request {} does not fit on this node",
                                                      RequestOf(*scene.plan, *node.first_misfit).name));
  }
  std::size_t chosen = 0;
  for (const auto& pick : node.reasons.picks()) chosen += pick.claim == explained.asked.claim ? 1 : 0;
  if (!alternative.all && chosen + alternative.count > api::kMaxAllocationResults) {
    return because(Reason::kClaimLimit,
                   fmt::format("free, but claim {} would hold {} devices, at most {} are allowed", claim.name,
                               chosen + alternative.count, api::kMaxAllocationResults));
  }
  for (const auto c : alternative.constraints) {
    const auto& constraint = claim.constraints[c];
    const auto id = constraint.attribute.substr(constraint.attribute.find('/') + 1);
    return because(Reason::kConstraint,
                   fmt::format("free, but too few with {} {}", constraint.distinct ? "different" : "equal", id));
  }
  if (alternative.all) return because(Reason::kTooFew, "free, but not all that are asked for are");
  if (alternative.count > 1) {
    return because(Reason::kTooFew, fmt::format("free, but fewer than {} beside the other requests", wanted));
  }
  return because(Reason::kOtherRequest, "free, but not for all requests together");
}

// A row with the devices that share it.
struct Row {
  DeviceReason reason;
  std::size_t devices = 0;
  std::vector<DeviceId> names;
  int least_slots = 0;
  int most_slots = 0;
  std::optional<Quantity> least;
  std::optional<Quantity> most;

  std::string Detail() const {
    if (reason.slots >= 0) {
      const auto range =
          least_slots == most_slots ? fmt::format("{}", least_slots) : fmt::format("{} to {}", least_slots, most_slots);
      return reason.reason == Reason::kNoSlot
                 ? fmt::format("free slots {}, none {} wide", range, NumberWord(reason.width))
                 : fmt::format("free slots {}, needs {}", range, reason.width);
    }
    if (!most) return reason.detail;
    const auto range =
        *least == *most ? most->ToString() : fmt::format("{} to {}", least->ToString(), most->ToString());
    return fmt::format("{}: {} left, needs {}", reason.detail, range, reason.needs);
  }
};

class Rows {
 public:
  explicit Rows(DeviceNames names) : names_(names) {}

  void Add(DeviceReason reason, const DeviceId& id) {
    const auto selector = reason.selector ? std::tuple(reason.selector->index, reason.selector->condition)
                                          : std::tuple(std::size_t{0}, std::string());
    Key key{!reason.of_class, reason.reason, reason.detail, reason.width, reason.needs, selector};
    auto [found, added] = rows_.try_emplace(std::move(key));
    auto& row = found->second;
    if (added) {
      row.least_slots = row.most_slots = reason.slots;
      row.least = row.most = reason.left;
    } else {
      row.least_slots = std::min(row.least_slots, reason.slots);
      row.most_slots = std::max(row.most_slots, reason.slots);
      if (reason.left && *reason.left < *row.least) row.least = reason.left;
      if (reason.left && *reason.left > *row.most) row.most = reason.left;
    }
    if (added) row.reason = std::move(reason);
    ++row.devices;
    if (names_ == DeviceNames::kListed) row.names.push_back(id);
  }

  std::vector<Rejection> Sorted() {
    std::vector<Rejection> rejections;
    for (auto& [key, row] : rows_) {
      rejections.push_back({.reason = row.reason.reason,
                            .detail = row.Detail(),
                            .devices = row.devices,
                            .of_class = row.reason.of_class,
                            .selector = row.reason.selector,
                            .names = std::move(row.names)});
    }
    std::sort(rejections.begin(), rejections.end(), [](const Rejection& a, const Rejection& b) {
      return std::tie(b.of_class, b.devices, a.reason, a.detail) < std::tie(a.of_class, a.devices, b.reason, b.detail);
    });
    return rejections;
  }

 private:
  using Key = std::tuple<bool, Reason, std::string, int, std::string, std::tuple<std::size_t, std::string>>;
  DeviceNames names_;
  std::map<Key, Row> rows_;
};

std::vector<Rejection> CountRows(const Scene& scene, const Explained& explained, DeviceNames names) {
  Rows rows(names);
  const auto& claim = ClaimOf(*scene.plan, explained.asked);
  const auto& alternative = *explained.alternative;
  for (const auto& node : scene.nodes) {
    const bool together = node->first_misfit == explained.asked;
    for (const auto d : node->devices) {
      auto reason = node->reasons.Alone(claim, alternative, d);
      if (!reason && together) reason = node->reasons.Beside(explained.asked.claim, alternative, d);
      if (!reason) reason = Remainder(scene, *node, explained);
      const auto id = names == DeviceNames::kListed ? scene.inventory->IdOf(node->reasons.view(), d) : DeviceId();
      rows.Add(std::move(*reason), id);
    }
    for (const auto& [id, reason] : node->unused) rows.Add(reason, id);
  }
  return rows.Sorted();
}

// A board with counters whose devices all fail the class; without counters a device is no board to speak of.
std::size_t BoardsOutsideClass(const Scene& scene, const AlternativePlan& alternative) {
  std::size_t boards = 0;
  for (const auto& node : scene.nodes) {
    const NodeView& view = node->reasons.view();
    const std::set<std::uint32_t> seen(node->devices.begin(), node->devices.end());
    for (const NodeLayout::Board& board : view.layout->boards) {
      const auto outside = [&](std::uint32_t d) {
        const auto match = MatchSelectors(*scene.inventory, alternative, view.Device(d));
        return seen.contains(d) && match.kind != Verdict::Kind::kTrue && match.selector < alternative.class_selectors;
      };
      if (!board.counters.empty() && std::all_of(board.devices.begin(), board.devices.end(), outside)) ++boards;
    }
  }
  return boards;
}

std::vector<std::string> NearestNodes(const Scene& scene) {
  std::vector<std::tuple<Asked, std::size_t, std::size_t, std::size_t>> nodes;  // backwards: more is nearer
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    const auto& node = *scene.nodes[n];
    nodes.emplace_back(node.first_misfit.value_or(Asked()), node.usable, node.devices.size(), scene.nodes.size() - n);
  }
  std::sort(nodes.rbegin(), nodes.rend());
  std::vector<std::string> names;
  for (const auto& node : nodes) {
    if (names.size() == kNearestNodes) break;
    names.push_back(scene.nodes[scene.nodes.size() - std::get<3>(node)]->reasons.view().node);
  }
  return names;
}

}  // namespace

Explanation Explain(const Inventory& inventory, const State& state, std::span<const api::ResourceClaim* const> claims,
                    std::span<const std::string> candidate_nodes, DeviceNames names) {
  Explanation explanation;
  const auto plan = MakePlan(inventory, claims);
  if (const auto error = FirstError(plan); !error.empty()) {
    const auto scene = MakeScene(inventory, state, candidate_nodes, Plan());
    explanation.devices = scene.devices;
    if (!claims.empty()) explanation.claim = api::QualifiedName(claims.front()->metadata);
    explanation.rows.push_back({.reason = Reason::kClassMissing,
                                .detail = error,
                                .devices = scene.devices,
                                .of_class = true,
                                .selector = {},
                                .names = {}});
    return explanation;
  }
  const auto scene = MakeScene(inventory, state, candidate_nodes, plan);
  explanation.devices = scene.devices;
  const auto explained = ChooseRequest(scene, state);
  if (!explained.alternative) return explanation;
  explanation.claim = ClaimOf(plan, explained.asked).name;
  explanation.request = explained.alternative->name;
  explanation.wanted = explained.alternative->all ? 0 : explained.alternative->count;
  explanation.nearest_nodes = NearestNodes(scene);
  explanation.device_class = explained.alternative->request->device_class_name;
  if (scene.devices == 0) {
    explanation.rows.push_back({.reason = Reason::kNoDevices,
                                .detail = "no device is published on these nodes",
                                .devices = 0,
                                .of_class = true,
                                .selector = {},
                                .names = {}});
    return explanation;
  }
  explanation.rows = CountRows(scene, explained, names);
  explanation.boards_outside_class = BoardsOutsideClass(scene, *explained.alternative);
  return explanation;
}

bool MayPass(const Explanation& explanation) {
  return std::any_of(explanation.rows.begin(), explanation.rows.end(), [](const Rejection& row) {
    static constexpr std::array<Reason, 6> kPassing = {Reason::kDeviceTaken,  Reason::kCapacityShort,
                                                       Reason::kCounterShort, Reason::kNoSlot,
                                                       Reason::kGroups,       Reason::kPoolUpdating};
    return std::find(kPassing.begin(), kPassing.end(), row.reason) != kPassing.end();
  });
}

std::string Text(const Explanation& explanation) {
  if (explanation.rows.empty()) return "nothing is asked for";
  const auto& first = explanation.rows.front();
  std::string text;
  if (first.reason == Reason::kClassMissing || explanation.devices == 0) {
    text = first.detail;
  } else {
    const bool of_class = first.of_class;
    std::size_t counted = 0;
    for (const auto& row : explanation.rows) counted += row.of_class == of_class ? row.devices : 0;
    text = fmt::format("none of {} devices", counted);
    const char* separator = ": ";
    for (const auto& row : explanation.rows) {
      if (row.of_class != of_class) continue;
      const auto part = fmt::format("{}{} {}", separator, row.devices, row.detail);
      if (text.size() + part.size() > kMaxExplanationText) break;
      text += part;
      separator = "; ";
    }
    if (of_class && explanation.boards_outside_class > 0) {
      const bool one = explanation.boards_outside_class == 1;
      const auto part = fmt::format("; {} more {} parts only, no device of class {}", explanation.boards_outside_class,
                                    one ? "board gives" : "boards give", explanation.device_class);
      if (text.size() + part.size() <= kMaxExplanationText) text += part;
    }
  }
  if (text.size() > kMaxExplanationText) text = text.substr(0, kMaxExplanationText - 3) + "...";
  return text;
}

}  // namespace kumiko::allocator
