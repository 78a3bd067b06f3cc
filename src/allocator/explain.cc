#include "allocator/explain.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "allocator/capacity.h"
#include "allocator/device_match.h"
#include "allocator/in_flight.h"
#include "allocator/request_plan.h"
#include "base/suggest.h"

namespace kumiko::allocator {
namespace {

using Reason = Rejection::Reason;

constexpr std::size_t kMaxText = 256;
constexpr Amount kOneUnit = 1000;

// Why one device does not serve a request; `slots` makes boards with different room share a row.
struct Cause {
  Reason reason = Reason::kConstraint;
  std::string detail;
  bool of_class = true;
  int slots = -1;
  int width = 0;
};

// "memory-slice-3" with one unit: a place of the board, of which a device needs certain ones.
bool IsSlot(const Inventory& inventory, const NodeLayout::Counter& counter) {
  const auto& name = inventory.names().Text(counter.name);
  return counter.declared == kOneUnit && !name.empty() && name.back() >= '0' && name.back() <= '9';
}

std::string_view NumberWord(int number) {
  static constexpr std::array<std::string_view, 9> kWords = {"none", "one", "two",   "three", "four",
                                                             "five", "six", "seven", "eight"};
  return number >= 0 && number < static_cast<int>(kWords.size()) ? kWords[static_cast<std::size_t>(number)] : "so many";
}

std::string WithoutPrefix(const std::string& text) {
  for (const std::string_view prefix : {"attribute ", "capacity "}) {
    if (text.starts_with(prefix)) return text.substr(prefix.size());
  }
  return text;
}

std::string MissingAttribute(const cel::Mismatch& mismatch, const cel::DeviceView& device) {
  std::vector<std::string> known;
  for (const auto attribute : device.attributes) {
    if (attribute.id == mismatch.attribute) {
      return fmt::format("{} in the domain that is asked; {} has it", mismatch.detail, attribute.domain);
    }
    known.emplace_back(attribute.id);
  }
  const auto near = mismatch.attribute.empty() ? std::nullopt : Suggest(mismatch.attribute, known);
  return near ? mismatch.detail + "; did you mean " + *near + "?" : mismatch.detail;
}

Cause SelectorCause(const Inventory& inventory, const AlternativePlan& alternative, const Match& match,
                    const DeviceRef& device) {
  Cause cause;
  cause.of_class = match.selector >= alternative.class_selectors;
  const auto& selector = alternative.selectors[match.selector];
  const auto readable = inventory.Read(device);
  if (!selector.expression || !readable.error.empty()) {
    cause.reason = Reason::kSelectorError;
    cause.detail = selector.expression ? readable.error : selector.error;
    return cause;
  }
  const auto mismatch = selector.expression->ExplainMismatch(readable.view);
  switch (mismatch.kind) {
    case cel::Mismatch::Kind::kNone:
    case cel::Mismatch::Kind::kFalse:
      cause.reason = Reason::kSelectorFalse;
      cause.detail = WithoutPrefix(mismatch.detail);
      break;
    case cel::Mismatch::Kind::kAttributeMissing:
      cause.reason = Reason::kAttributeMissing;
      cause.detail = MissingAttribute(mismatch, readable.view);
      break;
    case cel::Mismatch::Kind::kError:
      cause.reason = Reason::kSelectorError;
      cause.detail = mismatch.detail;
      break;
  }
  return cause;
}

// Which counters keep a device off its board: slots, or amounts of which any part would do.
Cause CounterCause(const Inventory& inventory, const InFlight& in_flight, std::uint32_t device) {
  const auto& layout = in_flight.layout();
  const auto& board = layout.boards[layout.devices[device].board];
  int free_slots = 0;
  for (const auto counter : board.counters) {
    if (layout.counters[counter].declared == kOneUnit && in_flight.Remaining(counter) == kOneUnit) ++free_slots;
  }
  int width = 0;
  bool amounts_suffice = true;
  bool nothing_left = false;
  std::string short_of;
  for (const auto& consumption : layout.ConsumptionOf(device)) {
    const auto& counter = layout.counters[consumption.counter];
    const auto remaining = in_flight.Remaining(consumption.counter);
    if (IsSlot(inventory, counter) && consumption.amount == kOneUnit) {
      ++width;
      continue;
    }
    if (consumption.amount <= remaining) continue;
    amounts_suffice = false;
    nothing_left = nothing_left || remaining <= 0;
    if (short_of.empty()) short_of = inventory.names().Text(counter.name);
  }
  if (nothing_left || (width > 0 && free_slots == 0)) return {.reason = Reason::kDeviceTaken, .detail = "taken"};
  if (amounts_suffice && width > 0) {
    return {.reason = free_slots < width ? Reason::kCounterShort : Reason::kNoSlot,
            .detail = "",
            .slots = free_slots,
            .width = width};
  }
  return {.reason = Reason::kCounterShort, .detail = short_of + ": too little left"};
}

// Nullopt: the device could serve the request if nothing else were asked.
std::optional<Cause> CauseOf(const Inventory& inventory, const InFlight& in_flight, const AlternativePlan& alternative,
                             std::uint32_t index) {
  const auto device = in_flight.view().Device(index);
  const auto match = MatchSelectors(inventory, alternative, device);
  if (match.kind != Verdict::Kind::kTrue) return SelectorCause(inventory, alternative, match, device);
  if (const auto* taint = UntoleratedTaint(alternative, in_flight.view(), index)) {
    return Cause{.reason = Reason::kDeviceTaint,
                 .detail = "taint " + taint->key + (taint->value.empty() ? "" : "=" + taint->value) + " not tolerated"};
  }
  if (!alternative.admin_access && in_flight.InUse(index))
    return Cause{.reason = Reason::kDeviceTaken, .detail = "taken"};
  const auto& capacity = alternative.request->capacity;
  const auto take = TakeOf(device.capacities(), capacity ? &*capacity : nullptr, inventory.features());
  if (!take || !take->possible)
    return Cause{.reason = Reason::kCapacityShort, .detail = "capacity is not offered in this amount"};
  if (!in_flight.CapacitySuffices(index, take->amounts)) {
    return Cause{.reason = Reason::kCapacityShort, .detail = "too little capacity left"};
  }
  if (!alternative.admin_access && !in_flight.HasShares(index) && !in_flight.CountersSuffice(index)) {
    return CounterCause(inventory, in_flight, index);
  }
  return std::nullopt;
}

// The candidate nodes with their state; a device that several nodes reach is looked at once.
struct Scene {
  std::vector<std::unique_ptr<InFlight>> nodes;
  std::vector<std::vector<std::uint32_t>> devices;  // by node
  std::size_t device_count = 0;
  std::size_t broken_pools = 0;
};

Scene MakeScene(const Inventory& inventory, const State& state, std::span<const std::string> names) {
  Scene scene;
  std::set<std::pair<const StoredSlice*, std::uint32_t>> seen;
  for (const auto& name : names) {
    const auto& view = inventory.ViewOf(name);
    scene.nodes.push_back(std::make_unique<InFlight>(view, state));
    auto& devices = scene.devices.emplace_back();
    for (std::uint32_t d = 0; d < view.layout->candidates; ++d) {
      const auto device = view.Device(d);
      if (view.layout->devices[d].on_node && seen.insert({device.slice, device.ordinal}).second) devices.push_back(d);
    }
    scene.device_count += devices.size();
    for (const auto& pool : view.layout->pools) scene.broken_pools += pool.incomplete || pool.invalid ? 1 : 0;
  }
  return scene;
}

// The most devices of one node that a request could have, if it were alone.
std::size_t MostUsable(const Inventory& inventory, const Scene& scene, const AlternativePlan& alternative) {
  std::size_t most = 0;
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    std::size_t usable = 0;
    const auto& layout = scene.nodes[n]->layout();
    for (std::uint32_t d = 0; d < layout.candidates; ++d) {
      if (layout.devices[d].on_node && !CauseOf(inventory, *scene.nodes[n], alternative, d)) ++usable;
    }
    most = std::max(most, usable);
  }
  return most;
}

struct Explained {
  const ClaimPlan* claim = nullptr;
  const AlternativePlan* alternative = nullptr;
  bool too_few = false;
};

Explained ChooseRequest(const Inventory& inventory, const Scene& scene, const Plan& plan) {
  Explained chosen;
  for (const auto& claim : plan.claims) {
    for (const auto& request : claim.requests) {
      bool fits = false;
      for (const auto& alternative : request.alternatives) {
        const auto wanted = alternative.all ? 1 : alternative.count;
        fits = fits || MostUsable(inventory, scene, alternative) >= wanted;
      }
      chosen = {.claim = &claim, .alternative = &request.alternatives.front(), .too_few = !fits};
      if (!fits) return chosen;
    }
  }
  // Each request fits alone: constraints, or the requests together, are what cannot be had.
  for (const auto& claim : plan.claims) {
    for (const auto& request : claim.requests) {
      if (!request.alternatives.front().constraints.empty()) {
        return {.claim = &claim, .alternative = &request.alternatives.front(), .too_few = false};
      }
    }
  }
  return chosen;
}

std::string RemainderDetail(const Explained& explained) {
  const auto& alternative = *explained.alternative;
  if (explained.too_few) return fmt::format("free, but fewer than {} on one node", alternative.count);
  for (const auto c : alternative.constraints) {
    const auto& constraint = explained.claim->constraints[c];
    const auto id = constraint.attribute.substr(constraint.attribute.find('/') + 1);
    return fmt::format("free, but too few with {} {}", constraint.distinct ? "different" : "equal", id);
  }
  return "free, but not for all requests together";
}

std::string RowDetail(const Cause& cause, int least, int most) {
  if (cause.slots < 0) return cause.detail;
  const auto range = least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  return cause.reason == Reason::kNoSlot ? fmt::format("free slots {}, none {} wide", range, NumberWord(cause.width))
                                         : fmt::format("free slots {}, needs {}", range, cause.width);
}

// A board with counters whose devices all fail the class; without counters a device is no board to speak of.
std::size_t BoardsOutsideClass(const Inventory& inventory, const Scene& scene, const AlternativePlan& alternative) {
  std::size_t boards = 0;
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    const NodeView& view = scene.nodes[n]->view();
    const std::set<std::uint32_t> seen(scene.devices[n].begin(), scene.devices[n].end());
    for (const NodeLayout::Board& board : view.layout->boards) {
      const auto outside = [&](std::uint32_t d) {
        const auto match = MatchSelectors(inventory, alternative, view.Device(d));
        return seen.contains(d) && match.kind != Verdict::Kind::kTrue && match.selector < alternative.class_selectors;
      };
      if (!board.counters.empty() && std::all_of(board.devices.begin(), board.devices.end(), outside)) ++boards;
    }
  }
  return boards;
}

