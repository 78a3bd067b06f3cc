#include "allocator/search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "allocator/constraint.h"
#include "allocator/demand_bound.h"
#include "allocator/device_classes.h"
#include "allocator/device_match.h"
#include "allocator/mutant.h"
#include "allocator/result_builder.h"
#include "base/flat_map.h"

namespace kumiko::allocator {
namespace {

constexpr std::int64_t kStepsBetweenStopChecks = 1024;
// Most searches end within as many; only longer ones pay for counting and remembering.
constexpr std::int64_t kPlainSteps = 64;

// What a long search knows about its node.
struct Insight {
  Insight(const InFlight& start, const Plan& plan, DeviceMatches& matches, const Features& features,
          bool errors_possible)
      : classes(start, plan, matches, features) {
    // An answer by counting would hide an error that the search could still raise.
    if (!errors_possible) bound.emplace(start, plan, matches, features);
  }

  DeviceClasses classes;
  std::optional<DemandBound> bound;
  FlatSet<SituationKey, SituationKeyHash> failed;
};

class Search {
 public:
  Search(const Inventory& inventory, const State& state, const NodeView& view, const Plan& plan, const Options& options,
         const PickOrder* order, const KnownMatches* known)
      : inventory_(inventory),
        features_(inventory.features()),
        view_(view),
        layout_(*view.layout),
        plan_(plan),
        options_(options),
        order_(order),
        in_flight_(view, state),
        matches_(inventory, view, plan),
        all_devices_(plan.alternative_count),
        without_errors_(known != nullptr) {
    if (known) matches_.Adopt(*known);
  }

  SearchResult Run() {
    const bool ready = view_.error.empty() ? CheckClaims() : Stop(Outcome::Kind::kFatal, view_.error);
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
    kRestart,  // long enough to be worth an Insight
  };

  void Conclude() {
    // A verdict does not depend on the order, but the order decides which error is met first: the reference's.
    const bool selectors_unsure = order_ && SelectorsOfSeveralTerms();
    SearchResult first_fit;
    if (order_ && (selectors_unsure || ErrorsPossible())) {
      const auto* order = std::exchange(order_, nullptr);
      RunPlainThenInformed();
      if (result_.kind != Outcome::Kind::kFits) return;
      if (selectors_unsure) {
        const auto results = BuildResults(inventory_, view_, plan_, result_.picks);
        if (!results) {
          Stop(Outcome::Kind::kFatal, results.error().message);
          return;
        }
      }
      first_fit = std::exchange(result_, {});
      insight_.reset();
      order_ = order;
    }
    RunPlainThenInformed();
    if (selectors_unsure && result_.kind == Outcome::Kind::kFits &&
        !BuildResults(inventory_, view_, plan_, result_.picks)) {
      result_ = std::move(first_fit);
    }
  }

  // Whether picks may lie on devices whose node selectors a result cannot combine.
  bool SelectorsOfSeveralTerms() const {
    const auto several = [](const std::optional<api::NodeSelector>& selector) {
      return selector && selector->node_selector_terms.size() > 1;
    };
    return std::any_of(view_.slices.begin(), view_.slices.end(), [&](const StoredSlice* slice) {
      return several(slice->node_selector) || std::any_of(slice->shape->extras.begin(), slice->shape->extras.end(),
                                                          [&](const auto& e) { return several(e.node_selector); });
    });
  }

  void RunPlainThenInformed() {
    auto step = FromClaim(0);
    if (step == Step::kRestart) {
      insight_.emplace(in_flight_, plan_, matches_, features_, ErrorsPossible());
      step = FromClaim(0);
    }
    if (step == Step::kStop) return;
    if (step == Step::kFound) {
      result_.kind = Outcome::Kind::kFits;
    } else if (layout_.any_invalid) {
      Stop(Outcome::Kind::kNodeError, "invalid resource pools were encountered");
    }
  }

  // False, so that callers can return it.
  bool Stop(Outcome::Kind kind, std::string error) {
    result_.kind = kind;
    result_.error = std::move(error);
    return false;
  }

