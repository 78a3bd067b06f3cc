// Claims made ready for searching: classes resolved, selectors compiled, constraints assigned to requests. Independent
// of nodes, so one plan serves all of them (spec dra-allocator §2.4). What is wrong with a claim is kept in its place:
// a search raises it when it comes there, after the errors of what stands before.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allocator/inventory.h"
#include "api/resource/types.h"
#include "cel/expression.h"

namespace kumiko::allocator {

struct SelectorPlan {
  std::optional<cel::Expression> expression;
  std::string error;  // without expression: why it does not compile; raised when a device is asked
};

struct DerivedPlan {
  AttributeNameId name = 0;
  std::string attribute;  // as written
  SelectorPlan expression;
};

// A request, or one alternative of a request with firstAvailable.
struct AlternativePlan {
  std::string name;      // "req" or "req/sub", as results name it
  std::string own_name;  // "req" or "sub", as errors name it
  const api::DeviceSubRequest* request = nullptr;
  const api::DeviceClass* device_class = nullptr;
  std::vector<SelectorPlan> selectors;  // the class's, then the request's
  std::size_t class_selectors = 0;      // how many are the class's
  std::vector<DerivedPlan> derived;
  bool all = false;
  std::size_t count = 0;  // unless all
  bool admin_access = false;
  std::vector<std::uint32_t> constraints;  // indices into ClaimPlan::constraints
  std::uint32_t serial = 0;                // dense over the plan
  std::uint32_t same_selectors = 0;        // serial of the first alternative with the same ones
  std::string error;
};

struct RequestPlan {
  std::string name;
  std::vector<AlternativePlan> alternatives;
  bool with_alternatives = false;  // written as firstAvailable
  std::string error;
};

struct ConstraintPlan {
  bool distinct = false;  // else match
  std::string attribute;  // as written
  AttributeNameId name = 0;
  NameId written = 0;        // the same text, as slices may write it
  std::uint32_t serial = 0;  // dense over the plan
};

struct ClaimPlan {
  std::string name;  // ns/name
  const api::ResourceClaim* claim = nullptr;
  std::vector<RequestPlan> requests;
  std::vector<ConstraintPlan> constraints;
  std::string error;  // of the constraints; comes after those of the requests
};

struct Plan {
  std::vector<ClaimPlan> claims;
  std::uint32_t alternative_count = 0;
  std::uint32_t constraint_count = 0;
};

// Borrows the claims and the inventory's classes.
Plan MakePlan(const Inventory& inventory, std::span<const api::ResourceClaim* const> claims);

// The first error of the plan, in the order in which a search meets them; empty without one.
std::string FirstError(const Plan& plan);

}  // namespace kumiko::allocator
