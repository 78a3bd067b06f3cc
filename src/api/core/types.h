// Core kinds as far as kumiko reads them: Node, Pod, Namespace. Fields that are not here are kept by the store and
// never dropped on update, since writers patch the stored object (docs/decisions/0002).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/meta/object_meta.h"
#include "base/json.h"
#include "base/quantity.h"

namespace kumiko::api {

using ResourceList = std::map<std::string, Quantity>;

struct NodeSelectorRequirement {
  std::string key;
  std::string operator_;  // In, NotIn, Exists, DoesNotExist, Gt, Lt
  std::vector<std::string> values;
  bool operator==(const NodeSelectorRequirement&) const = default;
};

struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions;
  std::vector<NodeSelectorRequirement> match_fields;  // key metadata.name only
  bool operator==(const NodeSelectorTerm&) const = default;
};

struct NodeSelector {
  std::vector<NodeSelectorTerm> node_selector_terms;  // any term
  bool operator==(const NodeSelector&) const = default;
};

struct Taint {
  std::string key;
  std::string value;
  std::string effect;  // NoSchedule, PreferNoSchedule, NoExecute
};

struct Toleration {
  std::string key;
  std::string operator_;  // Equal (default), Exists
  std::string value;
  std::string effect;
  std::optional<std::int64_t> toleration_seconds;
};

struct NodeSpec {
  bool unschedulable = false;
  std::vector<Taint> taints;
};

struct NodeStatus {
  ResourceList capacity;
  ResourceList allocatable;
  std::vector<Condition> conditions;
  std::vector<std::string> declared_features;
};

struct Node {
  static constexpr const char* kApiVersion = "v1";
  static constexpr const char* kKind = "Node";
  ObjectMeta metadata;
  NodeSpec spec;
  NodeStatus status;
};

struct ContainerClaim {
  std::string name;     // an entry of the pod's resourceClaims
  std::string request;  // empty: every request of the claim
};

struct ResourceRequirements {
  ResourceList requests;
  ResourceList limits;
  std::vector<ContainerClaim> claims;
};

struct EnvVar {
  std::string name;
  std::string value;
};

struct Container {
  std::string name;
  std::string image;
  std::vector<std::string> command;
  std::vector<std::string> args;
  std::vector<EnvVar> env;
  ResourceRequirements resources;
  std::string restart_policy;  // of init containers: Always makes a sidecar
  std::string image_pull_policy;
};

struct NodeAffinity {
  std::optional<NodeSelector> required;
};
struct Affinity {
  NodeAffinity node_affinity;
};

struct PodResourceClaim {
  std::string name;
  std::optional<std::string> resource_claim_name;  // exactly one of the two
  std::optional<std::string> resource_claim_template_name;
};

struct PodSpec {
  std::string node_name;
  std::string scheduler_name;
  std::string restart_policy;  // Always, OnFailure, Never
  std::string priority_class_name;
  std::optional<std::int64_t> priority;
  std::optional<std::int64_t> termination_grace_period_seconds;
  StringMap node_selector;
  std::vector<Toleration> tolerations;
  std::vector<Container> containers;
  std::vector<Container> init_containers;
  std::vector<PodResourceClaim> resource_claims;
  Affinity affinity;
  bool host_network = false;
  std::optional<std::int64_t> active_deadline_seconds;
};

struct PodResourceClaimStatus {
  std::string name;
  std::optional<std::string> resource_claim_name;  // absent: the claim is not needed
};

struct ContainerStatus {
  std::string name;
  bool ready = false;
  std::int64_t restart_count = 0;
};

struct PodStatus {
  std::string phase;  // Pending, Running, Succeeded, Failed
  std::string reason;
  std::string message;
  std::optional<Time> start_time;
  std::vector<Condition> conditions;
  std::vector<PodResourceClaimStatus> resource_claim_statuses;
  std::vector<ContainerStatus> container_statuses;
  std::string pod_ip;
};

struct Pod {
  static constexpr const char* kApiVersion = "v1";
  static constexpr const char* kKind = "Pod";
  ObjectMeta metadata;
  PodSpec spec;
  PodStatus status;
};

struct PodTemplateSpec {
  ObjectMeta metadata;
  PodSpec spec;
};

struct Namespace {
  static constexpr const char* kApiVersion = "v1";
  static constexpr const char* kKind = "Namespace";
  ObjectMeta metadata;
};

struct Event {
  static constexpr const char* kApiVersion = "v1";
  static constexpr const char* kKind = "Event";
  ObjectMeta metadata;
  std::string type;  // Normal, Warning
  std::string reason;
  std::string message;
};

// Whether a node with these labels and this name is selected (OR over terms, AND inside one; no term selects nothing).
// Fails with kInvalidArgument on an unknown operator or field key.
Result<bool> Matches(const NodeSelector& selector, const std::string& node_name, const StringMap& labels);

// Whether `toleration` tolerates `taint` (an empty key with Exists tolerates all; empty effect matches all).
bool Tolerates(const Toleration& toleration, const Taint& taint);

// Succeeded or Failed: the pod will not run again.
bool IsFinished(const Pod& pod);

}  // namespace kumiko::api
