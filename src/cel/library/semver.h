// Semantic versions in expressions: semver("1.2.3").major(). The type is cel/semver.h.
#pragma once

#include <span>

#include "cel/overload.h"

namespace kumiko::cel {

std::span<const Overload> SemverOverloads();
// semver and isSemver with a second argument that says whether to normalize.
std::span<const Overload> NormalizingSemverOverloads();

}  // namespace kumiko::cel
