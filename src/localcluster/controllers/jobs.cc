// Pods of Jobs. Source: pkg/controller/job and ttlafterfinished of Kubernetes 1.37.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/batch/types.h"
#include "kube/retry.h"
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/job_tally.h"
#include "localcluster/controllers/owned_objects.h"
#include "localcluster/controllers/pod_limits.h"
#include "localcluster/controllers/pod_ownership.h"
#include "localcluster/object_tree.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

constexpr EventSource kSource{"job-controller"};

// After a pod has failed, the next one waits; each further failure doubles it.
constexpr Duration kFirstDelay = std::chrono::seconds(10);
constexpr Duration kLongestDelay = std::chrono::minutes(10);
// After a pod could not be made.
constexpr Duration kRetryAfter = std::chrono::seconds(30);

bool SetJobCondition(Json& job, std::string_view type, std::string_view status, std::string_view reason,
                     std::string_view message, Time now) {
  const bool changed = SetCondition(
      job, {std::string(type), std::string(status), std::string(reason), std::string(message), std::nullopt}, now);
  for (Json& condition : StatusOf(job)["conditions"].as_array()) {
    if (StringAt(condition, {"type"}) == type && changed) {
      condition.as_object()["lastProbeTime"] = FormatRfc3339(now);
    }
  }
  return changed;
}

class JobController {
 public:
  explicit JobController(Workloads& workloads)
      : api_(workloads.api),
        clock_(workloads.clock),
        events_(workloads.events),
        pods_(workloads.pods),
        pod_feed_(workloads.pods.AddReader()),
        jobs_(workloads.jobs, workloads.pods) {}

  Result<bool> Step() {
    KU_TRY_OK(jobs_.Sync(work_, [this](const std::string& uid) { failures_.erase(uid); }));
    StepResult released("jobs");
    KU_TRY_OK(ReleaseOrphans(released));
    budget_ = kMostPodsPerStep;
    const bool worked = work_.Run("jobs", clock_.Now(), [this](const kube::ObjectKey& key, StepResult& result) {
      if (const auto job = jobs_.Find(key)) Reconcile(*job, key, result);
    });
    return worked || released.changed();
  }

  std::optional<Time> NextWake() const { return work_.NextWake(); }

 private:
  struct Failures {
    std::int64_t since_success = 0;
    Time last;
  };

  // Pods whose Job is gone wait for nobody to count them.
  Status ReleaseOrphans(StepResult& result) {
    KU_TRY(const auto changes, pods_.Read(pod_feed_));
    for (const PodIndex::Change& change : changes) {
      if (change.after && IsTracked(*change.after) && !HasJob(*change.after)) StopTracking(*change.after, result);
    }
    return {};
  }

  bool HasJob(const api::Pod& pod) const {
    const api::OwnerReference* owner = api::ControllerOf(pod.metadata);
    if (owner == nullptr || owner->kind != api::Job::kKind) return false;
    const auto job = jobs_.Find({api::Job::kKind, pod.metadata.namespace_, owner->name});
    return job != nullptr && job->metadata.uid == owner->uid;
  }

  void StopTracking(const api::Pod& pod, StepResult& result) {
    result.Note(
        kube::UpdateWithRetry(api_, kube::KeyOf(pod), kube::Subresource::kNone, [](Json& object) -> Result<bool> {
          Json* list = MetadataOf(object).if_contains("finalizers");
          if (list == nullptr || !list->is_array()) return false;
          JsonArray left;
          for (const Json& finalizer : list->get_array()) {
            if (finalizer != kJobTrackingFinalizer) left.push_back(finalizer);
          }
          if (left.size() == list->get_array().size()) return false;
          if (left.empty()) {
            MetadataOf(object).erase("finalizers");
          } else {
            *list = std::move(left);
          }
          return true;
        }));
  }

  void Reconcile(const api::Job& job, const kube::ObjectKey& key, StepResult& result) {
    const Pods pods = jobs_.Claim(job, key, result);
    if (IsOver(job) || job.metadata.deletion_timestamp) {
      for (const PodPointer& pod : pods) {
        if (IsTracked(*pod)) StopTracking(*pod, result);
      }
      if (!job.metadata.deletion_timestamp) DeleteWhenOld(job, key, result);
      return;
    }
    const auto tree = api_.Get(key);
    if (!tree) return;
    const Time now = clock_.Now();
    JobTally tally = TallyOf(job, **tree, pods);
    NoteFailures(job.metadata.uid, tally, now);
    std::optional<JobEnd> end = EndOf(job, tally, now);
    if (end) {
      // Of a Job that failed, what is stopped counts as failed.
      for (const PodPointer& pod : tally.active) Delete(job, *pod, end->success, result);
    } else {
      Manage(job, key, tally, result);
    }
    // The Job is over once everything has stopped and is counted.
    const bool settled = tally.active.empty() && tally.terminating == 0 && tally.counted.empty();
    WriteStatus(job, key, tally, end, settled, result);
    for (const PodPointer& pod : tally.counted) StopTracking(*pod, result);
    if (job.spec.active_deadline_seconds && job.status.start_time && !job.spec.suspend) {
      work_.AddAt(key, *job.status.start_time + std::chrono::seconds(*job.spec.active_deadline_seconds));
    }
  }

