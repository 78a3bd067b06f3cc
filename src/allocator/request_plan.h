// Claims made ready for searching: classes resolved, selectors compiled, constraints assigned to requests. Independent
// of nodes, so one plan serves all of them (spec dra-allocator §2.4).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "allocator/inventory.h"
#include "api/resource/types.h"
#include "base/result.h"
#include "cel/expression.h"

namespace kumiko::allocator {

// A request, or one alternative of a request with firstAvailable.
struct AlternativePlan {
  std::string name;  // "req" or "req/sub", as results name it
  const api::DeviceSubRequest* request = nullptr;
  const api::DeviceClass* device_class = nullptr;
  std::vector<cel::Expression> selectors;  // the class's, then the request's
  bool all = false;
  std::size_t count = 0;  // unless all
  bool admin_access = false;
  std::vector<std::uint32_t> constraints;  // indices into ClaimPlan::constraints
  std::uint32_t serial = 0;                // dense over the plan
};

struct RequestPlan {
  std::string name;
  std::vector<AlternativePlan> alternatives;
  bool with_alternatives = false;  // written as firstAvailable
};

struct ConstraintPlan {
  bool distinct = false;  // else match
  std::string attribute;  // as written
};

struct ClaimPlan {
  std::string name;  // ns/name
  const api::ResourceClaim* claim = nullptr;
  std::vector<RequestPlan> requests;
  std::vector<ConstraintPlan> constraints;
};

struct Plan {
  std::vector<ClaimPlan> claims;
  std::uint32_t alternative_count = 0;
};

// Borrows the claims and the inventory's classes. Errors are those that no node can mend: kNotFound for a class,
// kInvalidArgument for a selector that does not compile, an unknown mode, too many devices.
Result<Plan> MakePlan(const Inventory& inventory, std::span<const api::ResourceClaim* const> claims);

}  // namespace kumiko::allocator
