// The estimate of one call, by the cost rule of its overload.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "cel/cost_estimate.h"
#include "cel/overload.h"
#include "cel/type.h"

namespace kumiko::cel {

// What is known of an argument; the receiver of a member call is the first.
struct ArgumentEstimate {
  TypeRef type = nullptr;
  std::optional<CostRange> size;
  // Of values whose type has a parameter (lists): how large an item of it can be.
  std::optional<CostRange> item_size;
  std::optional<std::int64_t> literal;  // the argument is this number
};

struct CallEstimate {
  CostRange cost;                   // without the arguments
  std::optional<CostRange> result;  // the size of the result, where the rule says so
};

CallEstimate EstimateCall(const Overload& overload, std::span<const ArgumentEstimate> args);

}  // namespace kumiko::cel
