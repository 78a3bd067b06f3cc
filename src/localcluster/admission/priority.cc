// A pod names a priority class and gets its number.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "api/defaults.h"
#include "localcluster/admission/admission.h"

namespace kumiko::localcluster {
namespace {

struct Priority {
  std::string class_name;
  std::int64_t value = 0;
  std::string preemption_policy = "PreemptLowerPriority";
};

// These are there in every cluster, whoever deletes them.
constexpr std::pair<std::string_view, std::int64_t> kSystemClasses[] = {{"system-cluster-critical", 2'000'000'000},
                                                                        {"system-node-critical", 2'000'001'000}};

Priority PriorityOf(const Json& priority_class) {
  Priority priority;
  priority.class_name = StringAt(priority_class, {"metadata", "name"});
  const Json* value = Find(priority_class, "value");
  if (value != nullptr && value->is_int64()) priority.value = value->get_int64();
  priority.preemption_policy = StringAt(priority_class, {"preemptionPolicy"});
  return priority;
}

bool IsDefault(const Json& priority_class) {
  const Json* flag = Find(priority_class, "globalDefault");
  return flag != nullptr && flag->is_bool() && flag->get_bool();
}

// The lowest of those that claim to be the default; null when none does.
std::shared_ptr<const Json> DefaultClass(const ClusterReader& cluster) {
  std::shared_ptr<const Json> found;
  for (const std::shared_ptr<const Json>& item : cluster.list("PriorityClass")) {
    if (!IsDefault(*item)) continue;
    if (found == nullptr || PriorityOf(*item).value < PriorityOf(*found).value) found = item;
  }
  return found;
}

kube::ApiResult<Priority> Establish(const Json& pod, const std::string& class_name, const ClusterReader& cluster) {
  if (class_name.empty()) {
    const std::shared_ptr<const Json> of_all = DefaultClass(cluster);
    return of_all == nullptr ? Priority() : PriorityOf(*of_all);
  }
  if (const auto found = cluster.get("PriorityClass", "", class_name)) return PriorityOf(*found);
  for (const auto& [name, value] : kSystemClasses) {
    if (name == class_name) return Priority{.class_name = class_name, .value = value};
  }
  return Forbid(pod, fmt::format("no PriorityClass with name {} was found", class_name));
}

}  // namespace

Admission AdmitPriority(Json& pod, const ClusterReader& cluster) {
  JsonObject* spec = api::MapAt(pod.as_object(), "spec");
  if (spec == nullptr) return {};
  KU_TRY_API(const Priority priority, Establish(pod, std::string(api::TextAt(*spec, "priorityClassName")), cluster));
  if (!priority.class_name.empty()) (*spec)["priorityClassName"] = priority.class_name;
  const Json* sent = spec->if_contains("priority");
  if (sent != nullptr && sent->is_int64() && sent->get_int64() != priority.value) {
    return Forbid(pod, fmt::format("the integer value of priority ({}) must not be provided in pod spec; priority "
                                   "admission controller computed {} from the given PriorityClass name",
                                   sent->get_int64(), priority.value));
  }
  (*spec)["priority"] = priority.value;
  if (priority.preemption_policy.empty()) return {};
  const std::string policy(api::TextAt(*spec, "preemptionPolicy"));
  if (!policy.empty() && policy != priority.preemption_policy) {
    return Forbid(pod, fmt::format("the string value of PreemptionPolicy ({}) must not be provided in pod spec; "
                                   "priority admission controller computed {} from the given PriorityClass name",
                                   policy, priority.preemption_policy));
  }
  (*spec)["preemptionPolicy"] = priority.preemption_policy;
  return {};
}

Admission AdmitPriorityClass(const Json& priority_class, const ClusterReader& cluster) {
  if (!IsDefault(priority_class)) return {};
  const std::shared_ptr<const Json> of_all = DefaultClass(cluster);
  if (of_all == nullptr) return {};
  return Forbid(priority_class, fmt::format("PriorityClass {} is already marked as default. Only one default can exist",
                                            StringAt(*of_all, {"metadata", "name"})));
}

}  // namespace kumiko::localcluster
