#include "allocator/search.h"

#include <algorithm>
#include <map>
#include <utility>

#include "allocator/constraint.h"
#include "allocator/device_match.h"
#include "allocator/equivalence.h"
#include "allocator/search_bound.h"

namespace kumiko::allocator {
namespace {

constexpr std::int64_t kStepsBetweenStopChecks = 256;

class Search {
 public:
  Search(const Inventory& inventory, const State& state, const NodeView& view, const Plan& plan, const Options& options,
         const PickOrder* order)
      : view_(view),
        plan_(plan),
        options_(options),
        order_(order),
        in_flight_(view, state),
        matches_(inventory, view, plan),
        equivalence_(view, plan),
        all_devices_(plan.alternative_count) {}

  SearchResult Run() {
    const bool ready = view_.error.empty() ? ListAllDevices() : Stop(Outcome::Kind::kFatal, view_.error);
    if (ready) Conclude();
    result_.steps = steps_;
    return std::move(result_);
  }

 private:
  enum class Step {
    kFound,
    kNo,
    kTooMany,  // more devices than one claim may hold; another alternative may need fewer
    kStop,     // result_ says why
  };

  void Conclude() {
    Step step = Step::kNo;
    if (!ProvablyTooFew(in_flight_, plan_, matches_)) step = FromClaim(0);
    if (step == Step::kStop) return;
    if (step == Step::kFound) {
      result_.kind = Outcome::Kind::kFits;
    } else if (!selector_error_.empty()) {
      Stop(Outcome::Kind::kFatal, selector_error_);
    } else if (view_.any_invalid) {
      Stop(Outcome::Kind::kNodeError, "invalid resource pools were encountered");
    }
  }

  // False, so that callers can return it.
  bool Stop(Outcome::Kind kind, std::string error) {
    result_.kind = kind;
    result_.error = std::move(error);
    return false;
  }

  bool ListAllDevices() {
    for (const auto& claim : plan_.claims) {
      std::size_t sum = 0;
      for (const auto& request : claim.requests) {
        std::size_t least = api::kMaxAllocationResults + 1;
        for (const auto& alternative : request.alternatives) {
          if (alternative.all && !ListAllDevices(claim, alternative)) return false;
          least = std::min(least, alternative.all ? all_devices_[alternative.serial].size() : alternative.count);
        }
        if (sum + least > api::kMaxAllocationResults) {
          return Stop(
              Outcome::Kind::kNodeError,
              fmt::format("claim {}, request {}: adding {} devices exceeds the claim limit of {}, with {} already "
                          "accounted for",
                          claim.name, request.name, least, api::kMaxAllocationResults, sum));
        }
        sum += least;
      }
    }
    return true;
  }

  bool ListAllDevices(const ClaimPlan& claim, const AlternativePlan& alternative) {
    for (const auto& pool : view_.pools) {
      if (!pool.incomplete && !pool.invalid) continue;
      return Stop(
          Outcome::Kind::kNodeError,
          fmt::format("claim {}, request {}: asks for all devices, but resource pool {}/{} is currently {}", claim.name,
                      alternative.name, pool.driver, pool.name, pool.incomplete ? "being updated" : "invalid"));
    }
    for (std::uint32_t d = 0; d < view_.devices.size(); ++d) {
      if (!view_.devices[d].on_node) continue;
      const auto selected = matches_.Selected(alternative, d);
      if (selected == Verdict::Kind::kError) return Stop(Outcome::Kind::kFatal, matches_.Error(claim, alternative, d));
      if (selected != Verdict::Kind::kTrue) continue;
      const auto amounts = Amounts(alternative, d);
      if (!amounts) return Stop(Outcome::Kind::kFatal, CapacityError(claim, alternative, d, amounts.error()));
      if (*amounts && FitsCapacity(*view_.devices[d].device, **amounts, nullptr))
        all_devices_[alternative.serial].push_back(d);
    }
    return true;
  }

  Step FromClaim(std::uint32_t claim) {
    if (claim == plan_.claims.size()) {
      result_.picks = in_flight_.picks();
      return Step::kFound;
    }
    auto saved = std::move(constraints_);
    constraints_.clear();
    for (const auto& constraint : plan_.claims[claim].constraints) constraints_.emplace_back(constraint);
    const auto step = FromRequest(claim, 0, 0);
    constraints_ = std::move(saved);
    // Another claim's limit says nothing about this one's alternatives.
    return step == Step::kTooMany ? Step::kNo : step;
  }

