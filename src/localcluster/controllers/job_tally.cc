#include "localcluster/controllers/job_tally.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "base/text.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

std::set<std::string> Uids(const Json& tree, const char* member) {
  std::set<std::string> uids;
  const Json* list = FindPath(tree, {"status", "uncountedTerminatedPods", member});
  if (list == nullptr || !list->is_array()) return uids;
  for (const Json& uid : list->get_array()) {
    if (uid.is_string()) uids.emplace(uid.get_string());
  }
  return uids;
}

bool IsIndexed(const api::Job& job) {
  return job.spec.completion_mode == "Indexed";
}

void CountTracked(const PodPointer& pod, const std::set<std::string>& known_succeeded,
                  const std::set<std::string>& known_failed, JobTally& tally) {
  const std::string& uid = pod->metadata.uid;
  const bool succeeded = pod->status.phase == "Succeeded";
  // A pod that is being deleted will not succeed any more and is replaced at once.
  const bool failed = !succeeded && (pod->status.phase == "Failed" || pod->metadata.deletion_timestamp);
  if (known_succeeded.contains(uid) || succeeded) {
    if (!known_succeeded.contains(uid)) ++tally.new_succeeded;
    tally.uncounted_succeeded.push_back(uid);
    tally.counted.push_back(pod);
  } else if (known_failed.contains(uid) || failed) {
    if (!known_failed.contains(uid)) ++tally.new_failed;
    tally.uncounted_failed.push_back(uid);
    tally.counted.push_back(pod);
  }
}

const api::Condition* FindCondition(const api::Job& job, std::string_view type) {
  for (const api::Condition& condition : job.status.conditions) {
    if (condition.type == type && condition.status == "True") return &condition;
  }
  return nullptr;
}

}  // namespace

bool IsTracked(const api::Pod& pod) {
  const auto& finalizers = pod.metadata.finalizers;
  return std::ranges::find(finalizers, kJobTrackingFinalizer) != finalizers.end();
}

std::set<std::int64_t> ParseIndexes(const std::string& text) {
  std::set<std::int64_t> indexes;
  for (const std::string_view part : Split(text, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = ParseInt64(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : ParseInt64(part.substr(dash + 1));
    if (!first || !last) continue;
    for (std::int64_t index = *first; index <= *last; ++index) indexes.insert(index);
  }
  return indexes;
}

std::string IndexesText(const std::set<std::int64_t>& indexes) {
  std::string text;
  for (auto at = indexes.begin(); at != indexes.end();) {
    const std::int64_t first = *at;
    std::int64_t last = first;
    for (++at; at != indexes.end() && *at == last + 1; ++at) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last > first) text += (last == first + 1 ? "," : "-") + std::to_string(last);
  }
  return text;
}

std::optional<std::int64_t> IndexOf(const api::Pod& pod) {
  const auto found = pod.metadata.annotations.find(kCompletionIndex);
  if (found == pod.metadata.annotations.end()) return std::nullopt;
  return ParseInt64(found->second);
}

JobTally TallyOf(const api::Job& job, const Json& tree, const Pods& pods) {
  JobTally tally;
  const std::set<std::string> known_succeeded = Uids(tree, "succeeded");
  const std::set<std::string> known_failed = Uids(tree, "failed");
  if (IsIndexed(job)) tally.succeeded_indexes = ParseIndexes(job.status.completed_indexes);
  for (const PodPointer& pod : pods) {
    if (IsActive(*pod)) {
      tally.active.push_back(pod);
      if (IsReady(*pod)) ++tally.ready;
      for (const api::ContainerStatus& container : pod->status.container_statuses) {
        tally.restarts += container.restart_count;
      }
    } else if (IsTerminating(*pod)) {
      ++tally.terminating;
    }
    if (!IsTracked(*pod)) continue;
    CountTracked(pod, known_succeeded, known_failed, tally);
    if (pod->status.phase != "Succeeded" || !IsIndexed(job)) continue;
    const auto index = IndexOf(*pod);
    if (index && *index < job.spec.completions.value_or(0)) tally.succeeded_indexes.insert(*index);
  }
  tally.succeeded = job.status.succeeded + tally.new_succeeded;
  if (IsIndexed(job)) tally.succeeded = static_cast<std::int64_t>(tally.succeeded_indexes.size());
  tally.failed = job.status.failed + tally.new_failed;
  return tally;
}

bool IsOver(const api::Job& job) {
  return FindCondition(job, "Complete") != nullptr || FindCondition(job, "Failed") != nullptr;
}

std::optional<JobEnd> EndOf(const api::Job& job, const JobTally& tally, Time now) {
  if (const auto* met = FindCondition(job, "SuccessCriteriaMet")) return JobEnd{true, met->reason, met->message};
  if (const auto* target = FindCondition(job, "FailureTarget")) return JobEnd{false, target->reason, target->message};
  const std::int64_t limit = job.spec.backoff_limit.value_or(6);
  const bool restarted_too_often = job.spec.template_.spec.restart_policy == "OnFailure" &&
                                   (limit == 0 ? tally.restarts > 0 : tally.restarts >= limit);
  if (tally.failed > limit || restarted_too_often) {
    return JobEnd{false, "BackoffLimitExceeded", "Job has reached the specified backoff limit"};
  }
  if (job.spec.active_deadline_seconds && job.status.start_time && !job.spec.suspend &&
      *job.status.start_time + std::chrono::seconds(*job.spec.active_deadline_seconds) <= now) {
    return JobEnd{false, "DeadlineExceeded", "Job was active longer than specified deadline"};
  }
  const bool reached = job.spec.completions ? tally.succeeded >= *job.spec.completions : tally.succeeded > 0;
  if (reached && tally.active.empty()) {
    return JobEnd{true, "CompletionsReached", "Reached expected number of succeeded pods"};
  }
  return std::nullopt;
}

std::int64_t WantedActive(const api::Job& job, const JobTally& tally) {
  if (job.spec.suspend) return 0;
  const std::int64_t parallelism = job.spec.parallelism.value_or(1);
  if (job.spec.completions) {
    return std::max<std::int64_t>(0, std::min(parallelism, *job.spec.completions - tally.succeeded));
  }
  // A work queue: the first success means that no new pods are needed.
  const auto active = static_cast<std::int64_t>(tally.active.size());
  return tally.succeeded > 0 ? std::min(parallelism, active) : parallelism;
}

}  // namespace kumiko::localcluster