  void DeleteWhenOld(const api::Job& job, const kube::ObjectKey& key, StepResult& result) {
    if (!job.spec.ttl_seconds_after_finished) return;
    Time finished;
    for (const api::Condition& condition : job.status.conditions) {
      if (condition.type == "Complete" || condition.type == "Failed") {
        finished = condition.last_transition_time.value_or(Time());
      }
    }
    const Time old = finished + std::chrono::seconds(*job.spec.ttl_seconds_after_finished);
    if (clock_.Now() < old) {
      work_.AddAt(key, old);
      return;
    }
    kube::DeleteOptions options;
    options.uid = job.metadata.uid;
    options.propagation = kube::Propagation::kForeground;
    result.Note(api_.Delete(key, options));
  }

  void NoteFailures(const std::string& uid, const JobTally& tally, Time now) {
    if (tally.new_succeeded > 0) failures_.erase(uid);
    if (tally.new_failed == 0) return;
    Failures& failures = failures_[uid];
    failures.since_success += tally.new_failed;
    failures.last = now;
  }

  // When the next pod may be made.
  Time NextPodAt(const std::string& uid) const {
    const auto found = failures_.find(uid);
    if (found == failures_.end()) return {};
    Duration delay = kFirstDelay;
    for (std::int64_t i = 1; i < found->second.since_success && delay < kLongestDelay; ++i) delay *= 2;
    return found->second.last + std::min(delay, kLongestDelay);
  }

  void Manage(const api::Job& job, const kube::ObjectKey& key, JobTally& tally, StepResult& result) {
    const std::int64_t wanted = limit_.Cap(api::Job::kKind, job.metadata, WantedActive(job, tally));
    const auto active = static_cast<std::int64_t>(tally.active.size());
    if (active > wanted) {
      SortForDeletion(tally.active);
      for (std::int64_t i = 0; i < active - wanted; ++i) {
        Delete(job, *tally.active[static_cast<std::size_t>(i)], true, result);
      }
    } else if (active < wanted) {
      const Time from = NextPodAt(job.metadata.uid);
      if (from > clock_.Now()) {
        work_.AddAt(key, from);
      } else {
        MakePods(job, key, wanted - active, tally, result);
      }
    }
  }

  // `uncounted`: the pod leaves without counting as failed.
  void Delete(const api::Job& job, const api::Pod& pod, bool uncounted, StepResult& result) {
    if (uncounted && IsTracked(pod)) StopTracking(pod, result);
    kube::DeleteOptions options;
    options.uid = pod.metadata.uid;
    if (result.Note(api_.Delete(kube::KeyOf(pod), options))) {
      events_.Normal(kSource, SubjectOf(job), "SuccessfulDelete", fmt::format("Deleted pod: {}", pod.metadata.name));
    }
  }

  void MakePods(const api::Job& job, const kube::ObjectKey& key, std::int64_t missing, const JobTally& tally,
                StepResult& result) {
    const auto owner = api_.Get(key);
    if (!owner) return;
    Result<Json> pod = PodFromTemplate(**owner, {});
    if (!pod) {
      result.Note(pod);
      return;
    }
    MetadataOf(*pod)["finalizers"] = JsonArray{kJobTrackingFinalizer};
    std::vector<std::int64_t> indexes =
        job.spec.completion_mode == "Indexed" ? FreeIndexes(job, tally, missing) : std::vector<std::int64_t>();
    for (std::int64_t i = 0; i < missing; ++i, --budget_) {
      if (budget_ <= 0) {
        work_.Add(key);
        return;
      }
      if (job.spec.completion_mode == "Indexed") {
        if (static_cast<std::size_t>(i) >= indexes.size()) return;
        SetIndex(job, *pod, indexes[static_cast<std::size_t>(i)]);
      }
      const auto created = api_.Create(*pod);
      if (!created) {
        NoteFailedCreate(job, key, created.error(), result);
        return;
      }
      result.Note(created);
      events_.Normal(kSource, SubjectOf(job), "SuccessfulCreate",
                     fmt::format("Created pod: {}", StringAt(**created, {"metadata", "name"})));
    }
  }

  void NoteFailedCreate(const api::Job& job, const kube::ObjectKey& key, const Error& error, StepResult& result) {
    if (error.Retryable()) {
      result.Note(Status(tl::unexpected<Error>(error)));
    } else if (error.code != Code::kPermission) {  // else the namespace is being deleted
      events_.Warning(kSource, SubjectOf(job), "FailedCreate", fmt::format("Error creating: {}", error.message));
      work_.AddAt(key, clock_.Now() + kRetryAfter);
    }
  }

