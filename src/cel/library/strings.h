// Text functions of the language and of Kubernetes' strings library, version 2. Positions count code points.
#pragma once

#include <span>

#include "cel/overload.h"

namespace kumiko::cel {

std::span<const Overload> StringsOverloads(Dialect dialect = Dialect::kKubernetes);

}  // namespace kumiko::cel
