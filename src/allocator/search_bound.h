// Counting before searching: requests that want more devices than can ever match need no search.
#pragma once

#include "allocator/device_match.h"
#include "allocator/in_flight.h"
#include "allocator/request_plan.h"

namespace kumiko::allocator {

// True only when no solution exists and no selector fails on any device that was looked at. Requests with alternatives,
// mode All or admin access are left out of the count, and so is a request that accepts a device for several users.
bool ProvablyTooFew(const InFlight& in_flight, const Plan& plan, DeviceMatches& matches);

}  // namespace kumiko::allocator
