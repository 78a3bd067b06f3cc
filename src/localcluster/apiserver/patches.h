// The patches of a request: JSON, merge and strategic merge patches, read, applied, and what they leave behind read as
// an object of the kind. Server-side apply is another thing: ResourceApi::Apply.
// Source: k8s.io/apiserver, endpoints/handlers/patch.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/patch/patch_error.h"
#include "localcluster/apiserver/resource_call.h"

namespace kumiko::localcluster {

struct PatchBody {
  std::string_view media_type;
  Json patch;
  std::vector<std::string> strict_errors;  // of the patch itself: `duplicate field "spec.replicas"`
};

// "application/merge-patch+json", without parameters.
std::string_view PatchTypeOf(const HttpRequest& request);

// `call` must outlive the result. Errors: kUnsupportedMediaType, kBadRequest.
kube::ApiResult<PatchBody> ReadPatch(const ResourceCall& call);

// `current`, in the path's version, after the patch; not decoded. Errors: kBadRequest, kInvalid, kUnknown.
kube::ApiResult<Json> ApplyPatch(const ResourceCall& call, const Json& current, const PatchBody& body);

// The same, decoded and checked to be the object that it was. A value of a wrong type is an error of the patch.
kube::ApiResult<Json> PatchObject(const ResourceCall& call, const Json& current, const PatchBody& body);

// How the API server words what api/patch refuses.
kube::ApiError ErrorOf(const ResourceCall& call, const api::PatchError& error);

}  // namespace kumiko::localcluster