  // `chosen`: devices that the claim holds already.
  Step FromRequest(std::uint32_t claim, std::uint32_t index, std::size_t chosen) {
    const auto& requests = plan_.claims[claim].requests;
    if (index == requests.size()) return FromClaim(claim + 1);
    bool all_too_many = true;
    for (const auto& alternative : requests[index].alternatives) {
      const auto step = Alternative(claim, index, alternative, chosen);
      if (step == Step::kFound || step == Step::kStop) return step;
      all_too_many = all_too_many && step == Step::kTooMany;
    }
    return all_too_many ? Step::kTooMany : Step::kNo;
  }

  Step Alternative(std::uint32_t claim, std::uint32_t index, const AlternativePlan& alternative, std::size_t chosen) {
    const auto needed = alternative.all ? all_devices_[alternative.serial].size() : alternative.count;
    if (chosen + needed > api::kMaxAllocationResults) return Step::kTooMany;
    Request request{.claim = claim,
                    .index = index,
                    .alternative = &alternative,
                    .needed = needed,
                    .chosen = chosen,
                    .excluded = {}};
    if (alternative.all) return needed == 0 ? Step::kNo : PickAll(request, 0);
    if (!order_) return PickAscending(request, 0, 0);
    request.excluded.resize(view_.devices.size(), 0);
    return PickOrdered(request, 0);
  }

  struct Request {
    std::uint32_t claim;
    std::uint32_t index;
    const AlternativePlan* alternative;
    std::size_t needed;
    std::size_t chosen;
    std::vector<std::uint8_t> excluded;  // with an order: picked, or known to lead nowhere
  };

  Step Next(const Request& request) {
    return FromRequest(request.claim, request.index + 1, request.chosen + request.needed);
  }

  Step PickAll(Request& request, std::size_t position) {
    const auto& devices = all_devices_[request.alternative->serial];
    if (position == devices.size()) return Next(request);
    const auto device = devices[position];
    // Taken, tainted or full comes before constraints: then the next alternative is tried.
    if (!UsableAlone(request, device)) return result_.kind == Outcome::Kind::kFatal ? Step::kStop : Step::kNo;
    if (!ConstraintsAllow(request, device)) {
      Stop(
          Outcome::Kind::kFatal,
          fmt::format("claim {}, request {}: cannot add device {} because a claim constraint would not be satisfied",
                      plan_.claims[request.claim].name, request.alternative->name, view_.devices[device].device->name));
      return Step::kStop;
    }
    return Try(request, device, [&] { return PickAll(request, position + 1); });
  }

  Step PickAscending(Request& request, std::size_t done, std::uint32_t start) {
    if (done == request.needed) return Next(request);
    std::vector<std::uint32_t> failed;
    for (std::uint32_t d = start; d < view_.devices.size(); ++d) {
      if (SameAsFailed(failed, d)) continue;
      const auto step = Try(request, d, [&] { return PickAscending(request, done + 1, d + 1); });
      if (step != Step::kNo) return step;
      if (picked_in_try_) failed.push_back(d);
    }
    return Step::kNo;
  }

  Step PickOrdered(Request& request, std::size_t done) {
    if (done == request.needed) return Next(request);
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t d = 0; d < view_.devices.size(); ++d) {
      if (request.excluded[d] == 0 && Usable(request, d)) candidates.push_back(d);
      if (result_.kind == Outcome::Kind::kFatal) return Step::kStop;
    }
    if (candidates.size() < request.needed - done) return Step::kNo;
    (*order_)(in_flight_, *request.alternative, request.needed - done, candidates);
    std::vector<std::uint32_t> failed;
    std::vector<std::uint32_t> excluded_here;
    Step step = Step::kNo;
    for (const auto d : candidates) {
      if (SameAsFailed(failed, d)) continue;
      request.excluded[d] = 1;
      excluded_here.push_back(d);
      step = Try(request, d, [&] { return PickOrdered(request, done + 1); });
      if (step != Step::kNo) break;
      if (picked_in_try_) failed.push_back(d);
    }
    for (const auto d : excluded_here) request.excluded[d] = 0;
    return step;
  }

  bool SameAsFailed(const std::vector<std::uint32_t>& failed, std::uint32_t device) {
    return std::any_of(failed.begin(), failed.end(), [&](std::uint32_t other) {
      return equivalence_.Interchangeable(in_flight_, matches_, other, device);
    });
  }

