// Counts before searching: whether the requests that are still open could get a device each, if each took one that it
// may take now and no two the same. Only a necessary condition; it ignores what picks would do to each other.
#pragma once

#include <cstdint>
#include <vector>

#include "allocator/constraint.h"
#include "allocator/device_match.h"
#include "allocator/in_flight.h"
#include "allocator/request_plan.h"

namespace kumiko::allocator {

class DemandBound {
 public:
  DemandBound(const InFlight& start, const Plan& plan, DeviceMatches& matches, const Features& features);

  // Where the search stands: `done` devices of the request are picked, all with `alternative` (null: none yet).
  struct Position {
    std::uint32_t claim = 0;
    std::uint32_t request = 0;
    const AlternativePlan* alternative = nullptr;
    std::size_t done = 0;
  };
  // True: no solution has these picks. `constraints` are those of the current claim.
  bool Exceeded(const InFlight& in_flight, const Position& at, const std::vector<ConstraintState>& constraints);

 private:
  // One device that a request still needs.
  struct Unit {
    std::uint32_t claim = 0;
    std::uint32_t request = 0;
    std::vector<std::uint32_t> devices;  // that it may take now
  };

  bool MayTake(const InFlight& in_flight, const AlternativePlan& alternative, std::uint32_t claim, std::uint32_t device,
               const std::vector<ConstraintState>* constraints);
  bool CollectUnits(const InFlight& in_flight, const Position& at, const std::vector<ConstraintState>& constraints);
  bool MatchingFails(std::size_t device_count);
  bool CountersFail(const InFlight& in_flight);
  bool ConstraintsFail(const InFlight& in_flight, std::uint32_t claim, const std::vector<ConstraintState>* constraints);
  AttributeId ValueOf(std::uint32_t claim, const AlternativePlan& alternative, std::uint32_t constraint,
                      std::uint32_t device);

  const Plan* plan_;
  DeviceMatches* matches_;
  bool lists_;
  std::vector<std::uint8_t> static_ok_;  // by alternative serial, then device: independent of what is picked
  std::size_t device_count_;
  std::vector<Unit> units_;
};

}  // namespace kumiko::allocator
