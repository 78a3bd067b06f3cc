// Kubernetes quantities in expressions: quantity("80Gi").isGreaterThan(...). The arithmetic is base/quantity.h.
#pragma once

#include <span>

#include "cel/overload.h"

namespace kumiko::cel {

std::span<const Overload> QuantityOverloads();

}  // namespace kumiko::cel
