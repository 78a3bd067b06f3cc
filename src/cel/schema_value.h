// JSON documents as values that expressions can read, with or without a schema.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "cel/schema_environment.h"
#include "cel/value.h"

namespace kumiko::cel {

// The document as values by the schema: objects and maps with sorted keys, names of fields escaped. Fields that are
// null or that the schema does not describe are left out. Everything lives in `arena`. Errors: kInvalidArgument,
// "spec.replicas: expected an integer, got string".
Result<Value> ToValue(const Json& json, const Json& schema, Arena& arena, const SchemaOptions& options = {});
// The document without a schema: integers are int, other numbers double.
Value ToValue(const Json& json, Arena& arena);

}  // namespace kumiko::cel
