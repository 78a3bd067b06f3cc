// apps/v1 as far as the local cluster's controllers need it.
#pragma once

#include "api/core/types.h"

namespace kumiko::api {

// How pods of an older template give way. A number, or text such as "25%" (api/meta/int_or_percent.h); null: not given.
struct RollingUpdate {
  Json max_surge;
  Json max_unavailable;
  std::int64_t partition = 0;  // of StatefulSets: ordinals below it stay as they are
};
struct UpdateStrategy {
  std::string type;  // RollingUpdate, Recreate, OnDelete
  RollingUpdate rolling_update;
};

struct DeploymentSpec {
  std::optional<std::int64_t> replicas;  // defaulted to 1
  LabelSelector selector;
  PodTemplateSpec template_;
  UpdateStrategy strategy;
  std::int64_t min_ready_seconds = 0;
  std::optional<std::int64_t> revision_history_limit;  // defaulted to 10
  bool paused = false;
  std::optional<std::int64_t> progress_deadline_seconds;  // defaulted to 600
};
struct WorkloadStatus {
  std::int64_t observed_generation = 0;
  std::int64_t replicas = 0;
  std::int64_t updated_replicas = 0;
  std::int64_t ready_replicas = 0;
  std::int64_t available_replicas = 0;
  std::optional<std::int64_t> terminating_replicas;
  std::vector<Condition> conditions;
  std::int64_t collision_count = 0;
};

struct Deployment {
  static constexpr const char* kApiVersion = "apps/v1";
  static constexpr const char* kKind = "Deployment";
  ObjectMeta metadata;
  DeploymentSpec spec;
  WorkloadStatus status;
};

struct ReplicaSet {
  static constexpr const char* kApiVersion = "apps/v1";
  static constexpr const char* kKind = "ReplicaSet";
  ObjectMeta metadata;
  DeploymentSpec spec;  // replicas, selector, template and minReadySeconds of it
  WorkloadStatus status;
};

struct StatefulSetOrdinals {
  std::int64_t start = 0;  // of the first pod
};
struct StatefulSetSpec {
  std::optional<std::int64_t> replicas;  // defaulted to 1
  LabelSelector selector;
  PodTemplateSpec template_;
  std::string service_name;
  std::string pod_management_policy;  // OrderedReady, Parallel
  UpdateStrategy update_strategy;
  std::int64_t min_ready_seconds = 0;
  std::optional<std::int64_t> revision_history_limit;  // defaulted to 10
  StatefulSetOrdinals ordinals;
};
struct StatefulSetStatus {
  std::string current_revision;
  std::string update_revision;
  std::int64_t collision_count = 0;
};

struct StatefulSet {
  static constexpr const char* kApiVersion = "apps/v1";
  static constexpr const char* kKind = "StatefulSet";
  ObjectMeta metadata;
  StatefulSetSpec spec;
  StatefulSetStatus status;
};

struct DaemonSetSpec {
  LabelSelector selector;
  PodTemplateSpec template_;
  UpdateStrategy update_strategy;
  std::int64_t min_ready_seconds = 0;
  std::optional<std::int64_t> revision_history_limit;  // defaulted to 10
};

struct DaemonSet {
  static constexpr const char* kApiVersion = "apps/v1";
  static constexpr const char* kKind = "DaemonSet";
  ObjectMeta metadata;
  DaemonSetSpec spec;
};

struct ControllerRevision {
  static constexpr const char* kApiVersion = "apps/v1";
  static constexpr const char* kKind = "ControllerRevision";
  ObjectMeta metadata;
  std::int64_t revision = 0;
  Json data;  // {"spec": {"template": {…, "$patch": "replace"}}}
};

}  // namespace kumiko::api
