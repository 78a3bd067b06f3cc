// The kinds that kumiko serves and reads: names, scope, defaults, validation and conversion to the stored version.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec.h"
#include "base/json.h"
#include "base/result.h"

namespace kumiko::api {

struct KindInfo {
  std::string_view group;    // "" for the core group
  std::string_view version;  // the stored version
  std::string_view kind;
  std::string_view plural;
  bool namespaced = false;
  bool has_status = false;  // status is a subresource

  std::string ApiVersion() const;
};

// All kinds, ordered by (group, kind).
std::span<const KindInfo> AllKinds();

// By kind alone, or null. Kinds are unique across the groups we serve.
const KindInfo* FindKind(std::string_view kind);

// Turns a manifest of any served version into the stored version: apiVersion rewritten, v1beta1 requests and devices
// moved to their v1 place. Fails with kInvalidArgument on an apiVersion or kind that is not served, naming the nearest.
Result<Json> ToStored(Json object);

// Writes the defaults of the API server into an object of the stored version.
void SetDefaults(Json& object);

// What the API server would refuse on create, in its path form, each message saying what to write instead. The object
// is of the stored version, defaulted. CEL selectors are compiled.
std::vector<FieldError> Validate(const Json& object);

}  // namespace kumiko::api