  // What is wrong with the claims in themselves and for this node, in the reference's order (§2.4, §2.5).
  bool CheckClaims() {
    for (const auto& claim : plan_.claims) {
      std::size_t sum = 0;
      for (const auto& request : claim.requests) {
        if (!request.error.empty()) return Stop(Outcome::Kind::kFatal, request.error);
        std::size_t least = std::numeric_limits<std::size_t>::max();
        for (const auto& alternative : request.alternatives) {
          if (!alternative.error.empty()) return Stop(Outcome::Kind::kFatal, alternative.error);
          if (alternative.all && !ListAllDevices(claim, alternative)) return false;
          orderly_ = orderly_ || (alternative.all && !alternative.constraints.empty());
          least = std::min(least, Needed(alternative));
        }
        if (least > api::kMaxAllocationResults - sum) {
          return Stop(Outcome::Kind::kFatal,
                      fmt::format("claim {}, request {}: adding {} devices exceeds the claim limit of {}, with {} "
                                  "already accounted for",
                                  claim.name, request.name, least, api::kMaxAllocationResults, sum));
        }
        sum += least;
      }
      if (!claim.error.empty()) return Stop(Outcome::Kind::kFatal, claim.error);
    }
    return true;
  }

  std::size_t Needed(const AlternativePlan& alternative) const {
    return alternative.all ? all_devices_[alternative.serial].size() : alternative.count;
  }

  bool ListAllDevices(const ClaimPlan& claim, const AlternativePlan& alternative) {
    std::uint32_t next = 0;  // device
    for (std::uint32_t p = 0; p < layout_.pools.size(); ++p) {
      const auto& pool = layout_.pools[p];
      if (pool.incomplete || pool.invalid) {
        // Of this node only: pools that have nothing to do with other nodes must not keep the claim from them (D10).
        return Stop(Outcome::Kind::kNodeError,
                    fmt::format("claim {}, request {}: asks for all devices, but resource pool {}/{} is currently {}",
                                claim.name, alternative.own_name, inventory_.names().Text(pool.driver),
                                inventory_.names().Text(inventory_.PoolName(view_.pools[p])),
                                pool.incomplete ? "being updated" : "invalid"));
      }
      for (; next < layout_.candidates && layout_.devices[next].pool == p; ++next) {
        const auto selected = matches_.Selected(alternative, next);
        if (selected == Verdict::Kind::kError) {
          return Stop(Outcome::Kind::kFatal, matches_.SelectorError(claim, alternative, next));
        }
        if (selected != Verdict::Kind::kTrue) continue;
        if (AsksCapacity(alternative, next)) {
          const auto& take = matches_.Take(alternative, next);
          if (!take)
            return Stop(Outcome::Kind::kFatal, CapacityError(claim, alternative, DeviceName(next), take.error()));
          if (!take->possible || !FitsCapacity(view_.Device(next).capacities(), take->amounts, {})) continue;
        }
        all_devices_[alternative.serial].push_back(next);
      }
    }
    return true;
  }

  // Whether any device that the search may come to could end it with an error.
  bool ErrorsPossible() {
    if (without_errors_) return false;
    for (const auto& claim : plan_.claims) {
      for (const auto& request : claim.requests) {
        for (const auto& alternative : request.alternatives) {
          if (alternative.all && !alternative.constraints.empty()) return true;
          for (std::uint32_t d = 0; d < layout_.candidates; ++d) {
            if (!alternative.admin_access && in_flight_.Held(d)) continue;
            const auto selected = matches_.Selected(alternative, d);
            if (selected == Verdict::Kind::kError) return true;
            if (selected != Verdict::Kind::kTrue) continue;
            if (AsksCapacity(alternative, d) && !matches_.Take(alternative, d)) return true;
            if (alternative.derived.empty()) continue;
            for (const auto c : alternative.constraints) {
              if (!matches_.ConstraintValue(claim, alternative, c, d)) return true;
            }
          }
        }
      }
    }
    return false;
  }

