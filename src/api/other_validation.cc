// What the API server refuses in kinds of the smaller groups: policy, scheduling, coordination, storage, rbac.
#include <fmt/format.h>

#include "api/group.h"

namespace kumiko::api {

namespace {

constexpr std::int64_t kHighestUserPriority = 1'000'000'000;
constexpr std::string_view kSystemPrefix = "system-";

// Why a priority class with a name of the system is not one of it; "" when it is.
std::string SystemClassMistake(std::string_view name, const Field& root) {
  const bool node = name == "system-node-critical";
  if (!node && name != "system-cluster-critical") return fmt::format("{} is not a known system priority class", name);
  const std::int64_t value = node ? 2'000'001'000 : 2'000'000'000;
  if (root["value"].number() != value) return fmt::format("value of {} PriorityClass must be {}", name, value);
  if (root["globalDefault"].flag()) return fmt::format("globalDefault of {} PriorityClass must be false", name);
  return "";
}

}  // namespace

void ValidatePodDisruptionBudget(const Json& budget, FieldErrors& errors) {
  ValidateName(budget, CheckDnsSubdomain, errors);
  const Field spec = Field(&budget, FieldPath())["spec"];
  const Field least = spec["minAvailable"];
  const Field most = spec["maxUnavailable"];
  if (least.present() && most.present()) {
    const Field policy = spec["unhealthyPodEvictionPolicy"];
    const Field selector = spec["selector"];
    const Json shown = JsonObject{{"MinAvailable", *least.json()},
                                  {"Selector", selector.present() ? *selector.json() : Json()},
                                  {"MaxUnavailable", *most.json()},
                                  {"UnhealthyPodEvictionPolicy", policy.present() ? *policy.json() : Json()}};
    errors.InvalidJson(spec.path(), &shown, "minAvailable and maxUnavailable cannot be both set");
  }
  CheckCountOrPercent(least, errors);
  CheckCountOrPercent(most, errors);
  CheckLabelSelector(spec["selector"], errors);
  if (const Field policy = spec["unhealthyPodEvictionPolicy"]; policy.present()) {
    CheckOneOf(policy, {"AlwaysAllow", "IfHealthyBudget"}, errors);
  }
}

void ValidatePriorityClass(const Json& priority_class, FieldErrors& errors) {
  ValidateName(priority_class, CheckDnsSubdomain, errors);
  const Field root(&priority_class, FieldPath());
  const Field name = root["metadata"]["name"];
  const Field value = root["value"];
  if (name.text().starts_with(kSystemPrefix)) {
    if (const std::string mistake = SystemClassMistake(name.text(), root); !mistake.empty()) {
      errors.Forbidden(
          name.path(),
          "priority class names with 'system-' prefix are reserved for system use only. error: " + mistake);
    }
  } else if (value.number() > kHighestUserPriority) {
    errors.Forbidden(value.path(), "maximum allowed value of a user defined priority is 1000000000");
  }
  if (const Field policy = root["preemptionPolicy"]; policy.present()) {
    CheckOneOf(policy, {"PreemptLowerPriority", "Never"}, errors);
  }
}

void ValidateLease(const Json& lease, FieldErrors& errors) {
  ValidateName(lease, CheckDnsSubdomain, errors);
  const Field spec = Field(&lease, FieldPath())["spec"];
  if (const Field seconds = spec["leaseDurationSeconds"]; seconds.present() && seconds.number() <= 0) {
    errors.Invalid(seconds.path(), seconds.number(), "must be greater than 0");
  }
  CheckNotNegative(spec["leaseTransitions"], errors);
}

void ValidateStorageClass(const Json& storage_class, FieldErrors& errors) {
  ValidateName(storage_class, CheckDnsSubdomain, errors);
  const Field root(&storage_class, FieldPath());
  if (root["provisioner"].text().empty()) errors.Required(root["provisioner"].path());
}

void ValidateRole(const Json& role, FieldErrors& errors) {
  ValidateName(role, CheckPathSegment, errors);
}

void ValidateRoleBinding(const Json& binding, FieldErrors& errors) {
  ValidateName(binding, CheckPathSegment, errors);
  const Field reference = Field(&binding, FieldPath())["roleRef"];
  CheckOneOf(reference["kind"], {"Role", "ClusterRole"}, errors);
  if (reference["name"].text().empty()) errors.Required(reference["name"].path());
}

}  // namespace kumiko::api
