// Strategic merge patches: merge patches that know from the schema which lists merge, and by which member of their
// items, with directives for the rest: $patch, $retainKeys, $setElementOrder/LIST, $deleteFromPrimitiveList/LIST.
// Source: strategicpatch of k8s.io/apimachinery and its design document on order (preserve-order).
#pragma once

#include "api/patch/patch_error.h"
#include "api/schema/schema.h"
#include "base/json.h"

namespace kumiko::api {

// `object` and `patch` are maps, `schema` is the object's. Only for built-in kinds: kube-apiserver answers 415 for
// custom resources. Nulls of the patch that stand in lists without a merge key or under `$patch: replace` stay in the
// result. Errors: kBadRequest for malformed directives, kUnprocessable for lists of lists, kInternal for what
// kube-apiserver answers with 500: items without merge key, directives of the wrong type.
PatchResult<Json> StrategicMerge(Json object, Json patch, const Schema& schema);

}  // namespace kumiko::api
