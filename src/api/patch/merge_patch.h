// RFC 7386 merge patches on JSON trees.
#pragma once

#include "base/json.h"

namespace kumiko::api {

// Members of `patch` replace those of `target`; maps are merged member by member, null removes, lists are replaced.
// As kube-apiserver does it, and beyond the RFC, the maps inside of a new list lose their nulls too, unless the list
// replaces a map.
void MergePatch(Json& target, const Json& patch);

}  // namespace kumiko::api
