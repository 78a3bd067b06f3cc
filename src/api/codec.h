// Decoding JSON into typed objects and back, from one description of each struct's fields (api/fields.h).
//
// Reading ignores fields it does not know; null and absent mean zero; quantities may be strings or numbers. A member of
// the wrong type is an error that names its path. DecodeStrict also reports members that Kubernetes does not define.
// Explicitly instantiated for every kind of api/ in its group's codec.cc.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kumiko::api {

// One thing wrong with one field, in Kubernetes' path form: spec.devices.requests[0].exactly.count
struct FieldError {
  std::string path;
  std::string message;
  bool operator==(const FieldError&) const = default;
};
// "path: message", joined by "; ".
std::string Describe(const std::vector<FieldError>& errors);

// Fails with kInvalidArgument, naming every field of the wrong type.
template <class T>
Result<T> Decode(const Json& object);

// What DecodeStrict found wrong: wrong types and unknown fields. Empty: nothing.
template <class T>
std::vector<FieldError> CheckFields(const Json& object);

// With apiVersion and kind for whole objects; zero members left out as Kubernetes' omitempty does.
template <class T>
Json Encode(const T& value);

}  // namespace kumiko::api
