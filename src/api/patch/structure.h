// How server-side apply sees a value of a schema: as a scalar, a list or a map, of which an untyped value may be any.
// Source: schemaconv of k8s.io/kube-openapi, which turns OpenAPI into the schemas of structured-merge-diff.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/patch/field_set.h"
#include "api/schema/schema.h"
#include "base/json.h"

namespace kumiko::api {

// The type of a value as a walk meets it.
struct Structure {
  enum class Kind {
    kNone,     // no such member
    kSchema,   // as `schema` says
    kUntyped,  // anything, as a whole
    kDeduced,  // anything: maps member by member, lists as a whole
  };
  Kind kind = Kind::kNone;
  const Schema* schema = nullptr;  // of kSchema
  bool keeps_unknown = false;      // a schema around this one keeps members that it does not name
};

Structure StructureOf(const Schema& schema, bool keeps_unknown = false);

// What a value may be. Of several, what the value at hand is counts (Fitting); the order map, scalar, list decides for
// null.
struct Forms {
  enum class Scalar { kNone, kNumber, kString, kBoolean, kAny };

  Scalar scalar = Scalar::kNone;

  bool list = false;
  ListType list_type = ListType::kAtomic;
  const std::vector<std::string>* keys = nullptr;  // of ListType::kMap
  Structure item;

  bool map = false;
  bool atomic_map = false;
  const Schema* members = nullptr;  // that names the members, or null
  Structure values;                 // of members that are not named

  Structure Member(std::string_view name) const;
  bool Names(std::string_view name) const { return members != nullptr && members->Find(name) != nullptr; }
  bool SameForms(const Forms& other) const { return scalar == other.scalar && list == other.list && map == other.map; }
};

Forms FormsOf(const Structure& structure);
// Only the form that `value` has, or all of them when it is absent, null, or has none of them.
Forms Fitting(Forms forms, const Json* value);

// The element that identifies an item of a set or of a list with keys; missing keys take the default of the schema.
// Errors: kInvalidArgument in the words of structured-merge-diff.
Result<PathElement> ItemElement(const Forms& list, const Json& item);

// What in `value` does not fit: kInvalidArgument, with the paths. Items that are there twice are refused or not.
enum class Duplicates { kRefused, kAllowed };
Status CheckStructure(const Json& value, const Structure& structure, Duplicates duplicates);

}  // namespace kumiko::api
