// What the API server writes into objects of its own accord because of their schema. The defaults of built-in kinds
// that depend on more stand in api/defaults.h's SetDefaults.
#pragma once

#include "api/schema/schema.h"
#include "base/json.h"

namespace kumiko::api {

// For custom resources: members that are absent get the default of their schema, nulls that may not be null too, from
// the outside in.
void ApplySchemaDefaults(const Schema& schema, Json& object);

}  // namespace kumiko::api