  // The first `count` completion indexes that nobody works on.
  static std::vector<std::int64_t> FreeIndexes(const api::Job& job, const JobTally& tally, std::int64_t count) {
    std::set<std::int64_t> taken = tally.succeeded_indexes;
    for (const PodPointer& pod : tally.active) {
      if (const auto index = IndexOf(*pod)) taken.insert(*index);
    }
    std::vector<std::int64_t> free;
    for (std::int64_t index = 0; index < job.spec.completions.value_or(0); ++index) {
      if (static_cast<std::int64_t>(free.size()) == count) break;
      if (!taken.contains(index)) free.push_back(index);
    }
    return free;
  }

  static void SetIndex(const api::Job& job, Json& pod, std::int64_t index) {
    const std::string text = std::to_string(index);
    JsonObject& metadata = MetadataOf(pod);
    metadata["generateName"] = fmt::format("{}-{}-", job.metadata.name, index);
    for (const char* member : {"labels", "annotations"}) {
      if (!metadata[member].is_object()) metadata[member] = JsonObject();
      metadata[member].as_object()[kCompletionIndex] = text;
    }
    JsonObject& spec = pod.as_object()["spec"].as_object();
    spec["hostname"] = fmt::format("{}-{}", job.metadata.name, index);
    for (const char* list : {"initContainers", "containers"}) {
      Json* containers = spec.if_contains(list);
      if (containers == nullptr || !containers->is_array()) continue;
      for (Json& container : containers->get_array()) SetEnvironment(container, text);
    }
  }

  static void SetEnvironment(Json& container, const std::string& index) {
    Json& list = container.as_object()["env"];
    if (!list.is_array()) list = JsonArray();
    for (Json& variable : list.get_array()) {
      if (StringAt(variable, {"name"}) != "JOB_COMPLETION_INDEX") continue;
      variable.as_object()["value"] = index;
      return;
    }
    list.get_array().push_back(JsonObject{{"name", "JOB_COMPLETION_INDEX"}, {"value", index}});
  }

  void WriteStatus(const api::Job& job, const kube::ObjectKey& key, const JobTally& tally,
                   const std::optional<JobEnd>& end, bool settled, StepResult& result) {
    const Time now = clock_.Now();
    bool suspended = false;
    bool resumed = false;
    bool over = false;
    WriteStatusWith(api_, key, result, [&](Json& object) {
      JsonObject& status = StatusOf(object);
      if (!job.status.start_time && !job.spec.suspend) status["startTime"] = FormatRfc3339(now);
      SetCount(status, "active", static_cast<std::int64_t>(tally.active.size()));
      status["ready"] = tally.ready;
      status["terminating"] = tally.terminating;
      SetCount(status, "succeeded", tally.succeeded);
      SetCount(status, "failed", tally.failed);
      JsonObject uncounted;
      for (const auto& [member, uids] :
           {std::pair("succeeded", &tally.uncounted_succeeded), std::pair("failed", &tally.uncounted_failed)}) {
        if (!uids->empty()) uncounted[member] = JsonArray(uids->begin(), uids->end());
      }
      status["uncountedTerminatedPods"] = std::move(uncounted);
      if (const std::string indexes = IndexesText(tally.succeeded_indexes); !indexes.empty()) {
        status["completedIndexes"] = indexes;
      }
      const bool is_suspended = ConditionStatus(job.status.conditions, "Suspended") == "True";
      if (!end && job.spec.suspend) {
        suspended = SetJobCondition(object, "Suspended", "True", "JobSuspended", "Job suspended", now);
        StatusOf(object).erase("startTime");
      } else if (!end && is_suspended) {
        resumed = SetJobCondition(object, "Suspended", "False", "JobResumed", "Job resumed", now);
        StatusOf(object)["startTime"] = FormatRfc3339(now);
      }
      if (!end) return;
      SetJobCondition(object, end->success ? "SuccessCriteriaMet" : "FailureTarget", "True", end->reason, end->message,
                      now);
      if (!settled) return;
      over = true;
      SetJobCondition(object, end->success ? "Complete" : "Failed", "True", end->reason, end->message, now);
      if (end->success) StatusOf(object)["completionTime"] = FormatRfc3339(now);
    });
    if (suspended) events_.Normal(kSource, SubjectOf(job), "Suspended", "Job suspended");
    if (resumed) events_.Normal(kSource, SubjectOf(job), "Resumed", "Job resumed");
    if (!over) return;
    failures_.erase(job.metadata.uid);
    if (end->success) {
      events_.Normal(kSource, SubjectOf(job), "Completed", "Job completed");
    } else {
      events_.Warning(kSource, SubjectOf(job), end->reason, end->message);
    }
  }

  kube::ApiClient& api_;
  const Clock& clock_;
  EventRecorder& events_;
  PodIndex& pods_;
  std::size_t pod_feed_;
  Ownership<api::Job, api::Pod> jobs_;
  WorkList work_;
  std::map<std::string, Failures> failures_;  // by the uid of the Job
  OwnerLimit limit_;
  std::int64_t budget_ = 0;
};

}  // namespace

Controller MakeJobController(Workloads& workloads) {
  auto controller = std::make_shared<JobController>(workloads);
  return {"jobs", [controller] { return controller->Step(); }, [controller] { return controller->NextWake(); }};
}

}  // namespace kumiko::localcluster
