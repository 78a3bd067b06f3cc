// Consumable capacity: how much of a device one request takes, and whether that is left (spec dra-allocator §2.10).
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "allocator/features.h"
#include "allocator/slice_shape.h"
#include "api/resource/types.h"
#include "base/result.h"

namespace kumiko::allocator {

using CapacityAmounts = std::map<std::string, Quantity>;

// What a request takes of a device.
struct CapacityTake {
  bool possible = false;          // false: the device has no such capacity, or its policy forbids the amount
  std::vector<Quantity> amounts;  // of every capacity of the device, in its order, rounded as each policy says
};

// Fails with kInvalidArgument for an amount that is negative or beyond the range of the policy's arithmetic.
Result<CapacityTake> TakeOf(std::span<const SliceShape::Capacity> capacities, const api::CapacityRequirements* request,
                            const Features& features);

// Whether `take` on top of everything in `used` stays within the capacities; entries of `used` may be null.
bool FitsCapacity(std::span<const SliceShape::Capacity> capacities, const std::vector<Quantity>& take,
                  std::span<const CapacityAmounts* const> used);

CapacityAmounts ByName(std::span<const SliceShape::Capacity> capacities, const std::vector<Quantity>& amounts);

}  // namespace kumiko::allocator