  Step FromClaim(std::uint32_t claim) {
    if (claim == plan_.claims.size()) {
      result_.picks = in_flight_.picks();
      return Step::kFound;
    }
    auto saved = std::move(constraints_);
    constraints_.clear();
    for (const auto& constraint : plan_.claims[claim].constraints) {
      constraints_.emplace_back(constraint, inventory_.attributes(), features_);
    }
    const auto step = FromRequest(claim, 0, 0);
    constraints_ = std::move(saved);
    // Another claim's limit says nothing about this one's alternatives.
    return step == Step::kTooMany ? Step::kNo : step;
  }

  // `chosen`: devices that the claim holds already.
  Step FromRequest(std::uint32_t claim, std::uint32_t index, std::size_t chosen) {
    const auto& requests = plan_.claims[claim].requests;
    if (index == requests.size()) return FromClaim(claim + 1);
    SituationKey key;
    if (insight_) {
      key = insight_->classes.RequestKey(in_flight_, claim, index, chosen, constraints_);
      if (insight_->failed.contains(key)) return Step::kNo;
      if (Hopeless({.claim = claim, .request = index, .alternative = nullptr, .done = 0})) {
        insight_->failed.insert(key);
        return Step::kNo;
      }
    }
    bool all_too_many = true;
    for (const auto& alternative : requests[index].alternatives) {
      const auto step = Alternative(claim, index, alternative, chosen);
      if (step != Step::kNo && step != Step::kTooMany) return step;
      all_too_many = all_too_many && step == Step::kTooMany;
    }
    if (all_too_many) return Step::kTooMany;
    if (insight_) insight_->failed.insert(key);
    return Step::kNo;
  }

  bool Hopeless(const DemandBound::Position& at) {
    return insight_ && insight_->bound && insight_->bound->Exceeded(in_flight_, at, constraints_);
  }

  struct Request {
    std::uint32_t claim;
    std::uint32_t index;
    const AlternativePlan* alternative;
    std::size_t needed;
    std::size_t chosen;
    std::vector<std::uint8_t> excluded;  // with an order: picked, or known to lead nowhere
  };

  Step Alternative(std::uint32_t claim, std::uint32_t index, const AlternativePlan& alternative, std::size_t chosen) {
    const auto needed = Needed(alternative);
    if (alternative.all && needed == 0 && !Mutant(19)) return Step::kNo;
    if (needed > 0 && needed > api::kMaxAllocationResults + (Mutant(20) ? 1 : 0) - chosen) return Step::kTooMany;
    Request request{.claim = claim,
                    .index = index,
                    .alternative = &alternative,
                    .needed = needed,
                    .chosen = chosen,
                    .excluded = {}};
    if (alternative.all) return PickAll(request, 0);
    if (!order_) return PickAscending(request, 0, 0);
    request.excluded.resize(layout_.candidates, 0);
    return PickOrdered(request, 0);
  }

  Step Next(const Request& request) {
    return FromRequest(request.claim, request.index + 1, request.chosen + request.needed);
  }

  Step PickAll(Request& request, std::size_t position) {
    const auto& devices = all_devices_[request.alternative->serial];
    if (position == devices.size()) return Next(request);
    return Try(request, devices[position], [&] { return PickAll(request, position + 1); });
  }

  Step PickAscending(Request& request, std::size_t done, std::uint32_t start) {
    if (done == request.needed) return Next(request);
    if (done > 0 && Hopeless(PositionOf(request, done))) return Step::kNo;
    std::vector<SituationKey> failed;
    for (std::uint32_t d = start; d < layout_.candidates; ++d) {
      if (SameAsFailed(failed, d)) continue;
      const auto step = Try(request, d, [&] { return PickAscending(request, done + 1, d + (Mutant(17) ? 2 : 1)); });
      if (step != Step::kNo) return step;
      if (picked_in_try_) Failed(failed, d);
    }
    return Step::kNo;
  }

