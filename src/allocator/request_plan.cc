#include "allocator/request_plan.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/suggest.h"

namespace kumiko::allocator {
namespace {

Status CompileSelectors(const Inventory& inventory, const std::vector<api::DeviceSelector>& selectors,
                        AlternativePlan& plan) {
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    if (!selectors[i].cel) return Fail(Code::kInvalidArgument, "selector #{}: only CEL selectors are supported", i);
    KU_TRY(auto expression, inventory.Compile(selectors[i].cel->expression), "selector #{}", i);
    plan.selectors.push_back(std::move(expression));
  }
  return {};
}

bool Applies(const api::DeviceConstraint& constraint, const std::string& request, const std::string& alternative) {
  const auto& names = constraint.requests;
  return names.empty() || std::find(names.begin(), names.end(), request) != names.end() ||
         std::find(names.begin(), names.end(), alternative) != names.end();
}

Result<AlternativePlan> MakeAlternative(const Inventory& inventory, const api::DeviceClaim& claim,
                                        const api::DeviceRequest& request, const api::DeviceSubRequest& alternative) {
  AlternativePlan plan;
  plan.name = alternative.name.empty() ? request.name : request.name + "/" + alternative.name;
  plan.request = &alternative;
  if (alternative.device_class_name.empty()) return Fail(Code::kInvalidArgument, "names no device class");
  plan.device_class = inventory.FindClass(alternative.device_class_name);
  if (!plan.device_class) {
    const auto near = Suggest(alternative.device_class_name, inventory.ClassNames());
    return Fail(Code::kNotFound, "could not retrieve device class {}: class does not exist{}",
                alternative.device_class_name, near ? "; did you mean " + *near + "?" : "");
  }
  KU_TRY_OK(CompileSelectors(inventory, plan.device_class->spec.selectors, plan), "class {}",
            alternative.device_class_name);
  KU_TRY_OK(CompileSelectors(inventory, alternative.selectors, plan));
  if (alternative.allocation_mode == api::kAll) {
    plan.all = true;
  } else if (alternative.allocation_mode == api::kExactCount) {
    plan.count = static_cast<std::size_t>(std::max<std::int64_t>(alternative.count, 0));
  } else {
    return Fail(Code::kInvalidArgument, "unsupported count mode {}", alternative.allocation_mode);
  }
  plan.admin_access = alternative.admin_access.value_or(false);
  for (std::uint32_t i = 0; i < claim.constraints.size(); ++i) {
    if (Applies(claim.constraints[i], request.name, plan.name)) plan.constraints.push_back(i);
  }
  return plan;
}

Result<RequestPlan> MakeRequest(const Inventory& inventory, const api::DeviceClaim& claim,
                                const api::DeviceRequest& request, std::uint32_t& next_serial) {
  RequestPlan plan;
  plan.name = request.name;
  plan.with_alternatives = !request.exactly.has_value();
  const auto add = [&](const api::DeviceSubRequest& alternative) -> Status {
    KU_TRY(auto made, MakeAlternative(inventory, claim, request, alternative));
    made.serial = next_serial++;
    plan.alternatives.push_back(std::move(made));
    return {};
  };
  if (request.exactly) {
    KU_TRY_OK(add(*request.exactly), "request {}", request.name);
  } else {
    for (const auto& alternative : request.first_available) {
      KU_TRY_OK(add(alternative), "request {}/{}", request.name, alternative.name);
    }
    if (plan.alternatives.empty()) return Fail(Code::kInvalidArgument, "request {}: asks for nothing", request.name);
  }
  return plan;
}

std::size_t LeastDevices(const RequestPlan& request) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const auto& alternative : request.alternatives) least = std::min(least, alternative.all ? 0 : alternative.count);
  return least;
}

Result<ClaimPlan> MakeClaim(const Inventory& inventory, const api::ResourceClaim& claim, std::uint32_t& next_serial) {
  ClaimPlan plan;
  plan.name = api::QualifiedName(claim.metadata);
  plan.claim = &claim;
  const auto& devices = claim.spec.devices;
  std::size_t sum = 0;
  for (const auto& request : devices.requests) {
    KU_TRY(auto made, MakeRequest(inventory, devices, request, next_serial));
    const auto least = LeastDevices(made);
    if (least > api::kMaxAllocationResults || sum + least > api::kMaxAllocationResults) {
      return Fail(Code::kInvalidArgument,
                  "request {}: adding {} devices exceeds the claim limit of {}, with {} already accounted for",
                  request.name, least, api::kMaxAllocationResults, sum);
    }
    sum += least;
    plan.requests.push_back(std::move(made));
  }
  for (const auto& constraint : devices.constraints) {
    if (constraint.match_attribute) {
      plan.constraints.push_back({.distinct = false, .attribute = *constraint.match_attribute});
    } else if (constraint.distinct_attribute) {
      plan.constraints.push_back({.distinct = true, .attribute = *constraint.distinct_attribute});
    } else {
      return Fail(Code::kInvalidArgument, "empty constraint (unsupported constraint type?)");
    }
  }
  return plan;
}

}  // namespace

Result<Plan> MakePlan(const Inventory& inventory, std::span<const api::ResourceClaim* const> claims) {
  Plan plan;
  for (const auto* claim : claims) {
    KU_TRY(auto made, MakeClaim(inventory, *claim, plan.alternative_count), "claim {}",
           api::QualifiedName(claim->metadata));
    plan.claims.push_back(std::move(made));
  }
  return plan;
}

}  // namespace kumiko::allocator