std::vector<Rejection> CountRows(const Inventory& inventory, const Scene& scene, const Explained& explained) {
  struct Row {
    Cause cause;
    std::size_t devices = 0;
    int least = 0;
    int most = 0;
  };
  std::map<std::tuple<bool, Reason, std::string, int>, Row> rows;
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    for (const auto d : scene.devices[n]) {
      auto cause = CauseOf(inventory, *scene.nodes[n], *explained.alternative, d);
      if (!cause) {
        cause = Cause{.reason = explained.too_few ? Reason::kTooFew : Reason::kConstraint,
                      .detail = RemainderDetail(explained)};
      }
      const auto slots = cause->slots;
      auto [row, added] = rows.try_emplace({!cause->of_class, cause->reason, cause->detail, cause->width},
                                           Row{.cause = *cause, .devices = 0, .least = slots, .most = slots});
      ++row->second.devices;
      row->second.least = std::min(row->second.least, slots);
      row->second.most = std::max(row->second.most, slots);
    }
  }
  std::vector<Rejection> rejections;
  for (const auto& [key, row] : rows) {
    rejections.push_back({.reason = row.cause.reason,
                          .detail = RowDetail(row.cause, row.least, row.most),
                          .devices = row.devices,
                          .of_class = row.cause.of_class});
  }
  std::stable_sort(rejections.begin(), rejections.end(), [](const Rejection& a, const Rejection& b) {
    return std::pair(!a.of_class, b.devices) < std::pair(!b.of_class, a.devices);
  });
  return rejections;
}

}  // namespace

