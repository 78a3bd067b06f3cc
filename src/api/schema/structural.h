// The schema of one version of a CustomResourceDefinition, and what the API server does with it to objects: unknown
// fields are cut off, defaults written, values and rules checked. Source: k8s.io/apiextensions-apiserver.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "api/codec.h"
#include "api/schema/field_validation.h"
#include "api/schema/schema.h"
#include "api/schema/schema_set.h"
#include "base/json.h"
#include "base/result.h"

namespace kumiko::api {

namespace internal {
struct StructuralNode;
}

// Immutable; may be shared by threads.
class CustomSchema {
 public:
  // `open_api_schema` is spec.versions[].schema.openAPIV3Schema of a definition in which CheckDefinitionSchema found
  // nothing; of another one, what it says wrongly has no effect. Rules are compiled here, about 1 ms each.
  static std::shared_ptr<const CustomSchema> Create(Json open_api_schema);
  ~CustomSchema();
  CustomSchema(const CustomSchema&) = delete;
  CustomSchema& operator=(const CustomSchema&) = delete;

  // For server-side apply; the members of metadata are those of ObjectMeta.
  const Schema& type() const { return *type_; }
  const internal::StructuralNode& node() const { return *node_; }

  // What happens to an object before anything else looks at it: defaults are written, nulls that may not be null and
  // unknown fields left out, metadata read as ObjectMeta. The strict errors are those of the unknown fields.
  // Fails with kInvalidArgument when metadata does not have the types of ObjectMeta.
  Result<DecodedObject> Decode(Json object, std::span<const DuplicateMember> duplicates = {}) const;

  // The errors that refuse a decoded object: types and limits, embedded resources, lists that are sets or maps, then
  // the rules. `old` is the object that an update replaces; parts that it leaves alone may stay as wrong as they were.
  std::vector<FieldError> Validate(const Json& object, const Json* old = nullptr) const;
  // Those that refuse an update of the status alone: the rest of the object is what it was.
  std::vector<FieldError> ValidateStatus(const Json& object, const Json& old) const;

 private:
  CustomSchema() = default;
  // Lists and rules, after `errors` were found in the values.
  std::vector<FieldError> CheckWhole(const Json& object, const Json* old, std::vector<FieldError> errors,
                                     bool blocked) const;

  Json json_;
  std::deque<internal::StructuralNode> nodes_;
  const internal::StructuralNode* node_ = nullptr;
  SchemaSet schemas_;
  const Schema* type_ = nullptr;
};

}  // namespace kumiko::api
