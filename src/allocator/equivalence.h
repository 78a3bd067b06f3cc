// Devices that no request of a plan can tell apart. After one failed as a candidate the others fail too, so the search
// skips them: nine requests for eight equal GPUs end after a few steps instead of hundreds of thousands.
#pragma once

#include <cstdint>
#include <vector>

#include "allocator/device_match.h"
#include "allocator/in_flight.h"

namespace kumiko::allocator {

class Equivalence {
 public:
  Equivalence(const NodeView& view, const Plan& plan) : view_(&view), plan_(&plan) {}

  // Whether swapping `a` and `b`, or the boards they stand on, changes no answer now. False when in doubt.
  bool Interchangeable(const InFlight& in_flight, DeviceMatches& matches, std::uint32_t a, std::uint32_t b);

 private:
  void Classify(DeviceMatches& matches);
  bool BoardsEqual(const InFlight& in_flight, std::uint32_t a, std::uint32_t b) const;

  const NodeView* view_;
  const Plan* plan_;
  bool classified_ = false;
  std::vector<std::uint32_t>
      class_of_device_;  // equal: same answers of all selectors, taints, constraint values, amounts
  std::vector<std::uint32_t> class_of_board_;  // equal: same counters and equal devices in equal order
  std::vector<std::uint32_t> place_on_board_;  // by device
};

}  // namespace kumiko::allocator