Explanation Explain(const Inventory& inventory, const State& state, std::span<const api::ResourceClaim* const> claims,
                    std::span<const std::string> candidate_nodes) {
  Explanation explanation;
  const auto scene = MakeScene(inventory, state, candidate_nodes);
  explanation.devices = scene.device_count;
  const auto plan = MakePlan(inventory, claims);
  if (const auto error = FirstError(plan); !error.empty()) {
    if (!claims.empty()) explanation.claim = api::QualifiedName(claims.front()->metadata);
    explanation.rows.push_back(
        {.reason = Reason::kClassMissing, .detail = error, .devices = scene.device_count, .of_class = true});
    return explanation;
  }
  const auto explained = ChooseRequest(inventory, scene, plan);
  if (!explained.claim) return explanation;
  explanation.claim = explained.claim->name;
  explanation.request = explained.alternative->name;
  if (scene.device_count == 0) {
    explanation.rows.push_back({.reason = scene.broken_pools > 0 ? Reason::kPoolUpdating : Reason::kNoDevices,
                                .detail = scene.broken_pools > 0 ? "the nodes' devices are being updated"
                                                                 : "no device is published on these nodes",
                                .devices = 0,
                                .of_class = true});
    return explanation;
  }
  explanation.rows = CountRows(inventory, scene, explained);
  explanation.boards_outside_class = BoardsOutsideClass(inventory, scene, *explained.alternative);
  explanation.device_class = explained.alternative->request->device_class_name;
  return explanation;
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
      if (text.size() + part.size() > kMaxText) break;
      text += part;
      separator = "; ";
    }
    if (of_class && explanation.boards_outside_class > 0) {
      const bool one = explanation.boards_outside_class == 1;
      const auto part = fmt::format("; {} more {} parts only, no device of class {}", explanation.boards_outside_class,
                                    one ? "board gives" : "boards give", explanation.device_class);
      if (text.size() + part.size() <= kMaxText) text += part;
    }
  }
  if (text.size() > kMaxText) text = text.substr(0, kMaxText - 3) + "...";
  return text;
}

}  // namespace kumiko::allocator
