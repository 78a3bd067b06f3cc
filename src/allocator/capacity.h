// Consumable capacity: how much of a device one request takes, and whether that is left (spec dra-allocator §2.10).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "api/resource/types.h"
#include "base/result.h"

namespace kumiko::allocator {

using CapacityAmounts = std::map<std::string, Quantity>;

// What a request consumes of every capacity of `device`, rounded as each policy says; nullopt when the device has no
// such capacity or its policy forbids the amount. Fails with kInvalidArgument for a negative amount.
Result<std::optional<CapacityAmounts>> ConsumedBy(const api::Device& device, const api::CapacityRequirements* request);

// Whether `amounts` on top of `used` stay within the capacity of `device`. `used` may be null.
bool FitsCapacity(const api::Device& device, const CapacityAmounts& amounts, const CapacityAmounts* used);

}  // namespace kumiko::allocator
