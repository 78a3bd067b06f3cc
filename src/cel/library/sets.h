// Lists taken as sets: sets.contains, sets.equivalent, sets.intersects.
#pragma once

#include <span>

#include "cel/overload.h"

namespace kumiko::cel {

std::span<const Overload> SetsOverloads();

}  // namespace kumiko::cel
