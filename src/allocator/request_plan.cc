#include "allocator/request_plan.h"

#include <algorithm>
#include <utility>

#include "base/suggest.h"

namespace kumiko::allocator {
namespace {

SelectorPlan Compiled(Result<cel::Expression> compiled) {
  if (compiled) return {.expression = std::move(*compiled), .error = {}};
  return {.expression = std::nullopt, .error = std::move(compiled.error().message)};
}

bool Applies(const api::DeviceConstraint& constraint, const std::string& request, const std::string& alternative) {
  const auto& names = constraint.requests;
  return names.empty() || std::find(names.begin(), names.end(), request) != names.end() ||
         std::find(names.begin(), names.end(), alternative) != names.end();
}

// Plans one claim.
class ClaimPlanner {
 public:
  ClaimPlanner(const Inventory& inventory, const api::ResourceClaim& claim, std::uint32_t& next_serial)
      : inventory_(inventory), features_(inventory.features()), claim_(claim), next_serial_(next_serial) {}

  ClaimPlan Run() {
    plan_.name = api::QualifiedName(claim_.metadata);
    plan_.claim = &claim_;
    const auto& devices = claim_.spec.devices;
    plan_.requests.reserve(devices.requests.size());
    for (const auto& request : devices.requests) {
      plan_.requests.push_back(MakeRequest(request));
      if (failed_) return std::move(plan_);
    }
    for (std::size_t i = 0; i < devices.constraints.size(); ++i) {
      const auto& constraint = devices.constraints[i];
      if (!constraint.match_attribute && !constraint.distinct_attribute) {
        plan_.error =
            fmt::format("claim {}, constraint #{}: empty constraint (unsupported constraint type?)", plan_.name, i);
        return std::move(plan_);
      }
      ConstraintPlan made;
      made.distinct = !constraint.match_attribute;
      made.attribute = made.distinct ? *constraint.distinct_attribute : *constraint.match_attribute;
      made.name = inventory_.attributes().InternName(made.attribute, "");
      made.written = inventory_.names().Intern(made.attribute);
      plan_.constraints.push_back(std::move(made));
    }
    return std::move(plan_);
  }

 private:
  template <class... Args>
  std::string Fails(const std::string& request, fmt::format_string<Args...> text, Args&&... args) {
    failed_ = true;
    return fmt::format("claim {}, request {}: ", plan_.name, request) + fmt::format(text, std::forward<Args>(args)...);
  }

  RequestPlan MakeRequest(const api::DeviceRequest& request) {
    RequestPlan plan;
    plan.name = request.name;
    plan.with_alternatives = !request.first_available.empty();
    plan.error = RequestError(request);
    if (failed_) return plan;
    if (!plan.with_alternatives) {
      static const api::DeviceSubRequest kNothing;
      plan.alternatives.push_back(
          MakeAlternative(request, request.exactly ? *request.exactly : kNothing, request.name));
      return plan;
    }
    plan.alternatives.reserve(request.first_available.size());
    for (const auto& alternative : request.first_available) {
      plan.alternatives.push_back(MakeAlternative(request, alternative, alternative.name));
      if (failed_) break;
    }
    return plan;
  }

  std::string RequestError(const api::DeviceRequest& request) {
    if (!features_.prioritized_list && !request.first_available.empty()) {
      return Fails(request.name, "has subrequests, but the DRAPrioritizedList feature is disabled");
    }
    if (features_.consumable_capacity) return "";
    constexpr const char* kNoCapacity = "has capacity requests, but the DRAConsumableCapacity feature is disabled";
    if (request.exactly && request.exactly->capacity) return Fails(request.name, "{}", kNoCapacity);
    for (const auto& alternative : request.first_available) {
      if (!alternative.capacity) continue;
      failed_ = true;
      return fmt::format("claim {}, subrequest {}: {}", plan_.name, alternative.name, kNoCapacity);
    }
    return "";
  }

