// batch/v1 Job as far as the local cluster's controllers need it.
#pragma once

#include "api/core/types.h"

namespace kumiko::api {

struct JobSpec {
  std::optional<std::int64_t> parallelism;    // defaulted to 1
  std::optional<std::int64_t> completions;    // absent: any success completes
  std::optional<std::int64_t> backoff_limit;  // defaulted to 6
  bool suspend = false;
  std::optional<LabelSelector> selector;
  PodTemplateSpec template_;
};
struct JobStatus {
  std::int64_t active = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::optional<Time> start_time;
  std::optional<Time> completion_time;
  std::vector<Condition> conditions;
};

struct Job {
  static constexpr const char* kApiVersion = "batch/v1";
  static constexpr const char* kKind = "Job";
  ObjectMeta metadata;
  JobSpec spec;
  JobStatus status;
};

}  // namespace kumiko::api
