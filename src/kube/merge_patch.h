// RFC 7386 merge patches on JSON trees.
#pragma once

#include "base/json.h"

namespace kumiko::kube {

// Members of `patch` replace those of `target`; maps are merged member by member, null removes, lists are replaced.
void MergePatch(Json& target, const Json& patch);

}  // namespace kumiko::kube
