#include "allocator/demand_bound.h"

#include <algorithm>
#include <limits>
#include <map>

namespace kumiko::allocator {
namespace {

constexpr std::uint32_t kNone = 0xffff'ffff;

// Maximum matching of units with numbered things, by augmenting paths.
class Matching {
 public:
  explicit Matching(std::size_t things) : owner_(things, kNone), visited_(things, 0) {}

  // Whether `unit` finds a thing, maybe by moving others; `of` lists what each unit may have.
  bool Add(std::uint32_t unit, const std::vector<const std::vector<std::uint32_t>*>& of) {
    ++round_;
    return Find(unit, of);
  }

 private:
  bool Find(std::uint32_t unit, const std::vector<const std::vector<std::uint32_t>*>& of) {
    for (const auto thing : *of[unit]) {
      if (visited_[thing] == round_) continue;
      visited_[thing] = round_;
      if (owner_[thing] == kNone || Find(owner_[thing], of)) {
        owner_[thing] = unit;
        return true;
      }
    }
    return false;
  }

  std::vector<std::uint32_t> owner_;
  std::vector<std::uint32_t> visited_;
  std::uint32_t round_ = 0;
};

}  // namespace

DemandBound::DemandBound(const InFlight& start, const Plan& plan, DeviceMatches& matches, const Features& features)
    : plan_(&plan),
      matches_(&matches),
      lists_(features.list_type_attributes),
      device_count_(start.layout().candidates) {
  static_ok_.resize(plan.alternative_count * device_count_, 0);
  for (const auto& claim : plan.claims) {
    for (const auto& request : claim.requests) {
      for (const auto& alternative : request.alternatives) {
        for (std::uint32_t d = 0; d < device_count_; ++d) {
          const auto& device = start.layout().devices[d];
          bool ok = device.on_node && (alternative.admin_access || !start.Held(d)) &&
                    matches.Selected(alternative, d) == Verdict::Kind::kTrue && matches.Tolerated(alternative, d);
          if (ok && features.consumable_capacity && (device.has_capacity || alternative.request->capacity)) {
            const auto& take = matches.Take(alternative, d);
            ok = take && take->possible;
          }
          if (ok && device.skips_node_operations) {
            ok = features.optional_node_operations && start.view().optional_node_operations;
          }
          static_ok_[alternative.serial * device_count_ + d] = ok ? 1 : 0;
        }
      }
    }
  }
}

AttributeId DemandBound::ValueOf(std::uint32_t claim, const AlternativePlan& alternative, std::uint32_t constraint,
                                 std::uint32_t device) {
  return matches_->ConstraintValue(plan_->claims[claim], alternative, constraint, device).value_or(kNoAttribute);
}

bool DemandBound::MayTake(const InFlight& in_flight, const AlternativePlan& alternative, std::uint32_t claim,
                          std::uint32_t device, const std::vector<ConstraintState>* constraints) {
  if (static_ok_[alternative.serial * device_count_ + device] == 0) return false;
  if (!alternative.admin_access && in_flight.InUse(device)) return false;
  if (!alternative.admin_access && !(in_flight.Shareable(device) && in_flight.HasShares(device)) &&
      !in_flight.CountersSuffice(device)) {
    return false;
  }
  for (const auto c : alternative.constraints) {
    const auto value = ValueOf(claim, alternative, c, device);
    if (constraints ? !(*constraints)[c].Allows(value) : value == kNoAttribute) return false;
  }
  return true;
}

// False: a request is left with nothing.
bool DemandBound::CollectUnits(const InFlight& in_flight, const Position& at,
                               const std::vector<ConstraintState>& constraints) {
  units_.clear();
  for (std::uint32_t c = at.claim; c < plan_->claims.size(); ++c) {
    const auto& requests = plan_->claims[c].requests;
    for (std::uint32_t r = c == at.claim ? at.request : 0; r < requests.size(); ++r) {
      const bool current = c == at.claim && r == at.request;
      std::size_t least = std::numeric_limits<std::size_t>::max();
      Unit unit{.claim = c, .request = r, .devices = {}};
      std::vector<std::uint8_t> taken(device_count_, 0);
      bool unlimited = false;
      for (const auto& alternative : requests[r].alternatives) {
        if (current && at.alternative && &alternative != at.alternative) continue;
        // All asks for a fixed set; admin access takes nothing from others; a shareable device serves many.
        if (alternative.all || alternative.admin_access) unlimited = true;
        least = std::min(least, alternative.count);
        for (std::uint32_t d = 0; d < device_count_ && !unlimited; ++d) {
          if (taken[d] != 0 || !MayTake(in_flight, alternative, c, d, c == at.claim ? &constraints : nullptr)) continue;
          if (in_flight.Shareable(d)) unlimited = true;
          taken[d] = 1;
        }
      }
      if (current) least -= std::min(least, at.done);
      if (unlimited || least == 0) continue;
      for (std::uint32_t d = 0; d < device_count_; ++d) {
        if (taken[d] != 0) unit.devices.push_back(d);
      }
      if (unit.devices.size() < least) return false;
      for (std::size_t i = 1; i < least; ++i) units_.push_back(unit);
      units_.push_back(std::move(unit));
    }
  }
  return true;
}

bool DemandBound::MatchingFails(std::size_t device_count) {
  std::vector<const std::vector<std::uint32_t>*> wishes;
  for (const auto& unit : units_) wishes.push_back(&unit.devices);
  Matching matching(device_count);
  for (std::uint32_t u = 0; u < units_.size(); ++u) {
    if (!matching.Add(u, wishes)) return true;
  }
  return false;
}

// Each counter of one name in one pool, summed over the sets: what units need at least against what is left.
bool DemandBound::CountersFail(const InFlight& in_flight) {
  const auto& layout = in_flight.layout();
  if (layout.counters.empty()) return false;
  std::map<std::pair<std::uint32_t, NameId>, std::pair<Amount, Amount>> need_and_left;
  for (std::uint32_t c = 0; c < layout.counters.size(); ++c) {
    const auto& counter = layout.counters[c];
    need_and_left[{counter.pool, counter.name}].second += std::max<Amount>(in_flight.Remaining(c), 0);
  }
  std::map<std::pair<std::uint32_t, NameId>, Amount> least;
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const auto& unit = units_[u];
    const bool same = u > 0 && units_[u - 1].claim == unit.claim && units_[u - 1].request == unit.request;
    if (!same) {
      least.clear();
      bool first = true;
      for (const auto d : unit.devices) {
        std::map<std::pair<std::uint32_t, NameId>, Amount> needs;
        for (const auto& consumption : layout.ConsumptionOf(d)) {
          const auto& counter = layout.counters[consumption.counter];
          needs[{counter.pool, counter.name}] += consumption.amount;
        }
        if (first) {
          least = std::move(needs);
        } else {
          for (auto entry = least.begin(); entry != least.end();) {
            const auto found = needs.find(entry->first);
            if (found == needs.end()) {
              entry = least.erase(entry);
              continue;
            }
            entry->second = std::min(entry->second, found->second);
            ++entry;
          }
        }
        first = false;
        if (least.empty()) break;
      }
    }
    for (const auto& [counter, amount] : least) need_and_left[counter].first += amount;
  }
  return std::any_of(need_and_left.begin(), need_and_left.end(),
                     [](const auto& entry) { return entry.second.first > entry.second.second; });
}

