// Node labels of GPU feature discovery (spec node-driver §8.3), as far as operators and selectors read them.
#pragma once

#include <vector>

#include "api/meta/object_meta.h"
#include "gpu/slices.h"

namespace kumiko::gpu {

// nvidia.com/gpu.present, .count, .product, .memory, .family, .compute.major, .compute.minor, nvidia.com/mig.capable,
// nvidia.com/mig.strategy (single: every board cut into one and the same profile; mixed: other cuts; none). Of several
// models the first board's is named, as the peer does. Empty without boards.
api::StringMap FeatureLabels(const std::vector<BoardInstance>& boards);

}  // namespace kumiko::gpu
