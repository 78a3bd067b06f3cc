// What a request thinks of a device regardless of what is taken: selectors, taints, derived attributes, capacity. Each
// is worked out once per search, when first asked; errors are values, for the search to raise when it comes there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allocator/capacity.h"
#include "allocator/inventory.h"
#include "allocator/request_plan.h"

namespace kumiko::allocator {

// Whether the selectors of a class and a request accept a device.
struct Match {
  Verdict::Kind kind = Verdict::Kind::kFalse;
  std::size_t selector = 0;  // the first that is not true
  bool compiles = true;      // false: `error` says why it does not
  std::string error;         // kError
};
Match MatchSelectors(const Inventory& inventory, const AlternativePlan& alternative, const DeviceRef& device);

// The first taint that keeps the request off the device, or null.
const api::DeviceTaint* UntoleratedTaint(const AlternativePlan& alternative, const NodeView& view,
                                         std::uint32_t device);

// Answers for one node and one plan.
class DeviceMatches {
 public:
  DeviceMatches(const Inventory& inventory, const NodeView& view, const Plan& plan);

  // Whether each device suits each alternative, by serial, then device.
  void Adopt(std::span<const std::uint8_t> suits);
  // Binding conditions, selectors, node (§2.3, §2.6). kError: SelectorError() says what.
  Verdict::Kind Selected(const AlternativePlan& alternative, std::uint32_t device);
  std::string SelectorError(const ClaimPlan& claim, const AlternativePlan& alternative, std::uint32_t device) const;
  bool Tolerated(const AlternativePlan& alternative, std::uint32_t device);
  // The value that a constraint of the claim reads of the device for this request. Fails with kInvalidArgument when it
  // is derived and its expression fails.
  Result<AttributeId> ConstraintValue(const ClaimPlan& claim, const AlternativePlan& alternative,
                                      std::uint32_t constraint, std::uint32_t device);
  // What the request takes of the device's capacity. Fails as TakeOf.
  const Result<CapacityTake>& Take(const AlternativePlan& alternative, std::uint32_t device);

 private:
  static constexpr AttributeId kUnasked = kNoAttribute - 1;
  enum class Known : std::uint8_t { kNo, kFalse, kTrue, kError };

  std::size_t At(const AlternativePlan& alternative, std::uint32_t device) const {
    return alternative.serial * device_count_ + device;
  }

  const Inventory* inventory_;
  const NodeView* view_;
  std::size_t device_count_;
  bool adopted_ = false;
  std::vector<Known> selected_;                             // by alternative with these selectors, then device
  std::vector<Known> tolerated_;                            // empty until asked
  std::vector<std::optional<Result<CapacityTake>>> takes_;  // empty until asked
  std::vector<AttributeId> published_;                      // by constraint, then device; kUnasked
  FlatMap<std::uint64_t, Result<AttributeId>> derived_;     // by place of the derived attribute and device
};

}  // namespace kumiko::allocator