// For each constraint of one claim alone: a value that enough devices share, or enough different values.
bool DemandBound::ConstraintsFail(const InFlight& in_flight, std::uint32_t claim,
                                  const std::vector<ConstraintState>* constraints) {
  if (lists_) return false;
  const auto& plan = plan_->claims[claim];
  for (std::uint32_t c = 0; c < plan.constraints.size(); ++c) {
    std::map<AttributeId, std::uint32_t> numbers;
    std::vector<std::vector<std::uint32_t>> values_of_unit;
    std::map<AttributeId, std::vector<std::vector<std::uint32_t>>> devices_of_value;
    std::size_t bound_units = 0;
    const Unit* last = nullptr;  // that is bound
    for (const auto& unit : units_) {
      if (unit.claim != claim) continue;
      if (last && last->request == unit.request) {
        // The next device of the same request may have the same.
        values_of_unit.push_back(values_of_unit.back());
        for (auto& [value, lists] : devices_of_value) {
          if (lists.size() == bound_units) lists.push_back(lists.back());
        }
        ++bound_units;
        continue;
      }
      const auto& alternatives = plan.requests[unit.request].alternatives;
      const bool bound = std::all_of(alternatives.begin(), alternatives.end(), [&](const auto& a) {
        return std::find(a.constraints.begin(), a.constraints.end(), c) != a.constraints.end();
      });
      if (!bound) continue;
      std::vector<std::uint32_t> values;
      for (const auto d : unit.devices) {
        for (const auto& alternative : alternatives) {
          const auto value = ValueOf(claim, alternative, c, d);
          if (value == kNoAttribute) continue;
          const auto number = numbers.try_emplace(value, static_cast<std::uint32_t>(numbers.size())).first->second;
          if (std::find(values.begin(), values.end(), number) == values.end()) values.push_back(number);
          auto& lists = devices_of_value[value];
          lists.resize(bound_units + 1);
          if (lists.back().empty() || lists.back().back() != d) lists.back().push_back(d);
        }
      }
      values_of_unit.push_back(std::move(values));
      ++bound_units;
      last = &unit;
    }
    if (bound_units == 0) continue;
    if (plan.constraints[c].distinct) {
      std::vector<const std::vector<std::uint32_t>*> wishes;
      for (const auto& values : values_of_unit) wishes.push_back(&values);
      Matching matching(numbers.size());
      for (std::uint32_t u = 0; u < bound_units; ++u) {
        if (!matching.Add(u, wishes)) return true;
      }
      continue;
    }
    // A value that is fixed already was asked for in MayTake.
    if (constraints && !(*constraints)[c].values().empty()) continue;
    const bool any = std::any_of(devices_of_value.begin(), devices_of_value.end(), [&](auto& entry) {
      auto& lists = entry.second;
      lists.resize(bound_units);
      std::vector<const std::vector<std::uint32_t>*> wishes;
      for (const auto& devices : lists) wishes.push_back(&devices);
      Matching matching(in_flight.layout().candidates);
      for (std::uint32_t u = 0; u < bound_units; ++u) {
        if (!matching.Add(u, wishes)) return false;
      }
      return true;
    });
    if (!any) return true;
  }
  return false;
}

bool DemandBound::Exceeded(const InFlight& in_flight, const Position& at,
                           const std::vector<ConstraintState>& constraints) {
  if (!CollectUnits(in_flight, at, constraints)) return true;
  if (units_.empty()) return false;
  if (MatchingFails(device_count_) || CountersFail(in_flight)) return true;
  for (std::uint32_t c = at.claim; c < plan_->claims.size(); ++c) {
    if (!plan_->claims[c].constraints.empty() &&
        ConstraintsFail(in_flight, c, c == at.claim ? &constraints : nullptr)) {
      return true;
    }
  }
  return false;
}

}  // namespace kumiko::allocator