  AlternativePlan MakeAlternative(const api::DeviceRequest& request, const api::DeviceSubRequest& alternative,
                                  const std::string& own_name) {
    AlternativePlan plan;
    plan.name = request.first_available.empty() ? request.name : request.name + "/" + alternative.name;
    plan.own_name = own_name;
    plan.request = &alternative;
    plan.serial = next_serial_++;
    plan.same_selectors = plan.serial;
    plan.error = AlternativeError(alternative, own_name);
    if (failed_) return plan;
    plan.device_class = inventory_.FindClass(alternative.device_class_name);
    if (!plan.device_class) {
      const auto near = Suggest(alternative.device_class_name, inventory_.ClassNames());
      plan.error = Fails(own_name, "could not retrieve device class {}: device class \"{}\" not found{}",
                         alternative.device_class_name, alternative.device_class_name,
                         near ? "; did you mean " + *near + "?" : "");
      return plan;
    }
    Compile(plan, alternative);
    if (alternative.allocation_mode == api::kAll) {
      plan.all = true;
    } else if (alternative.allocation_mode == api::kExactCount) {
      plan.count = static_cast<std::size_t>(std::max<std::int64_t>(alternative.count, 0));
    } else {
      plan.error = Fails(own_name, "unsupported count mode {}", alternative.allocation_mode);
    }
    plan.admin_access = request.first_available.empty() && alternative.admin_access.value_or(false);
    const auto& constraints = claim_.spec.devices.constraints;
    for (std::uint32_t i = 0; i < constraints.size(); ++i) {
      if (Applies(constraints[i], request.name, plan.name)) plan.constraints.push_back(i);
    }
    return plan;
  }

  std::string AlternativeError(const api::DeviceSubRequest& alternative, const std::string& own_name) {
    if (!alternative.derived_attributes.empty() && !features_.derived_attributes) {
      return Fails(own_name, "cannot handle request with derived attributes, the feature is disabled");
    }
    for (std::size_t i = 0; i < alternative.selectors.size(); ++i) {
      if (alternative.selectors[i].cel) continue;
      failed_ = true;
      return fmt::format("claim {}, request {}, selector #{}: CEL expression empty (unsupported selector type?)",
                         plan_.name, own_name, i);
    }
    if (!features_.admin_access && alternative.admin_access) {
      return Fails(own_name, "admin access is requested, but the feature is disabled");
    }
    if (alternative.device_class_name.empty()) {
      return Fails(own_name, "missing device class name (unsupported request type?)");
    }
    return "";
  }

  void Compile(AlternativePlan& plan, const api::DeviceSubRequest& alternative) {
    const auto& of_class = plan.device_class->spec.selectors;
    plan.class_selectors = of_class.size();
    plan.selectors.reserve(of_class.size() + alternative.selectors.size());
    for (const auto* selectors : {&of_class, &alternative.selectors}) {
      for (const auto& selector : *selectors) {
        plan.selectors.push_back(Compiled(inventory_.Compile(selector.cel ? selector.cel->expression : "")));
      }
    }
    for (const auto& derived : alternative.derived_attributes) {
      plan.derived.push_back({.name = inventory_.attributes().InternName(derived.name, ""),
                              .attribute = derived.name,
                              .expression = Compiled(inventory_.CompileDerivedAttribute(derived.expression))});
    }
  }

  const Inventory& inventory_;
  const Features& features_;
  const api::ResourceClaim& claim_;
  std::uint32_t& next_serial_;
  ClaimPlan plan_;
  bool failed_ = false;
};

bool SameSelectors(const AlternativePlan& a, const AlternativePlan& b) {
  const auto& of_a = a.request->selectors;
  const auto& of_b = b.request->selectors;
  if (a.device_class != b.device_class || of_a.size() != of_b.size()) return false;
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(),
                    [](const auto& x, const auto& y) { return x.cel->expression == y.cel->expression; });
}

// So that what selectors say of a device is found out once.
void FindSameSelectors(Plan& plan) {
  std::vector<const AlternativePlan*> different;
  for (auto& claim : plan.claims) {
    for (auto& request : claim.requests) {
      for (auto& alternative : request.alternatives) {
        if (!alternative.error.empty()) return;
        const auto same = std::find_if(different.begin(), different.end(),
                                       [&](const auto* other) { return SameSelectors(*other, alternative); });
        if (same == different.end()) {
          different.push_back(&alternative);
        } else {
          alternative.same_selectors = (*same)->serial;
        }
      }
    }
  }
}

}  // namespace

Plan MakePlan(const Inventory& inventory, std::span<const api::ResourceClaim* const> claims) {
  Plan plan;
  plan.claims.reserve(claims.size());
  for (const auto* claim : claims) {
    plan.claims.push_back(ClaimPlanner(inventory, *claim, plan.alternative_count).Run());
  }
  FindSameSelectors(plan);
  for (auto& claim : plan.claims) {
    for (auto& constraint : claim.constraints) constraint.serial = plan.constraint_count++;
  }
  return plan;
}

std::string FirstError(const Plan& plan) {
  for (const auto& claim : plan.claims) {
    for (const auto& request : claim.requests) {
      if (!request.error.empty()) return request.error;
      for (const auto& alternative : request.alternatives) {
        if (!alternative.error.empty()) return alternative.error;
      }
    }
    if (!claim.error.empty()) return claim.error;
  }
  return "";
}

}  // namespace kumiko::allocator
