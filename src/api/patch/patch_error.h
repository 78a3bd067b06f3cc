// Why a patch was refused, as the answer of an API server needs it. Shared by all kinds of patches.
//
// Texts are those of kube-apiserver 1.37, since people search the web for them.
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace kumiko::api {

struct PatchError {
  enum class Kind {
    kBadRequest,     // 400 BadRequest: this is no patch
    kUnprocessable,  // 422 Invalid: a patch that does not fit this object
    kTooLarge,       // 413 RequestEntityTooLarge
    kConflict,       // 409 Conflict: others own the fields; `causes` names each
    kInternal,       // 500: what kube-apiserver answers without a reason of its own
  };
  struct Cause {
    std::string field;    // ".spec.replicas"
    std::string message;  // `conflict with "kubectl-client-side-apply" using apps/v1`
    bool operator==(const Cause&) const = default;
  };

  Kind kind = Kind::kInternal;
  std::string message;
  std::vector<Cause> causes;  // of kConflict, in the order of the message; their reason is FieldManagerConflict
};

// What kube-apiserver says instead of the message of a kUnprocessable error, which it keeps to itself.
inline constexpr std::string_view kUnprocessableText = "the server rejected our request due to an error in our request";

template <class T>
using PatchResult = tl::expected<T, PatchError>;

template <class... Args>
tl::unexpected<PatchError> FailPatch(PatchError::Kind kind, fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<PatchError>(PatchError{kind, fmt::format(format, std::forward<Args>(args)...), {}});
}

}  // namespace kumiko::api
