// batch/v1 as far as the local cluster's controllers need it.
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
  std::optional<std::int64_t> active_deadline_seconds;
  std::optional<std::int64_t> ttl_seconds_after_finished;
  std::string completion_mode;  // NonIndexed, Indexed
};
struct JobStatus {
  std::int64_t active = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::optional<Time> start_time;
  std::optional<Time> completion_time;
  std::vector<Condition> conditions;
  std::string completed_indexes;  // "0,2-4"
};

struct Job {
  static constexpr const char* kApiVersion = "batch/v1";
  static constexpr const char* kKind = "Job";
  ObjectMeta metadata;
  JobSpec spec;
  JobStatus status;
};

struct CronJobSpec {
  std::string schedule;  // five fields, or @hourly and the like
  std::optional<std::string> time_zone;
  std::optional<std::int64_t> starting_deadline_seconds;
  std::string concurrency_policy;  // Allow, Forbid, Replace
  bool suspend = false;
  std::optional<std::int64_t> successful_jobs_history_limit;  // defaulted to 3
  std::optional<std::int64_t> failed_jobs_history_limit;      // defaulted to 1
};
struct CronJobStatus {
  std::optional<Time> last_schedule_time;
};

struct CronJob {
  static constexpr const char* kApiVersion = "batch/v1";
  static constexpr const char* kKind = "CronJob";
  ObjectMeta metadata;
  CronJobSpec spec;
  CronJobStatus status;
};

}  // namespace kumiko::api
