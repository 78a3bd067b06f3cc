// Objects that a controller makes for its owner: the owner reference, and pods from templates.
#pragma once

#include <string>

#include "api/meta/object_meta.h"
#include "base/json.h"
#include "base/result.h"

namespace kumiko::localcluster {

// The controller reference to `owner`, a stored object.
Json OwnerReferenceTo(const Json& owner);

// A pod from `owner`'s spec.template with `labels` added, to be named `<owner>-xxxxx`. Members of the template that we
// do not know are kept. Fails with kInvalidArgument when there is no template.
Result<Json> PodFromTemplate(const Json& owner, const api::StringMap& labels);

}  // namespace kumiko::localcluster
