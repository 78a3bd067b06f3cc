#include "localcluster/update_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/core/pod_dump.h"
#include "api/validation.h"

namespace kumiko::localcluster {
namespace {

using api::Field;
using api::FieldErrors;
using api::FieldPath;

constexpr std::string_view kImmutable = "field is immutable";

// Members that are set when an object is made and never again.
struct FixedMember {
  std::string_view kind;
  std::vector<std::string_view> path;
  bool shown = true;  // whether the API server shows the value that it refuses
};
const std::vector<FixedMember>& FixedMembers() {
  static const std::vector<FixedMember> members = {
      {"ControllerRevision", {"data"}},
      {"DaemonSet", {"spec", "selector"}},
      {"Deployment", {"spec", "selector"}},
      {"Job", {"spec", "completions"}},
      {"Job", {"spec", "completionMode"}},
      {"Job", {"spec", "selector"}},
      {"PriorityClass", {"preemptionPolicy"}},
      {"ReplicaSet", {"spec", "selector"}},
      {"ResourceClaim", {"spec"}, false},
      {"ResourceClaimTemplate", {"spec"}},
      {"ResourceSlice", {"spec", "driver"}},
      {"ResourceSlice", {"spec", "nodeName"}},
      {"ResourceSlice", {"spec", "pool", "name"}},
      {"Secret", {"type"}},
      {"StatefulSet", {"spec", "podManagementPolicy"}},
      {"StatefulSet", {"spec", "selector"}},
      {"StatefulSet", {"spec", "serviceName"}},
      {"StorageClass", {"parameters"}, false},
      {"StorageClass", {"provisioner"}, false},
      {"StorageClass", {"reclaimPolicy"}, false},
      {"StorageClass", {"volumeBindingMode"}, false},
  };
  return members;
}

bool Same(const Field& a, const Field& b) {
  return a.present() && b.present() ? *a.json() == *b.json() : a.present() == b.present();
}

void CheckFixedMembers(const Field& before, const Field& after, FieldErrors& errors) {
  const std::string_view kind = before["kind"].text();
  for (const FixedMember& member : FixedMembers()) {
    if (member.kind != kind) continue;
    Field old = before;
    Field now = after;
    for (const std::string_view step : member.path) {
      old = old[step];
      now = now[step];
    }
    if (!Same(old, now))
      errors.InvalidJson(now.path(), member.shown && now.present() ? now.json() : nullptr, kImmutable);
  }
}

// ConfigMaps and Secrets that say so never change.
void CheckImmutableData(const Field& before, const Field& after, FieldErrors& errors) {
  if (!before["immutable"].flag()) return;
  constexpr std::string_view kWhy = "field is immutable when `immutable` is set";
  if (!after["immutable"].flag()) errors.Forbidden(after["immutable"].path(), kWhy);
  for (const std::string_view member : {"data", "binaryData"}) {
    if (!Same(before[member], after[member])) errors.Forbidden(after[member].path(), kWhy);
  }
}

// Whoever waits for an object to go knows all whom it waits for.
void CheckFinalizers(const Field& before, const Field& after, FieldErrors& errors) {
  if (!before["metadata"]["deletionTimestamp"].present()) return;
  const Field old = before["metadata"]["finalizers"];
  const Field now = after["metadata"]["finalizers"];
  std::set<std::string_view> known;
  for (std::size_t i = 0; i < old.size(); ++i) known.insert(old[i].text());
  std::set<std::string_view> added;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (!known.contains(now[i].text())) added.insert(now[i].text());
  }
  if (added.empty()) return;
  errors.Forbidden(now.path(), fmt::format("no new finalizers can be added if the object is being deleted, found new "
                                           "finalizers []string{{\"{}\"}}",
                                           fmt::join(added, "\", \"")));
}

std::set<std::string> ConsumerUids(const Field& consumers) {
  std::set<std::string> uids;
  for (std::size_t i = 0; i < consumers.size(); ++i) uids.emplace(consumers[i]["uid"].text());
  return uids;
}

void CheckClaim(const Field& before, const Field& after, FieldErrors& errors) {
  const Field old_allocation = before["status"]["allocation"];
  const Field allocation = after["status"]["allocation"];
  const Field consumers = after["status"]["reservedFor"];
  if (old_allocation.present() && allocation.present() && !Same(old_allocation, allocation)) {
    errors.Invalid(allocation.path(), "", "an allocation cannot be changed; clear it first");
  }
  const std::set<std::string> uids = ConsumerUids(consumers);
  if (!uids.empty() && !allocation.present()) {
    errors.Forbidden(consumers.path(), "may not be specified when `allocated` is not set");
  }
  if (before["metadata"]["deletionTimestamp"].present()) {
    const std::set<std::string> earlier = ConsumerUids(before["status"]["reservedFor"]);
    if (!std::ranges::includes(earlier, uids)) {
      errors.Forbidden(consumers.path(), "new entries may not be added when `deletionTimestamp` is set");
    }
  }
}

void CheckService(const Field& before, const Field& after, FieldErrors& errors) {
  const Field old_addresses = before["spec"]["clusterIPs"];
  const Field addresses = after["spec"]["clusterIPs"];
  if (before["spec"]["type"].text() == "ExternalName" || after["spec"]["type"].text() == "ExternalName") return;
  if (old_addresses.size() == 0 || old_addresses[0].text().empty()) return;
  if (old_addresses[0].text() != addresses[0].text()) {
    errors.InvalidJson(addresses[0].path(), addresses.json(), "may not change once set");
  }
}

void CheckRoleBinding(const Field& before, const Field& after, FieldErrors& errors) {
  const Field role = after["roleRef"];
  if (Same(before["roleRef"], role)) return;
  const Json shown =
      JsonObject{{"APIGroup", role["apiGroup"].text()}, {"Kind", role["kind"].text()}, {"Name", role["name"].text()}};
  errors.InvalidJson(role.path(), &shown, kImmutable);
}

// What a suspended Job that has not begun may still change is where its pods may run.
void CheckJob(const Field& before, const Field& after, FieldErrors& errors) {
  const Field pod_template = after["spec"]["template"];
  if (Same(before["spec"]["template"], pod_template)) return;
  const Json shown = api::PodTemplateInGo(*pod_template.json());
  errors.InvalidJson(pod_template.path(), &shown, kImmutable);
}

constexpr std::string_view kPodMembers =
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
    "previously negative)";

// The part of a pod's spec that never changes. Its node is set once, which is checked beside this.
Json FixedPart(const Field& pod) {
  Json spec = pod["spec"].present() ? *pod["spec"].json() : Json();
  JsonObject* members = spec.if_object();
  if (members == nullptr) return spec;
  for (const std::string_view name : {"nodeName", "tolerations", "activeDeadlineSeconds", "schedulingGates"}) {
    members->erase(name);
  }
  for (const std::string_view list : {"containers", "initContainers"}) {
    Json* containers = members->if_contains(list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (Json& container : containers->get_array()) {
      if (container.is_object()) container.get_object().erase("image");
    }
  }
  return spec;
}

// The new spec with what may change as it was.
Json WithWhatMayChange(const Field& before, const Field& after) {
  Json spec = *after["spec"].json();
  const Field old = before["spec"];
  for (const std::string_view name : {"nodeName", "tolerations", "activeDeadlineSeconds", "schedulingGates"}) {
    spec.as_object()[name] = old[name].present() ? *old[name].json() : Json(nullptr);
  }
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (std::size_t i = 0; i < old[list].size(); ++i) {
      const Json* image = old[list][i]["image"].json();
      spec.as_object()[list].as_array().at(i).as_object()["image"] = image == nullptr ? Json("") : *image;
    }
  }
  return spec;
}

void CheckPod(const Field& before, const Field& after, FieldErrors& errors) {
  const std::string_view node = before["spec"]["nodeName"].text();
  if (!node.empty() && after["spec"]["nodeName"].text() != node) {
    errors.Forbidden(after["spec"]["nodeName"].path(), fmt::format("the pod is already assigned to node {}", node));
    return;
  }
  for (const std::string_view list : {"containers", "initContainers"}) {
    if (before["spec"][list].size() == after["spec"][list].size()) continue;
    errors.Forbidden(after["spec"][list].path(), "pod updates may not add or remove containers");
    return;
  }
  const Field old_deadline = before["spec"]["activeDeadlineSeconds"];
  const Field deadline = after["spec"]["activeDeadlineSeconds"];
  if (old_deadline.present() && !deadline.present()) {
    errors.InvalidJson(deadline.path(), nullptr, "must not update from a positive integer to nil value");
  } else if (old_deadline.present() && deadline.number() > old_deadline.number()) {
    errors.Invalid(deadline.path(), deadline.number(), "must be less than or equal to previous value");
  }
  if (FixedPart(before) != FixedPart(after)) {
    errors.Forbidden(after["spec"].path(),
                     fmt::format("pod updates may not change fields other than {}\n{}", kPodMembers,
                                 api::DiffInGo(api::PodSpecInGo(*before["spec"].json()),
                                               api::PodSpecInGo(WithWhatMayChange(before, after)))));
  }
}

}  // namespace

std::vector<api::FieldError> CheckUpdate(const Json& before_tree, const Json& after_tree) {
  FieldErrors errors;
  const Field before(&before_tree, FieldPath());
  const Field after(&after_tree, FieldPath());
  CheckFinalizers(before, after, errors);
  CheckFixedMembers(before, after, errors);
  const std::string_view kind = before["kind"].text();
  if (kind == "ResourceClaim") {
    CheckClaim(before, after, errors);
  } else if (kind == "Pod") {
    CheckPod(before, after, errors);
  } else if (kind == "Job") {
    CheckJob(before, after, errors);
  } else if (kind == "ConfigMap" || kind == "Secret") {
    CheckImmutableData(before, after, errors);
  } else if (kind == "Service") {
    CheckService(before, after, errors);
  } else if (kind == "RoleBinding" || kind == "ClusterRoleBinding") {
    CheckRoleBinding(before, after, errors);
  } else if (kind == "PriorityClass") {
    if (before["value"].number() != after["value"].number()) {
      errors.Forbidden(after["value"].path(), "may not be changed in an update.");
    }
  }
  return errors.Take();
}

}  // namespace kumiko::localcluster
