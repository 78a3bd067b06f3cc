// What every Kubernetes object carries: names, versions, owners, finalizers (meta.k8s.io/v1 ObjectMeta).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace kumiko::api {

using StringMap = std::map<std::string, std::string>;

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
  bool block_owner_deletion = false;
};

struct ObjectMeta {
  std::string name;
  std::string generate_name;
  std::string namespace_;  // empty for cluster-scoped objects
  std::string uid;
  std::string resource_version;
  std::int64_t generation = 0;
  std::optional<Time> creation_timestamp;
  std::optional<Time> deletion_timestamp;
  std::optional<std::int64_t> deletion_grace_period_seconds;
  StringMap labels;
  StringMap annotations;
  std::vector<OwnerReference> owner_references;
  std::vector<std::string> finalizers;
};

struct LabelSelectorRequirement {
  std::string key;
  std::string operator_;  // In, NotIn, Exists, DoesNotExist
  std::vector<std::string> values;
};

struct LabelSelector {
  StringMap match_labels;
  std::vector<LabelSelectorRequirement> match_expressions;
};

// Whether `labels` satisfy every part of `selector`; an empty selector matches everything.
bool Matches(const LabelSelector& selector, const StringMap& labels);

struct Condition {
  std::string type;
  std::string status;  // True, False, Unknown
  std::string reason;
  std::string message;
  std::optional<Time> last_transition_time;
};

// The reference whose `controller` is true, or null.
const OwnerReference* ControllerOf(const ObjectMeta& meta);

// "ml/train-0", or "node-1" for cluster-scoped objects: how messages name an object.
std::string QualifiedName(const ObjectMeta& meta);

}  // namespace kumiko::api
