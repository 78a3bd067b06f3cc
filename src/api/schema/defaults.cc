#include "api/schema/defaults.h"

namespace kumiko::api {
namespace {

// Calls `apply` for the items of a list and the values of a map.
template <class Apply>
void ForItems(const Schema& schema, Json& value, Apply apply) {
  if (schema.items == nullptr) return;
  if (JsonArray* list = value.if_array()) {
    for (Json& item : *list) apply(*schema.items, item);
  } else if (JsonObject* map = value.if_object()) {
    for (auto& entry : *map) {
      if (schema.Find(entry.key()) == nullptr) apply(*schema.items, entry.value());
    }
  }
}

}  // namespace

void ApplySchemaDefaults(const Schema& schema, Json& object) {
  if (JsonObject* members = object.if_object()) {
    for (const Schema::Member& member : schema.members) {
      const Schema& of = *member.schema;
      Json* value = members->if_contains(member.name);
      const bool missing = value == nullptr || (value->is_null() && !of.nullable);
      if (missing && of.default_value) {
        value = &((*members)[member.name] = *of.default_value);
      } else if (value == nullptr) {
        continue;
      }
      ApplySchemaDefaults(of, *value);
    }
  }
  ForItems(schema, object, ApplySchemaDefaults);
}

}  // namespace kumiko::api
