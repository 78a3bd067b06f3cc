// Whether the rules of a definition can be taken: they compile, say what they must, and cost little enough at worst.
// Only for the files of this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/codec.h"
#include "api/schema/structural_node.h"
#include "base/json.h"

namespace kumiko::api::internal {

struct RuleChecks {
  struct Cost {
    std::string path;
    std::uint64_t cost = 0;
  };
  std::vector<FieldError> errors;
  std::uint64_t total = 0;
  std::vector<Cost> expensive;  // each above a hundredth of what a definition may cost
};

struct RulePlace {
  std::string path;                      // of the part of the schema that has the rules
  std::string no_old;                    // the path below which oldSelf may not be used, or empty
  std::optional<std::uint64_t> repeats;  // how often the part may be in an object
};

// The product, or the largest number when it is more.
std::uint64_t MultiplyCosts(std::uint64_t a, std::uint64_t b);

// What can be told of one rule without compiling it. `path` is the rule's.
void CheckRuleText(const Json& rule, const StructuralNode* node, const std::string& path,
                   std::vector<FieldError>& errors);

// The compiled rules of one part.
void CheckRules(const Json& schema, const StructuralNode& node, const RulePlace& place, RuleChecks& checks);

// Of all rules of a schema, whose path is `path`.
void CheckTotalCost(const RuleChecks& checks, const std::string& path, std::vector<FieldError>& errors);

}  // namespace kumiko::api::internal
