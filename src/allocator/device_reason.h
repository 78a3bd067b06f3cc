// Why one device does not serve one request, as far as it can be said of the device alone or beside earlier picks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allocator/device_match.h"
#include "allocator/explain.h"
#include "allocator/in_flight.h"
#include "allocator/request_plan.h"

namespace kumiko::allocator {

struct DeviceReason {
  Rejection::Reason reason = Rejection::Reason::kConstraint;
  std::string detail;
  bool of_class = true;
  std::optional<Rejection::Selector> selector;
  // What there is too little of: devices with different amounts left share a row.
  std::string needs;
  std::optional<Quantity> left;
  // The same for the places of a board: how many are free, and how many side by side are needed.
  int slots = -1;
  int width = 0;
};

// The requests of one plan on one node. Borrows all.
class NodeReasons {
 public:
  NodeReasons(const Inventory& inventory, const State& state, const NodeView& view, const Plan& plan);

  const NodeView& view() const { return *view_; }
  const InFlight& alone() const { return alone_; }

  // Whether the device could serve the request if nothing else were asked for.
  bool Serves(const ClaimPlan& claim, const AlternativePlan& alternative, std::uint32_t device);
  // What is against it; nullopt when it serves.
  std::optional<DeviceReason> Alone(const ClaimPlan& claim, const AlternativePlan& alternative, std::uint32_t device);

  // From now on, Beside() asks beside these devices of earlier requests.
  void SetPicks(std::vector<Pick> picks);
  // What speaks against a device that serves the request alone; nullopt: nothing. `claim` is a number in the plan.
  std::optional<DeviceReason> Beside(std::uint32_t claim, const AlternativePlan& alternative, std::uint32_t device);
  std::span<const Pick> picks() const { return picks_; }

 private:
  bool AsksCapacity(const AlternativePlan& alternative, std::uint32_t device) const;
  std::optional<DeviceReason> Selecting(const AlternativePlan& alternative, std::uint32_t device) const;
  DeviceReason CapacityReason(const InFlight& in_flight, const AlternativePlan& alternative, std::uint32_t device);
  DeviceReason CounterReason(const InFlight& in_flight, std::uint32_t device) const;
  DeviceReason GroupReason(std::uint32_t device) const;
  std::optional<DeviceReason> ConstraintReason(const ClaimPlan& claim, const AlternativePlan& alternative,
                                               std::uint32_t constraint, std::uint32_t device,
                                               std::span<const Pick> picks);
  std::string NameOf(const Pick& pick) const;

  const Inventory* inventory_;
  const State* state_;
  const NodeView* view_;
  const Plan* plan_;
  InFlight alone_;
  DeviceMatches matches_;
  std::vector<Pick> picks_;
  std::optional<InFlight> beside_;
};

}  // namespace kumiko::allocator
