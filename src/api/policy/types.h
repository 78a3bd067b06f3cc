// policy/v1 as far as the local cluster's controllers need it.
#pragma once

#include "api/core/types.h"

namespace kumiko::api {

struct PodDisruptionBudgetSpec {
  Json min_available;  // a number, or text such as "50%"; null: not given
  std::optional<LabelSelector> selector;
  Json max_unavailable;
};

struct PodDisruptionBudget {
  static constexpr const char* kApiVersion = "policy/v1";
  static constexpr const char* kKind = "PodDisruptionBudget";
  ObjectMeta metadata;
  PodDisruptionBudgetSpec spec;
};

}  // namespace kumiko::api
