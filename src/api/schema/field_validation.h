// Reading an object as the API server reads one of a built-in kind: into structs that hold only the members that they
// know. What is left out, and what is wrong, is told in the server's words.
// Source: k8s.io/apimachinery's JSON serializer and sigs.k8s.io/json; KEP-2885 (field validation).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"
#include "base/json.h"
#include "base/result.h"

namespace kumiko::api {

struct DecodedObject {
  // Without members that the schema does not know, and without null members; times and quantities in their canonical
  // text. Which zero members are written is another matter: api/forms.h.
  Json object;
  // `unknown field "spec.foo"`, `duplicate field "spec.containers[0].image"`: in the order of the text, each once, at
  // most 100. With fieldValidation=Strict they refuse the request, with Warn each becomes a warning.
  std::vector<std::string> strict_errors;
};

// What an object is read from, which the words for what is wrong tell: the text of a request, or the tree that a
// strategic merge patch left behind (apimachinery's FromUnstructured), whose strict errors come in their own order.
enum class ReadFrom { kText, kTree };

// `duplicates` as ParseJsonWithDuplicates tells them; only the last of them is looked into. Fails with kInvalidArgument
// when a value is of the wrong type: `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas
// of type int32`. The API server puts `Deployment in version "v1" cannot be handled as a Deployment: ` before it and
// answers 400.
Result<DecodedObject> DecodeBySchema(Json object, const Schema& schema,
                                     std::span<const DuplicateMember> duplicates = {}, ReadFrom from = ReadFrom::kText);

// The strict errors of an object without a schema, as custom resources and patches are read: only duplicates.
std::vector<std::string> StrictErrorsOf(std::span<const DuplicateMember> duplicates);

// An error of a part, as one of the whole: the path of the part goes before that of the error.
std::string StrictErrorBelow(std::string_view path, std::string_view strict_error);

// `strict decoding error: unknown field "spec.foo", unknown field "spec.bar"`: what refuses a Strict request.
std::string DescribeStrictErrors(std::span<const std::string> strict_errors);

}  // namespace kumiko::api