  // Picks `device` if it can be, goes on with `next` and takes the pick back unless a solution was found.
  template <class Next>
  Step Try(Request& request, std::uint32_t device, Next next) {
    picked_in_try_ = false;
    if (++steps_ > options_.max_steps) {
      Stop(Outcome::Kind::kFatal,
           fmt::format("filter operation aborted: deadline ({} steps) exceeded", options_.max_steps));
      return Step::kStop;
    }
    if (steps_ % kStepsBetweenStopChecks == 0 && options_.stop.stop_requested()) {
      Stop(Outcome::Kind::kFatal, "filter operation aborted: cancelled");
      return Step::kStop;
    }
    if (!Usable(request, device)) return result_.kind == Outcome::Kind::kFatal ? Step::kStop : Step::kNo;
    const auto& content = *view_.devices[device].content;
    Pick pick{.claim = request.claim,
              .request = request.index,
              .alternative = request.alternative,
              .device = device,
              .shared = content.allow_multiple_allocations,
              .consumed = {}};
    if (pick.shared) pick.consumed = **Amounts(*request.alternative, device);
    in_flight_.Push(std::move(pick));
    for (const auto c : request.alternative->constraints) constraints_[c].Push(content);
    const auto step = next();
    for (const auto c : request.alternative->constraints) constraints_[c].Pop();
    in_flight_.Pop();
    picked_in_try_ = true;
    return step;
  }

  // Whether the request can take the device now. A fatal error is left in result_.
  bool Usable(const Request& request, std::uint32_t device) {
    return UsableAlone(request, device) && ConstraintsAllow(request, device);
  }

  // The same but for the claim's constraints; cheap questions first.
  bool UsableAlone(const Request& request, std::uint32_t device) {
    const auto& alternative = *request.alternative;
    const auto& entry = view_.devices[device];
    if (!entry.on_node) return false;
    const bool multiple = entry.content->allow_multiple_allocations;
    if (!alternative.admin_access && in_flight_.InUse(device)) return false;
    if (!multiple && in_flight_.PickedBy(request.claim, device)) return false;
    const auto selected = matches_.Selected(alternative, device);
    if (selected == Verdict::Kind::kError) {
      auto error = matches_.Error(plan_.claims[request.claim], alternative, device);
      if (!order_) return Stop(Outcome::Kind::kFatal, std::move(error));
      if (selector_error_.empty()) selector_error_ = std::move(error);
    }
    if (selected != Verdict::Kind::kTrue) return false;
    if (multiple || alternative.request->capacity || !entry.device->capacity.empty()) {
      if (!CapacityLeft(request, device)) return false;
    }
    if (!alternative.admin_access && !(multiple && in_flight_.HasShares(device)) &&
        !in_flight_.CountersSuffice(device)) {
      return false;
    }
    return matches_.Tolerated(alternative, device);
  }

  bool CapacityLeft(const Request& request, std::uint32_t device) {
    const auto& alternative = *request.alternative;
    const auto amounts = Amounts(alternative, device);
    if (!amounts) {
      return Stop(Outcome::Kind::kFatal,
                  CapacityError(plan_.claims[request.claim], alternative, device, amounts.error()));
    }
    const auto* used = alternative.admin_access ? nullptr : in_flight_.Consumed(device);
    return *amounts && FitsCapacity(*view_.devices[device].device, **amounts, used);
  }

  Result<std::optional<CapacityAmounts>> Amounts(const AlternativePlan& alternative, std::uint32_t device) const {
    const auto& request = alternative.request->capacity;
    return ConsumedBy(*view_.devices[device].device, request ? &*request : nullptr);
  }

  std::string CapacityError(const ClaimPlan& claim, const AlternativePlan& alternative, std::uint32_t device,
                            const Error& error) const {
    return fmt::format("claim {}, request {}: device {}: {}", claim.name, alternative.name,
                       view_.devices[device].device->name, error.message);
  }

  bool ConstraintsAllow(const Request& request, std::uint32_t device) const {
    const auto& names = request.alternative->constraints;
    return std::all_of(names.begin(), names.end(),
                       [&](std::uint32_t c) { return constraints_[c].Allows(*view_.devices[device].content); });
  }

  const NodeView& view_;
  const Plan& plan_;
  const Options& options_;
  const PickOrder* order_;
  InFlight in_flight_;
  DeviceMatches matches_;
  Equivalence equivalence_;
  std::vector<std::vector<std::uint32_t>> all_devices_;  // by alternative serial
  std::vector<ConstraintState> constraints_;             // of the current claim
  std::string selector_error_;                           // with an order: the first one met
  bool picked_in_try_ = false;
  std::int64_t steps_ = 0;
  SearchResult result_;
};

}  // namespace

SearchResult SearchNode(const Inventory& inventory, const State& state, const NodeView& view, const Plan& plan,
                        const Options& options, const PickOrder* order) {
  return Search(inventory, state, view, plan, options, order).Run();
}

}  // namespace kumiko::allocator
