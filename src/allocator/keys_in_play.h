// Which attributes of devices a decision reads.
#pragma once

#include "allocator/demand.h"
#include "allocator/node_classes.h"
#include "allocator/request_plan.h"

namespace kumiko::allocator {

// Of the plan's selectors, derived attributes and constraints; with a `demand`, also of what packing leaves room for.
KeysInPlay KeysOf(const Inventory& inventory, const Plan& plan, const Demand* demand);

}  // namespace kumiko::allocator
