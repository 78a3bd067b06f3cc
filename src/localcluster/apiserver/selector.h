// Label and field selectors of list, watch and deletecollection.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "kube/api_error.h"

namespace kumiko::localcluster {

// `app=web,tier in (front,back),!canary,size>3` (apimachinery, labels.Parse).
class LabelSelector {
 public:
  // Errors: kBadRequest, worded as apimachinery does.
  static kube::ApiResult<LabelSelector> Parse(std::string_view text);
  bool Matches(const Json& object) const;
  bool empty() const { return requirements_.empty(); }

 private:
  enum class Operator { kExists, kDoesNotExist, kIn, kNotIn, kGreater, kLess };
  struct Requirement {
    std::string key;
    Operator op = Operator::kExists;
    std::vector<std::string> values;
  };
  friend class LabelSelectorParser;

  std::vector<Requirement> requirements_;
};

// `metadata.name=x,status.phase!=Running`: equality only, and only fields that the kind offers.
class FieldSelector {
 public:
  // `group` is the one in which the kind is asked for, `of_definition` what the definition of a custom resource names.
  // Errors: kBadRequest when the kind has no such selectable field.
  static kube::ApiResult<FieldSelector> Parse(std::string_view text, std::string_view kind, std::string_view group,
                                              std::span<const std::string> of_definition = {});
  bool Matches(const Json& object) const;
  bool empty() const { return requirements_.empty(); }
  // The name that `metadata.name=` asks for, or "".
  std::string_view Name() const;

 private:
  struct Requirement {
    std::string path;
    std::string value;
    bool equal = true;
  };
  std::vector<Requirement> requirements_;
};

}  // namespace kumiko::localcluster
