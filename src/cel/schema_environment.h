// Environments for the objects of a schema, as validation rules of custom resources have them: the schema (OpenAPI v3
// as in a CustomResourceDefinition, or plain JSON schema) becomes types and sizes. Documents become values in
// schema_value.h. Source: k8s.io/apiserver/pkg/cel/common.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cel/environment.h"

namespace kumiko::cel {

// What becomes of parts that the schema does not describe (no type, x-kubernetes-preserve-unknown-fields): the API
// server hides them, so that a rule that names them does not compile; kDyn lets rules look at them.
enum class UndescribedParts { kHidden, kDyn };

struct SchemaOptions {
  // Variables, all of the type that the schema describes.
  std::vector<std::string> variables = {"self", "oldSelf"};
  // Variables that hold such a value or nothing.
  std::vector<std::string> optional_variables = {};
  // The schema describes a whole object: apiVersion, kind, metadata.name and metadata.generateName are there even when
  // the schema does not say so, and nothing else of metadata.
  bool resource_root = false;
  UndescribedParts undescribed = UndescribedParts::kHidden;
};

// Functions of all Kubernetes libraries and cel.bind (which the API server does not offer to rules), and the variables
// with their sizes: maxLength, maxItems and maxProperties, else what fits into a request of 3 MiB. Errors:
// kInvalidArgument, "spec.replicas.type: ...", for a schema that is none or hides all.
Result<std::shared_ptr<Environment>> EnvironmentForSchema(const Json& schema, const SchemaOptions& options = {});

// What a value of the schema takes at least, in JSON. Errors as above.
Result<std::int64_t> MinimumBytes(const Json& schema, const SchemaOptions& options = {});

// The identifier by which an expression names a field: "a.b-c/d" is a__dot__b__dash__c__slash__d, "namespace" is
// __namespace__. "" when no identifier stands for the name.
std::string EscapeFieldName(std::string_view name);

}  // namespace kumiko::cel
