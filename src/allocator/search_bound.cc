#include "allocator/search_bound.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "allocator/constraint.h"
#include "allocator/verdict_cache.h"

namespace kumiko::allocator {
namespace {

struct Countable {
  std::uint32_t claim = 0;
  const AlternativePlan* alternative = nullptr;
  std::vector<std::uint32_t> devices;  // that it could take if it came first
};

enum class Listing { kCountable, kSkip, kSelectorError };

Listing ListDevices(const InFlight& in_flight, const AlternativePlan& alternative, DeviceMatches& matches,
                    std::vector<std::uint32_t>& devices) {
  const auto& view = in_flight.view();
  for (std::uint32_t d = 0; d < view.devices.size(); ++d) {
    if (!view.devices[d].on_node || in_flight.InUse(d)) continue;
    const auto selected = matches.Selected(alternative, d);
    if (selected == Verdict::Kind::kError) return Listing::kSelectorError;
    if (selected != Verdict::Kind::kTrue || !matches.Tolerated(alternative, d)) continue;
    if (view.devices[d].content->allow_multiple_allocations) return Listing::kSkip;
    if (in_flight.CountersSuffice(d)) devices.push_back(d);
  }
  return Listing::kCountable;
}

// Whether, for each match constraint, some value is carried by enough devices for every request under it.
bool SomeValueSuffices(const InFlight& in_flight, const std::vector<Countable>& requests, std::uint32_t claim,
                       std::uint32_t constraint, const std::string& attribute) {
  std::map<std::string, std::vector<std::size_t>> counts;  // by value: per request
  std::vector<const Countable*> bound;
  for (const auto& request : requests) {
    if (request.claim != claim) continue;
    for (const auto c : request.alternative->constraints) {
      if (c == constraint) bound.push_back(&request);
    }
  }
  std::size_t wanted = 0;
  for (const auto* request : bound) wanted += request->alternative->count;
  if (wanted == 0) return true;
  for (std::size_t r = 0; r < bound.size(); ++r) {
    for (const auto d : bound[r]->devices) {
      DeviceContent one;
      const auto* value = FindAttribute(*in_flight.view().devices[d].content, attribute);
      if (!value) continue;
      one.attributes.push_back({.domain = "", .id = "", .value = *value});
      auto& count = counts[ProjectContent(one, std::nullopt)];
      count.resize(bound.size(), 0);
      ++count[r];
    }
  }
  for (const auto& [value, count] : counts) {
    bool suffices = true;
    for (std::size_t r = 0; r < bound.size(); ++r) suffices = suffices && count[r] >= bound[r]->alternative->count;
    if (suffices) return true;
  }
  return false;
}

}  // namespace

bool ProvablyTooFew(const InFlight& in_flight, const Plan& plan, DeviceMatches& matches) {
  std::vector<Countable> requests;
  for (std::uint32_t c = 0; c < plan.claims.size(); ++c) {
    for (const auto& request : plan.claims[c].requests) {
      if (request.alternatives.size() != 1) continue;
      const auto& alternative = request.alternatives.front();
      if (alternative.all || alternative.admin_access || alternative.count == 0) continue;
      Countable countable{.claim = c, .alternative = &alternative, .devices = {}};
      const auto listing = ListDevices(in_flight, alternative, matches, countable.devices);
      if (listing == Listing::kSelectorError) return false;
      if (listing == Listing::kCountable) requests.push_back(std::move(countable));
    }
  }
  std::map<std::vector<std::uint32_t>, std::size_t> wanted_of;
  for (const auto& request : requests) wanted_of[request.devices] += request.alternative->count;
  for (const auto& [devices, wanted] : wanted_of) {
    if (wanted > devices.size()) return true;
  }
  for (std::uint32_t c = 0; c < plan.claims.size(); ++c) {
    const auto& constraints = plan.claims[c].constraints;
    for (std::uint32_t i = 0; i < constraints.size(); ++i) {
      if (!constraints[i].distinct && !SomeValueSuffices(in_flight, requests, c, i, constraints[i].attribute))
        return true;
    }
  }
  return false;
}

}  // namespace kumiko::allocator
