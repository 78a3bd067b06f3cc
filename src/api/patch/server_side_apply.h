// Server-side apply and the field ownership that every other write leaves behind: what kube-apiserver's field manager
// does with an object between a request and the store. Pure functions; defaults, validation and storage are the
// caller's, before (UpdateManagedFields) and after (Apply).
// Source: KEP-555; managedfields of k8s.io/apimachinery; structured-merge-diff v6.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/patch/managed_fields.h"
#include "api/patch/patch_error.h"
#include "api/schema/schema.h"
#include "base/json.h"
#include "base/time.h"

namespace kumiko::api {

// The kind of the objects, and how to see them in another of its versions.
struct FieldManagement {
  struct Versioned {
    Json object;
    const Schema* schema;
  };
  // Nothing for versions that are not served; the managers that own fields in one lose them, as upstream.
  using Converter = std::function<std::optional<Versioned>(const Json& object, std::string_view api_version)>;

  const Schema* schema = nullptr;  // of `api_version`
  std::string api_version;         // of the request: "apps/v1"
  std::string kind;
  std::string subresource;  // "" for the object itself
  // Fields that requests to this resource cannot set, so that nobody comes to own them: `status` of the object itself,
  // `spec` of its status.
  FieldSet reset_fields;
  // A custom resource is stored as it is written; an object of a built-in kind has members even when nothing is set
  // (api/forms.h), which whoever creates it does not come to own.
  bool custom = false;
  Converter convert;  // may be empty when there is one version
};

// `manager` of a request without one: the user agent up to the first slash, without what cannot be printed, at most 128
// bytes.
std::string ManagerFromUserAgent(std::string_view user_agent);

// After a create (`before` null), update or patch: `after` with metadata.managedFields brought up to date. `before` is
// the stored object, `after` what the request asks for, both with defaults. kube-apiserver does this before admission
// and before it generates anything, so that nobody owns a cluster IP, a finalizer or a label that it adds itself. Never
// fails: like upstream it keeps the entries of `before` when an object does not fit its schema.
Json UpdateManagedFields(const Json* before, Json after, std::string_view manager, const FieldManagement& kind,
                         Time now);

struct ApplyOptions {
  std::string manager;
  bool force = false;  // take fields from others instead of failing
  Time now;
};

// `before` (null when it is to be created) with `config` applied and metadata.managedFields brought up to date. Lists
// and maps that lose all items are null in the result. Where nothing but ownership changes, the result differs from
// `before` by that alone. Errors: kConflict with a cause for each field; kBadRequest for a config of another kind or
// with managedFields; kInternal (500) for one that does not fit the schema.
PatchResult<Json> Apply(const Json* before, const Json& config, const ApplyOptions& options,
                        const FieldManagement& kind);

// Whether two versions of an object differ in nothing but the times of managedFields. The API server then stores
// nothing.
bool EqualButForTimes(const Json& before, const Json& after);

}  // namespace kumiko::api
