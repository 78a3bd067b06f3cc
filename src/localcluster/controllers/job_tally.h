// What the pods of a Job add up to. Pods of Jobs carry a finalizer until they are counted, so that none is missed that
// is deleted early, and none counts twice. Pure functions. Source: pkg/controller/job of Kubernetes 1.37.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/batch/types.h"
#include "base/json.h"
#include "localcluster/controllers/pod_state.h"

namespace kumiko::localcluster {

inline constexpr const char* kJobTrackingFinalizer = "batch.kubernetes.io/job-tracking";
inline constexpr const char* kCompletionIndex = "batch.kubernetes.io/job-completion-index";

bool IsTracked(const api::Pod& pod);

// The indexes of a text such as "0,2-4", and back.
std::set<std::int64_t> ParseIndexes(const std::string& text);
std::string IndexesText(const std::set<std::int64_t>& indexes);

std::optional<std::int64_t> IndexOf(const api::Pod& pod);

struct JobTally {
  Pods active;
  std::int64_t ready = 0;
  std::int64_t terminating = 0;
  std::int64_t restarts = 0;  // of containers of active pods
  // Counted in the status, but their finalizer is still to go.
  std::vector<std::string> uncounted_succeeded;  // uids
  std::vector<std::string> uncounted_failed;
  Pods counted;  // those pods
  std::int64_t new_succeeded = 0;
  std::int64_t new_failed = 0;
  // As the status will say.
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::set<std::int64_t> succeeded_indexes;  // of an Indexed Job
};

// `tree` is the stored object of `job`.
JobTally TallyOf(const api::Job& job, const Json& tree, const Pods& pods);

// Why a Job ends: a reason and message of the conditions Complete and Failed.
struct JobEnd {
  bool success = false;
  std::string reason;
  std::string message;
};
// Nothing: it goes on. An end that the conditions tell already stands.
std::optional<JobEnd> EndOf(const api::Job& job, const JobTally& tally, Time now);
bool IsOver(const api::Job& job);

// How many pods should be active.
std::int64_t WantedActive(const api::Job& job, const JobTally& tally);

}  // namespace kumiko::localcluster
