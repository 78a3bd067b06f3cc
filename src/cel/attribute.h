// Attributes: what the reference calls a variable or another value with the fields, keys and indexes that follow it. It
// evaluates and charges the whole as one.
#pragma once

#include <string_view>
#include <vector>

#include "cel/checker.h"

namespace kumiko::cel {

// One step of an attribute: .name, [key], and their optional forms.
struct Step {
  std::string_view name;
  ExprId key = kNoExpr;
  bool optional = false;
  bool test = false;  // the step that has() asks about
};

struct Attribute {
  ExprId base = kNoExpr;
  std::vector<Step> steps;  // from the base outwards
  bool optional = false;    // its value is an optional
  bool test() const { return !steps.empty() && steps.back().test; }
};

// Whether the node is a step on from another one: a field that is no qualified name, or an index.
bool IsStep(const CheckedAst& checked, ExprId id);
// All steps that end in the node.
Attribute AttributeOf(const CheckedAst& checked, ExprId id);

}  // namespace kumiko::cel
