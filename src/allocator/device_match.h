// Which devices of a node a request accepts regardless of what is taken: selectors and taints, each evaluated once per
// search.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allocator/inventory.h"
#include "allocator/request_plan.h"

namespace kumiko::allocator {

// Whether the selectors of a class and a request accept a device.
struct Match {
  Verdict::Kind kind = Verdict::Kind::kFalse;
  std::size_t selector = 0;  // the first that is not true
  std::string error;         // kError
};
Match MatchSelectors(const Inventory& inventory, const AlternativePlan& alternative, const DeviceContent& content);

// The first taint that keeps the request off the device, or null.
const api::DeviceTaint* UntoleratedTaint(const AlternativePlan& alternative, const ViewDevice& device);

// Answers for one node and one plan.
class DeviceMatches {
 public:
  DeviceMatches(const Inventory& inventory, const NodeView& view, const Plan& plan);

  // kError: Error() says what.
  Verdict::Kind Selected(const AlternativePlan& alternative, std::uint32_t device);
  std::string Error(const ClaimPlan& claim, const AlternativePlan& alternative, std::uint32_t device) const;
  bool Tolerated(const AlternativePlan& alternative, std::uint32_t device);

 private:
  enum class Known : std::uint8_t { kNo, kFalse, kTrue, kError };

  const Inventory* inventory_;
  const NodeView* view_;
  std::vector<Known> selected_;  // by alternative serial, then device
  std::vector<Known> tolerated_;
};

}  // namespace kumiko::allocator
