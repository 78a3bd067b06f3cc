// matchAttribute and distinctAttribute while devices of a claim are picked one after another (spec dra-allocator §2.7).
// Monotonic: once a device is refused, picking more never makes it acceptable.
#pragma once

#include <string>
#include <vector>

#include "allocator/node_view.h"
#include "allocator/request_plan.h"

namespace kumiko::allocator {

// The value of an attribute by its name as constraints write it, or null when the device lacks it.
const cel::AttributeValue* FindAttribute(const DeviceContent& content, const std::string& name);

// One constraint of one claim with the devices picked so far.
class ConstraintState {
 public:
  explicit ConstraintState(const ConstraintPlan& plan) : plan_(&plan) {}

  bool Allows(const DeviceContent& content) const;
  // The device must be allowed; it must live until popped.
  void Push(const DeviceContent& content);
  void Pop() { values_.pop_back(); }

 private:
  const ConstraintPlan* plan_;
  std::vector<const cel::AttributeValue*> values_;
};

}  // namespace kumiko::allocator
