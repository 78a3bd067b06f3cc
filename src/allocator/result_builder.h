// Turns the picks of a search into allocation results as the API has them (spec dra-allocator §2.11).
#pragma once

#include <string>
#include <vector>

#include "allocator/in_flight.h"
#include "allocator/request_plan.h"
#include "api/resource/types.h"
#include "base/result.h"

namespace kumiko::allocator {

// One result per claim. Fails with kInvalidArgument when a device's node selector has several terms.
Result<std::vector<api::AllocationResult>> BuildResults(const Inventory& inventory, const NodeView& view,
                                                        const Plan& plan, const std::vector<Pick>& picks);

}  // namespace kumiko::allocator
