// The libraries that Kubernetes turns on for every expression, and where each is.
#pragma once

#include "cel/environment.h"

namespace kumiko::cel {

// The standard library and all Kubernetes libraries whose functions do not depend on the mode: all but `includes`.
void AddKubernetesLibraries(Environment& environment);
std::span<const Overload> IncludesOverloads();

}  // namespace kumiko::cel
