#include "allocator/device_classes.h"

#include <algorithm>

namespace kumiko::allocator {
namespace {

std::uint64_t Mix(std::uint64_t a, std::uint64_t b) {
  a ^= b + 0x9e37'79b9'7f4a'7c15 + (a << 12) + (a >> 4);
  a *= 0xff51'afd7'ed55'8ccd;
  a ^= a >> 32;
  a *= 0xc4ce'b9fe'1a85'ec53;
  return a ^ (a >> 29);
}

void Add(SituationKey& key, std::uint64_t word) {
  key.high = Mix(key.high, word);
  key.low = Mix(key.low ^ 0x5851'f42d'4c95'7f2d, word * 0x9e37'79b9'7f4a'7c15 + 1);
}

// The sum does not depend on the order in which parts are added.
void AddUnordered(SituationKey& sum, const SituationKey& part) {
  sum.high += Mix(part.high, part.low);
  sum.low += Mix(part.low, part.high + 1);
}

std::uint64_t TextKey(const std::string& text) {
  return StringHash()(text);
}

// Equal only for equal values; the same value written in two ways may count as two.
void Add(SituationKey& key, const Quantity& quantity) {
  if (const auto compact = quantity.AsCompact()) {
    Add(key, static_cast<std::uint64_t>(compact->mantissa));
    Add(key, static_cast<std::uint64_t>(compact->scale));
  } else {
    Add(key, TextKey(quantity.ToString()));
  }
}

}  // namespace

DeviceClasses::DeviceClasses(const InFlight& start, const Plan& plan, DeviceMatches& matches, const Features& features)
    : plan_(&plan), groups_matter_(features.compatibility_groups) {
  const auto& layout = start.layout();
  class_of_device_.resize(layout.candidates, 0);
  last_use_.resize(layout.candidates, 0);
  std::uint32_t position = 0;
  for (const auto& claim : plan.claims) {
    first_position_.push_back(position);
    position += static_cast<std::uint32_t>(claim.requests.size());
    for (const auto& request : claim.requests) {
      for (const auto& alternative : request.alternatives) has_admin_ = has_admin_ || alternative.admin_access;
    }
  }
  for (std::uint32_t d = 0; d < layout.candidates; ++d) {
    const auto& device = layout.devices[d];
    SituationKey key;
    position = 0;
    for (const auto& claim : plan.claims) {
      for (const auto& request : claim.requests) {
        ++position;
        for (const auto& alternative : request.alternatives) {
          const auto selected = matches.Selected(alternative, d);
          Add(key, static_cast<std::uint64_t>(selected));
          // A device on which a selector fails matters as long as the request may still come to it.
          if (selected != Verdict::Kind::kFalse) last_use_[d] = position;
          if (selected != Verdict::Kind::kTrue) continue;
          Add(key, matches.Tolerated(alternative, d) ? 1 : 2);
          if (device.has_capacity || alternative.request->capacity) {
            const auto& take = matches.Take(alternative, d);
            Add(key, take ? (take->possible ? 3 : 4) : 5);
            if (take) {
              for (const auto& amount : take->amounts) Add(key, amount);
            }
          }
          for (const auto c : alternative.constraints) {
            const auto value = matches.ConstraintValue(claim, alternative, c, d);
            Add(key, value ? std::uint64_t{*value} : ~std::uint64_t{0});
          }
        }
      }
    }
    const auto ref = start.view().Device(d);
    for (const auto& capacity : ref.capacities()) {
      Add(key, TextKey(capacity.name));
      Add(key, capacity.value);
    }
    Add(key, (device.on_node ? 1 : 0) | (device.allow_multiple_allocations ? 2 : 0) |
                 (device.skips_node_operations ? 4 : 0) | (start.PoolBlocked(device.pool) ? 8 : 0) |
                 (start.Held(d) ? 16 : 0) | (start.HasShares(d) ? 32 : 0));
    if (start.HasShares(d)) Add(key, d);
    const auto& shape = ref.shape();
    const auto draws = ref.device().draws;
    for (auto i = draws.begin; i < draws.end && shape.has_compatibility_groups; ++i) {
      Add(key, shape.draws[i].set);
      for (const auto group : shape.draws[i].groups) Add(key, group);
    }
    Add(key, draws.size());
    if (device.on_node) {
      const auto& counters = layout.boards[device.board].counters;
      for (const auto& consumption : layout.ConsumptionOf(d)) {
        const auto place = std::lower_bound(counters.begin(), counters.end(), consumption.counter) - counters.begin();
        Add(key, static_cast<std::uint64_t>(place));
        Add(key, static_cast<std::uint64_t>(consumption.amount));
      }
    }
    class_of_device_[d] = key.high ^ key.low;
  }
  for (std::uint32_t b = 0; b < layout.boards.size(); ++b) {
    const auto& board = layout.boards[b];
    if (board.devices.size() > 1) {
      // Shares of one device of several: which one matters.
      for (const auto d : board.devices) {
        if (start.Shareable(d)) class_of_device_[d] = Mix(class_of_device_[d], d);
      }
    }
    SituationKey key;
    for (const auto counter : board.counters) Add(key, static_cast<std::uint64_t>(start.Remaining(counter)));
    for (const auto d : board.devices) Add(key, class_of_device_[d]);
    class_of_board_.push_back(key);
  }
}

std::uint64_t DeviceClasses::PickKey(const Pick& pick) const {
  auto key = Mix(class_of_device_[pick.device], pick.shared ? pick.alternative->serial + 2 : 1);
  if (has_admin_) key = Mix(key, pick.claim * 2 + (pick.alternative->admin_access ? 1 : 0));
  return key;
}

// The board as requests from `from_position` on see it. `changed` is false when it is as at the start to them.
SituationKey DeviceClasses::BoardKey(const InFlight& in_flight, std::uint32_t board, std::uint32_t from_position,
                                     bool& changed) const {
  const auto& layout = in_flight.layout();
  SituationKey key = class_of_board_[board];
  std::uint64_t picked = 0;
  bool charged = false;
  for (const auto& pick : in_flight.picks()) {
    if (layout.devices[pick.device].board != board) continue;
    charged = charged || layout.devices[pick.device].consumption.size() > 0;
    const bool shows_in_groups = groups_matter_ && layout.devices[pick.device].draws;
    if (last_use_[pick.device] <= from_position && !shows_in_groups) continue;
    changed = true;
    picked += PickKey(pick);
  }
  if (charged) {
    changed = true;
    for (const auto counter : layout.boards[board].counters) {
      Add(key, static_cast<std::uint64_t>(in_flight.Remaining(counter)));
    }
  }
  Add(key, picked);
  return key;
}

SituationKey DeviceClasses::CandidateKey(const InFlight& in_flight, std::uint32_t device) const {
  bool changed = false;
  auto key = BoardKey(in_flight, in_flight.layout().devices[device].board, 0, changed);
  Add(key, class_of_device_[device]);
  return key;
}

SituationKey DeviceClasses::RequestKey(const InFlight& in_flight, std::uint32_t claim, std::uint32_t request,
                                       std::size_t chosen, const std::vector<ConstraintState>& constraints) const {
  const auto& layout = in_flight.layout();
  const auto position = first_position_[claim] + request;
  SituationKey sum;
  const auto& picks = in_flight.picks();
  for (std::size_t i = 0; i < picks.size(); ++i) {
    const auto board = layout.devices[picks[i].device].board;
    const bool seen = std::any_of(picks.begin(), picks.begin() + static_cast<std::ptrdiff_t>(i),
                                  [&](const auto& p) { return layout.devices[p.device].board == board; });
    if (seen) continue;
    bool changed = false;
    const auto key = BoardKey(in_flight, board, position, changed);
    if (changed) AddUnordered(sum, key);
  }
  Add(sum, position);
  Add(sum, chosen);
  const auto& requests = plan_->claims[claim].requests;
  for (std::uint32_t c = 0; c < constraints.size(); ++c) {
    bool matters = false;
    for (auto r = request; r < requests.size(); ++r) {
      for (const auto& alternative : requests[r].alternatives) {
        matters = matters || std::find(alternative.constraints.begin(), alternative.constraints.end(), c) !=
                                 alternative.constraints.end();
      }
    }
    if (!matters) continue;
    const auto values = constraints[c].values();
    Add(sum, c);
    if (!constraints[c].plan().distinct) {
      Add(sum, values.empty() ? 0 : values.back() + std::uint64_t{1});
      continue;
    }
    std::uint64_t set = 0;
    for (const auto value : values) set += Mix(value, 7);
    Add(sum, set);
  }
  return sum;
}

}  // namespace kumiko::allocator