  Step PickOrdered(Request& request, std::size_t done) {
    if (done == request.needed) return Next(request);
    if (done > 0 && Hopeless(PositionOf(request, done))) return Step::kNo;
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t d = 0; d < layout_.candidates; ++d) {
      if (request.excluded[d] == 0 && Usable(request, d)) candidates.push_back(d);
      if (result_.kind == Outcome::Kind::kFatal) return Step::kStop;
    }
    if (candidates.size() < request.needed - done) return Step::kNo;
    (*order_)(in_flight_, *request.alternative, request.needed - done, candidates);
    std::vector<SituationKey> failed;
    std::vector<std::uint32_t> excluded_here;
    Step step = Step::kNo;
    for (const auto d : candidates) {
      if (SameAsFailed(failed, d)) continue;
      request.excluded[d] = 1;
      excluded_here.push_back(d);
      step = Try(request, d, [&] { return PickOrdered(request, done + 1); });
      if (step != Step::kNo) break;
      if (picked_in_try_) Failed(failed, d);
    }
    for (const auto d : excluded_here) request.excluded[d] = 0;
    return step;
  }

  static DemandBound::Position PositionOf(const Request& request, std::size_t done) {
    return {.claim = request.claim, .request = request.index, .alternative = request.alternative, .done = done};
  }

  bool SameAsFailed(const std::vector<SituationKey>& failed, std::uint32_t device) const {
    if (failed.empty() || !layout_.devices[device].on_node) return false;
    return std::find(failed.begin(), failed.end(), insight_->classes.CandidateKey(in_flight_, device)) != failed.end();
  }

  void Failed(std::vector<SituationKey>& failed, std::uint32_t device) const {
    if (insight_) failed.push_back(insight_->classes.CandidateKey(in_flight_, device));
  }

  // Picks `device` if it can be, goes on with `next` and takes the pick back unless a solution was found.
  template <class Next>
  Step Try(Request& request, std::uint32_t device, Next next) {
    picked_in_try_ = false;
    if (++steps_ > options_.max_steps) {
      Stop(Outcome::Kind::kFatal, "filter operation aborted: context deadline exceeded");
      return Step::kStop;
    }
    if (steps_ % kStepsBetweenStopChecks == 0 && options_.stop.stop_requested()) {
      Stop(Outcome::Kind::kFatal, "filter operation aborted: context canceled");
      return Step::kStop;
    }
    if (!insight_ && steps_ > kPlainSteps && !orderly_) return Step::kRestart;
    if (!Usable(request, device)) return result_.kind == Outcome::Kind::kFatal ? Step::kStop : Step::kNo;
    const auto& alternative = *request.alternative;
    Pick pick{.claim = request.claim,
              .request = request.index,
              .alternative = &alternative,
              .device = device,
              .shared = in_flight_.Shareable(device),
              .charged = false,
              .amounts = {}};
    if (pick.shared && AsksCapacity(alternative, device)) pick.amounts = matches_.Take(alternative, device)->amounts;
    in_flight_.Push(std::move(pick));
    const auto& claim = plan_.claims[request.claim];
    for (const auto c : alternative.constraints) {
      constraints_[c].Push(*matches_.ConstraintValue(claim, alternative, c, device));
    }
    const auto step = next();
    for (const auto c : alternative.constraints) constraints_[c].Pop();
    in_flight_.Pop();
    picked_in_try_ = true;
    return step;
  }

