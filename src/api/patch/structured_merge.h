// The operations of server-side apply on values of one type: which fields there are, what merging, comparing and
// removing gives. All of them expect values that CheckStructure has found well formed.
// Source: structured-merge-diff v6 (typed).
#pragma once

#include <optional>

#include "api/patch/field_set.h"
#include "api/patch/structure.h"
#include "base/json.h"

namespace kumiko::api {

// Every leaf, and every item of lists and member of maps that others could own apart.
FieldSet FieldsOf(const Json& value, const Structure& structure);

// `object` with what `config` says; lists and maps that are not atomic keep what only one of the two has. Items are
// ordered like those of `config`, the others where they stood among them.
Json MergeStructured(const Json& object, const Json& config, const Structure& structure);

// No field is in more than one of the sets.
struct Comparison {
  FieldSet removed;   // only in the first value
  FieldSet modified;  // in both, but different
  FieldSet added;     // only in the second
};
Comparison CompareStructured(const Json& before, const Json& after, const Structure& structure);
// Numbers are equal by value, maps whatever their order.
bool ValuesEqual(const Json& left, const Json& right);

// `value` without the items and members in `fields`. Lists and maps that lose all they had become null.
Json RemoveFields(const Json& value, const FieldSet& fields, const Structure& structure);

// `fields` and, for each field below a named member, that member.
FieldSet WithNamedMembers(const FieldSet& fields, const Structure& structure);

// `fields` for a schema that has changed since they were written: what is below a list or map that is atomic now
// becomes the ownership of all of it.
FieldSet FieldsUnderSchema(FieldSet fields, const Structure& structure);

}  // namespace kumiko::api
