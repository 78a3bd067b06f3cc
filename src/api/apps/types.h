// apps/v1 as far as the local cluster's controllers need it.
#pragma once

#include "api/core/types.h"

namespace kumiko::api {

struct DeploymentSpec {
  std::optional<std::int64_t> replicas;  // defaulted to 1
  LabelSelector selector;
  PodTemplateSpec template_;
};
struct WorkloadStatus {
  std::int64_t observed_generation = 0;
  std::int64_t replicas = 0;
  std::int64_t ready_replicas = 0;
  std::int64_t available_replicas = 0;
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
  DeploymentSpec spec;  // the same three fields
  WorkloadStatus status;
};

}  // namespace kumiko::api
