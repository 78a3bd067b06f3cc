// RFC 6902 JSON patches with the answers of kube-apiserver, whose library (evanphx/json-patch v4) differs from the RFC:
// `replace` and `copy` of a member that is missing set it, to null in the case of `copy`; indices below zero count from
// the end; what stands before the first slash of a path is ignored.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "api/patch/patch_error.h"
#include "base/json.h"

namespace kumiko::api {

inline constexpr std::size_t kMaxJsonPatchOperations = 10'000;
// Bytes that all `copy` operations of a patch may add.
inline constexpr std::size_t kMaxJsonPatchCopyBytes = std::size_t{3} << 20;

// Whether `patch` is a list of operations whose members have the right types; kBadRequest otherwise. Returns what is to
// be warned of, or refused under strict field validation: `json patch unknown field "[0].frm"`.
PatchResult<std::vector<std::string>> CheckJsonPatch(const Json& patch);

// `document` is a map or a list. Errors: kBadRequest when `patch` is no list of maps, kTooLarge beyond
// kMaxJsonPatchOperations, kUnprocessable when an operation cannot be done here or a `test` fails.
PatchResult<Json> ApplyJsonPatch(Json document, const Json& patch);

}  // namespace kumiko::api