  // Whether the request can take the device now; questions in the reference's order, since each may raise an error. A
  // fatal one is left in result_.
  bool Usable(const Request& request, std::uint32_t device) {
    const auto& alternative = *request.alternative;
    const auto& claim = plan_.claims[request.claim];
    const auto& entry = layout_.devices[device];
    const bool shareable = in_flight_.Shareable(device);
    if (!shareable && in_flight_.PickedBy(request.claim, device)) return false;
    if (!alternative.admin_access && in_flight_.InUse(device)) return false;
    const auto selected = matches_.Selected(alternative, device);
    if (selected == Verdict::Kind::kError) {
      if (order_) return false;
      return Stop(Outcome::Kind::kFatal, matches_.SelectorError(claim, alternative, device));
    }
    if (selected != Verdict::Kind::kTrue) return false;
    if (!alternative.all && AsksCapacity(alternative, device)) {
      const auto& take = matches_.Take(alternative, device);
      if (!take) {
        if (order_) return false;
        return Stop(Outcome::Kind::kFatal,
                    CapacityError(claim, alternative, ToString(inventory_.IdOf(view_, device)), take.error()));
      }
      if (!take->possible || !in_flight_.CapacitySuffices(device, take->amounts)) return false;
    }
    if (entry.skips_node_operations && !(features_.optional_node_operations && view_.optional_node_operations)) {
      return false;
    }
    if (view_.Device(device).device().draws.size() > 0) {
      if (!features_.partitionable_devices) return false;
      // A further share is paid for by the first; admin access takes nothing from others (D13).
      if (!alternative.admin_access && !(shareable && in_flight_.HasShares(device))) {
        if (features_.compatibility_groups && !in_flight_.GroupsAdmit(device)) return false;
        if (!in_flight_.CountersSuffice(device)) return false;
      }
    }
    if (!matches_.Tolerated(alternative, device)) return false;
    if (!ConstraintsAllow(request, device)) return false;
    if (alternative.all && AsksCapacity(alternative, device)) {
      const auto& take = matches_.Take(alternative, device);
      if (!take || !take->possible || !in_flight_.CapacitySuffices(device, take->amounts)) return false;
    }
    return true;
  }

  bool ConstraintsAllow(const Request& request, std::uint32_t device) {
    const auto& claim = plan_.claims[request.claim];
    const auto& alternative = *request.alternative;
    for (const auto c : alternative.constraints) {
      const auto value = matches_.ConstraintValue(claim, alternative, c, device);
      if (!value) return order_ ? false : Stop(Outcome::Kind::kFatal, value.error().message);
      if (constraints_[c].Allows(*value)) continue;
      if (!alternative.all || order_) return false;
      return Stop(
          Outcome::Kind::kFatal,
          fmt::format("claim {}, request {}: cannot add device {} because a claim constraint would not be satisfied",
                      claim.name, alternative.own_name, ToString(inventory_.IdOf(view_, device))));
    }
    return true;
  }

  // Capacity is looked at on every device once the feature is on; a device without any suits every request without.
  bool AsksCapacity(const AlternativePlan& alternative, std::uint32_t device) const {
    return features_.consumable_capacity && (layout_.devices[device].has_capacity || alternative.request->capacity);
  }

  std::string CapacityError(const ClaimPlan& claim, const AlternativePlan& alternative, const std::string& device,
                            const Error& error) const {
    return fmt::format("claim {}, request {}: checking capacity for device {}: {}", claim.name, alternative.own_name,
                       device, error.message);
  }

  const std::string& DeviceName(std::uint32_t device) const {
    return inventory_.names().Text(layout_.devices[device].name);
  }

  const Inventory& inventory_;
  const Features& features_;
  const NodeView& view_;
  const NodeLayout& layout_;
  const Plan& plan_;
  const Options& options_;
  const PickOrder* order_;
  InFlight in_flight_;
  DeviceMatches matches_;
  std::optional<Insight> insight_;
  std::vector<std::vector<std::uint32_t>> all_devices_;  // by alternative serial
  bool without_errors_;
  std::vector<ConstraintState> constraints_;  // of the current claim
  // A request for all devices under a constraint: whether it fails or ends the search depends on the order of devices,
  // so that equal ones must not be exchanged.
  bool orderly_ = false;
  bool picked_in_try_ = false;
  std::int64_t steps_ = 0;
  SearchResult result_;
};

}  // namespace

SearchResult SearchNode(const Inventory& inventory, const State& state, const NodeView& view, const Plan& plan,
                        const Options& options, const PickOrder* order, const KnownMatches* known) {
  return Search(inventory, state, view, plan, options, order, known).Run();
}

}  // namespace kumiko::allocator
