// The libraries that Kubernetes turns on for every expression, and where each is.
#pragma once

#include "cel/environment.h"

namespace kumiko::cel {

// The standard library and all Kubernetes libraries whose functions do not depend on the mode: all but `includes`. The
// mode decides the order of overloads that lists and strings have in common, and with it what a type that is still open
// becomes: a list for new expressions, a string for stored ones.
void AddKubernetesLibraries(Environment& environment, Mode mode = Mode::kStored);
std::span<const Overload> IncludesOverloads();

}  // namespace kumiko::cel
