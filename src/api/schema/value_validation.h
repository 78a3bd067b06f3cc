// Values against the limits of a schema: types, ranges, lengths, patterns, formats, enums, required members, and
// alternatives. The order of checks, and what remains of the errors of alternatives, are those of kube-openapi's
// validator, which the API server uses. Only for the files of this folder.
#pragma once

#include <string>
#include <vector>

#include "api/codec.h"
#include "api/schema/structural_node.h"
#include "base/json.h"

namespace kumiko::api::internal {

struct ValueProblem {
  FieldError error;
  std::string text;           // the validator's own words, by which repetitions are recognised
  bool blocks_rules = false;  // rules are not run on objects with such a problem
};

// `old` is the value at the same place before an update, or null.
std::vector<ValueProblem> ValidateValue(const Json& value, const Json* old, const StructuralNode& node);

// The item of `old` that is the same as `item` to a list of this node, by its keys; null when none is, or when items of
// the list have no identity.
const Json* SameItem(const StructuralNode& list, const Json* old, const Json& item);

}  // namespace kumiko::api::internal
