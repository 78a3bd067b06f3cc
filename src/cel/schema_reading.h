// What a JSON schema says, as Kubernetes reads it: shared by types (schema_environment.cc) and values
// (schema_value.cc).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "cel/schema_environment.h"

namespace kumiko::cel {

inline constexpr std::string_view kIntOrStringMark = "x-kubernetes-int-or-string";
inline constexpr std::string_view kEmbeddedResource = "x-kubernetes-embedded-resource";

enum class SchemaKind {
  kUndescribed,
  kIntOrString,
  kObject,
  kMap,
  kList,
  kString,
  kBytes,
  kDuration,
  kDate,
  kDateTime,
  kBool,
  kInt,
  kDouble
};

SchemaKind KindOf(const Json& schema, UndescribedParts undescribed);
// The word of `type`; JSON schema also writes ["string", "null"].
std::string_view TypeWord(const Json& schema);
bool IsKnownType(std::string_view word);
bool IsNullable(const Json& schema);
// Whether the member is there and true.
bool IsTrue(const Json& schema, std::string_view member);
// The schema of a list's items or a map's values; null when there is none.
const Json* ElementSchema(const Json& schema);
// The fields of an object with their schemas, by name. `resource`: those that every object of the API has, too.
std::map<std::string_view, const Json*> FieldsOf(const Json& schema, bool resource);
// The text of a JSON string; "" of anything else.
std::string_view TextOf(const Json& json);

}  // namespace kumiko::cel
