// Values against the limits of a schema: types, ranges, lengths, patterns, formats, enums, required members, and
// alternatives. The order of checks, and what remains of the errors of alternatives, are those of kube-openapi's
// validator, which the API server uses. Only for the files of this folder.
#pragma once

#include <map>
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

// The items that a list had before an update, by their keys.
class OldItems {
 public:
  // `old` is the list, or null. Without keys (x-kubernetes-list-type is not map) items have no identity.
  OldItems(const StructuralNode& list, const Json* old);

  // The one with the keys of `item`, or null.
  const Json* Find(const Json& item) const;

 private:
  std::string KeyOf(const Json& item) const;

  const StructuralNode& list_;
  std::map<std::string, const Json*> items_;
};

}  // namespace kumiko::api::internal
