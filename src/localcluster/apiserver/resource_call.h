// One request for a resource, understood: which kind, which objects, in which version and form.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/kinds.h"
#include "api/schema/field_validation.h"
#include "base/json.h"
#include "kube/api_client.h"
#include "kube/api_error.h"
#include "localcluster/apiserver/request_info.h"
#include "localcluster/apiserver/response_form.h"
#include "localcluster/http/http_message.h"
#include "localcluster/served_kinds.h"
#include "localcluster/store.h"

namespace kumiko::localcluster {

struct ResourceCall {
  const HttpRequest& http;
  const RequestInfo& info;
  const ServedKind& served;
  const api::KindInfo& kind;           // of `served`
  api::GroupVersion version;           // of the path
  kube::ObjectKey key;                 // without a name: all of the kind, in the namespace if there is one
  std::vector<std::string>& warnings;  // go out with the answer

  // Of a custom resource; null for kinds that are built in.
  const CustomVersion* custom() const {
    return served.custom == nullptr ? nullptr : served.custom->FindServed(version.version);
  }
  std::span<const std::string> selectable_fields() const {
    return custom() == nullptr ? std::span<const std::string>() : custom()->selectable_fields;
  }
  bool dry_run() const { return info.query.Get("dryRun") == "All"; }
  // How to answer. Errors: kNotAcceptable.
  kube::ApiResult<ObjectWriting> Writing(Time now) const;
  // The stored object as the path's version has it, and back. Errors of the way back: kBadRequest.
  Json InVersion(const Json& stored) const;
  // The same; nothing when that is the stored form.
  std::optional<Json> InOtherVersion(const Json& stored) const;
  kube::ApiResult<Json> ToStored(Json object) const;
};

// The body as a tree, from JSON or YAML. Errors: kUnsupportedMediaType, kBadRequest with the place of the mistake.
kube::ApiResult<Json> ReadBody(const HttpRequest& request);
kube::ApiResult<JsonWithDuplicates> ReadBodyWithDuplicates(const HttpRequest& request);

// The same, checked to be an object of the call's kind, version, namespace and (on update) name, and decoded.
kube::ApiResult<Json> ReadObject(const ResourceCall& call);
// The same with all members that were sent.
kube::ApiResult<JsonWithDuplicates> ReadUndecoded(const ResourceCall& call);

// An object of the call's kind and version without members that its schema does not know. They become warnings, or
// errors, as the parameter fieldValidation says (KEP-2885). Errors: kBadRequest, for members of a wrong type too.
kube::ApiResult<Json> Decode(const ResourceCall& call, Json object, std::span<const DuplicateMember> duplicates = {});

// The same, saying in few words what is wrong; strict errors go before those of the object itself.
struct DecodingOptions {
  std::span<const DuplicateMember> duplicates = {};
  std::vector<std::string> strict_errors = {};
  api::ReadFrom from = api::ReadFrom::kText;
};
Result<Json> DecodeObject(const ResourceCall& call, Json object, DecodingOptions options);

}  // namespace kumiko::localcluster
