// Where a claim could go: every published device, or every board, in one row.
#pragma once

#include <span>
#include <string>

#include "allocator/explain.h"
#include "report/explanation.h"

namespace kumiko::cli {

// The rows of an explanation over `nodes`. Boards are counted instead of devices when parts of them are what is in use,
// each under the reason of its part that comes nearest; that needs the names of the devices.
report::Place PlaceDevices(const allocator::Explanation& explanation, std::span<const std::string> nodes);

}  // namespace kumiko::cli
