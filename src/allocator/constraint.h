// matchAttribute and distinctAttribute while devices of a claim are picked one after another (spec dra-allocator §2.7).
// Monotonic: once a device is refused, picking more never makes it acceptable.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "allocator/attribute_table.h"
#include "allocator/features.h"
#include "allocator/request_plan.h"
#include "allocator/slice_shape.h"

namespace kumiko::allocator {

// The published value that a constraint reads; kNoAttribute when the device lacks it.
AttributeId PublishedAttribute(const DeviceRef& device, const ConstraintPlan& constraint);

// With list attributes every value is a set, a scalar one of one element. The elements that both have, or nullopt when
// there are none or the types differ.
std::optional<AttributeId> CommonElements(AttributeTable& attributes, AttributeId a, AttributeId b);

// One constraint of one claim with the devices picked so far.
class ConstraintState {
 public:
  ConstraintState(const ConstraintPlan& plan, AttributeTable& attributes, const Features& features)
      : plan_(&plan), attributes_(&attributes), lists_(features.list_type_attributes) {}

  bool Allows(AttributeId value) const;
  // The value must be allowed.
  void Push(AttributeId value);
  void Pop();

  const ConstraintPlan& plan() const { return *plan_; }
  // match: one entry per device, the last is what all have in common. distinct: every device's value.
  std::span<const AttributeId> values() const { return values_; }

 private:
  const ConstraintPlan* plan_;
  AttributeTable* attributes_;
  bool lists_;
  std::vector<AttributeId> values_;
};

}  // namespace kumiko::allocator
