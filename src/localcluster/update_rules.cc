#include "localcluster/update_rules.h"

#include <fmt/core.h>

#include <set>
#include <string>
#include <string_view>

namespace kumiko::localcluster {
namespace {

using Path = std::initializer_list<std::string_view>;
using Errors = std::vector<api::FieldError>;

bool Same(const Json* a, const Json* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return *a == *b;
}

void RequireSame(const Json& before, const Json& after, Path path, std::string_view why, Errors& errors) {
  if (Same(FindPath(before, path), FindPath(after, path))) return;
  std::string text;
  for (const std::string_view step : path) {
    if (!text.empty()) text += '.';
    text += step;
  }
  errors.push_back({std::move(text), std::string(why)});
}

constexpr std::string_view kImmutable = "field is immutable; delete the object and create it anew";

std::set<std::string> ConsumerUids(const Json& claim) {
  std::set<std::string> uids;
  const Json* consumers = FindPath(claim, {"status", "reservedFor"});
  if (consumers == nullptr || !consumers->is_array()) return uids;
  for (const Json& consumer : consumers->get_array()) uids.emplace(StringAt(consumer, {"uid"}));
  return uids;
}

void CheckClaim(const Json& before, const Json& after, Errors& errors) {
  RequireSame(before, after, {"spec"}, kImmutable, errors);
  const Json* old_allocation = FindPath(before, {"status", "allocation"});
  const Json* new_allocation = FindPath(after, {"status", "allocation"});
  if (old_allocation != nullptr && new_allocation != nullptr && *old_allocation != *new_allocation) {
    errors.push_back({"status.allocation", "an allocation cannot be changed; clear it first"});
  }
  const std::set<std::string> consumers = ConsumerUids(after);
  if (!consumers.empty() && new_allocation == nullptr) {
    errors.push_back({"status.reservedFor", "may only be set while status.allocation is"});
  }
  if (FindPath(before, {"metadata", "deletionTimestamp"}) != nullptr) {
    const std::set<std::string> earlier = ConsumerUids(before);
    for (const std::string& uid : consumers) {
      if (!earlier.contains(uid)) {
        errors.push_back({"status.reservedFor", "no new consumers while the claim is being deleted"});
        break;
      }
    }
  }
}

// A pod's spec is fixed but for its node, which is set once, and for what Kubernetes lets change in place.
void CheckPod(const Json& before, const Json& after, Errors& errors) {
  const std::string_view node = StringAt(before, {"spec", "nodeName"});
  if (!node.empty() && StringAt(after, {"spec", "nodeName"}) != node) {
    errors.push_back({"spec.nodeName", fmt::format("the pod is already assigned to node {}", node)});
    return;
  }
  const auto fixed_part = [](const Json& pod) {
    Json spec;
    if (const Json* found = FindPath(pod, {"spec"})) spec = *found;
    if (JsonObject* members = spec.if_object()) {
      for (const std::string_view name :
           {"nodeName", "tolerations", "activeDeadlineSeconds", "terminationGracePeriodSeconds"}) {
        members->erase(name);
      }
      for (const std::string_view list : {"containers", "initContainers"}) {
        Json* containers = members->if_contains(list);
        if (containers == nullptr || !containers->is_array()) continue;
        for (Json& container : containers->get_array()) {
          if (container.is_object()) container.get_object().erase("image");
        }
      }
    }
    return spec;
  };
  if (fixed_part(before) != fixed_part(after)) {
    errors.push_back({"spec",
                      "pod updates may not change fields other than the containers' image, activeDeadlineSeconds, "
                      "terminationGracePeriodSeconds and tolerations; delete the pod and create it anew"});
  }
}

}  // namespace

std::vector<api::FieldError> CheckUpdate(const Json& before, const Json& after) {
  Errors errors;
  const std::string_view kind = StringAt(before, {"kind"});
  if (kind == "ResourceClaim") {
    CheckClaim(before, after, errors);
  } else if (kind == "ResourceClaimTemplate") {
    RequireSame(before, after, {"spec"}, kImmutable, errors);
  } else if (kind == "ResourceSlice") {
    RequireSame(before, after, {"spec", "driver"}, kImmutable, errors);
    RequireSame(before, after, {"spec", "nodeName"}, kImmutable, errors);
    RequireSame(before, after, {"spec", "pool", "name"}, kImmutable, errors);
  } else if (kind == "Pod") {
    CheckPod(before, after, errors);
  } else if (kind == "Job") {
    RequireSame(before, after, {"spec", "completions"}, kImmutable, errors);
    RequireSame(before, after, {"spec", "selector"}, kImmutable, errors);
    RequireSame(before, after, {"spec", "template"}, kImmutable, errors);
  } else if (kind == "Deployment" || kind == "ReplicaSet") {
    RequireSame(before, after, {"spec", "selector"}, kImmutable, errors);
  }
  return errors;
}

}  // namespace kumiko::localcluster
