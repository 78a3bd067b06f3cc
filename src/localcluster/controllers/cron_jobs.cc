// Jobs of CronJobs. Source: pkg/controller/cronjob of Kubernetes 1.37.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/batch/types.h"
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/cron_schedule.h"
#include "localcluster/controllers/job_tally.h"
#include "localcluster/controllers/owned_objects.h"
#include "localcluster/controllers/pod_ownership.h"
#include "localcluster/object_tree.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

constexpr EventSource kSource{"cronjob-controller"};
constexpr const char* kScheduledAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";

using JobPointer = std::shared_ptr<const api::Job>;

// `kubectl create job --from`: its owner counts it as none that it started.
bool IsMadeByHand(const api::Job& job) {
  return job.metadata.annotations.contains("cronjob.kubernetes.io/instantiate");
}

bool Succeeded(const api::Job& job) {
  return ConditionStatus(job.status.conditions, "Complete") == "True";
}

class CronJobController {
 public:
  explicit CronJobController(Workloads& workloads)
      : api_(workloads.api),
        clock_(workloads.clock),
        events_(workloads.events),
        cron_jobs_(workloads.api),
        jobs_(cron_jobs_, workloads.jobs) {}

  Result<bool> Step() {
    KU_TRY_OK(jobs_.Sync(work_));
    return work_.Run("cronjobs", clock_.Now(), [this](const kube::ObjectKey& key, StepResult& result) {
      const auto cron_job = jobs_.Find(key);
      if (cron_job && !cron_job->metadata.deletion_timestamp) Reconcile(*cron_job, key, result);
    });
  }

  std::optional<Time> NextWake() const { return work_.NextWake(); }

 private:
  struct Look {
    const api::CronJob& cron_job;
    const kube::ObjectKey& key;
    std::vector<JobPointer> active;
    std::optional<Time> started;  // the schedule time of a Job made now
    StepResult& result;
  };

  void Reconcile(const api::CronJob& cron_job, const kube::ObjectKey& key, StepResult& result) {
    Look look{cron_job, key, {}, std::nullopt, result};
    std::vector<JobPointer> finished;
    for (const JobPointer& job : jobs_.Claim(cron_job, key, result)) {
      if (IsOver(*job)) {
        finished.push_back(job);
      } else if (!job->metadata.deletion_timestamp && !IsMadeByHand(*job)) {
        look.active.push_back(job);
      }
    }
    Trim(look, finished, true, cron_job.spec.successful_jobs_history_limit.value_or(3));
    Trim(look, finished, false, cron_job.spec.failed_jobs_history_limit.value_or(1));
    const Result<CronSchedule> schedule = CronSchedule::Parse(cron_job.spec.schedule);
    if (!schedule) {
      events_.Warning(kSource, SubjectOf(cron_job), "UnparseableSchedule",
                      fmt::format("unparseable schedule: {} : {}", cron_job.spec.schedule, schedule.error().message));
    } else if (!cron_job.spec.suspend) {
      StartWhenDue(look, *schedule);
    }
    WriteStatus(look, finished);
  }

  // The earliest of the finished Jobs with this outcome go.
  void Trim(Look& look, const std::vector<JobPointer>& finished, bool succeeded, std::int64_t limit) {
    std::vector<JobPointer> jobs;
    for (const JobPointer& job : finished) {
      if (Succeeded(*job) == succeeded && !job->metadata.deletion_timestamp) jobs.push_back(job);
    }
    std::ranges::stable_sort(jobs, {}, [](const JobPointer& job) { return job->status.start_time; });
    const std::int64_t surplus = static_cast<std::int64_t>(jobs.size()) - limit;
    for (std::int64_t i = 0; i < surplus; ++i) Delete(look, *jobs[static_cast<std::size_t>(i)]);
  }

  void Delete(Look& look, const api::Job& job) {
    kube::DeleteOptions options;
    options.uid = job.metadata.uid;
    if (!look.result.Note(api_.Delete(kube::KeyOf(job), options))) return;
    events_.Normal(kSource, SubjectOf(look.cron_job), "SuccessfulDelete",
                   fmt::format("Deleted job {}", job.metadata.name));
  }

  // The last time at which a Job should have been started and was not.
  std::optional<Time> Due(const api::CronJob& cron_job, const CronSchedule& schedule, Time now) const {
    Time since = cron_job.status.last_schedule_time.value_or(cron_job.metadata.creation_timestamp.value_or(now));
    if (cron_job.spec.starting_deadline_seconds) {
      since = std::max(since, now - std::chrono::seconds(*cron_job.spec.starting_deadline_seconds));
    }
    // What was missed for long is not caught up one by one: the last time is what counts.
    constexpr int kMostMissed = 100;
    std::optional<Time> due;
    std::optional<Time> next = schedule.Next(since);
    for (int missed = 0; next && *next <= now; ++missed) {
      due = next;
      next = schedule.Next(missed < kMostMissed ? *next : std::max(*next, now - std::chrono::hours(24)));
    }
    return due;
  }

  void StartWhenDue(Look& look, const CronSchedule& schedule) {
    const api::CronJob& cron_job = look.cron_job;
    if (cron_job.spec.time_zone && *cron_job.spec.time_zone != "UTC" && *cron_job.spec.time_zone != "Etc/UTC") {
      events_.Warning(
          kSource, SubjectOf(cron_job), "UnknownTimeZone",
          fmt::format("the local cluster knows no time zone but UTC and takes {} for it", *cron_job.spec.time_zone));
    }
    const Time now = clock_.Now();
    if (const auto next = schedule.Next(now)) work_.AddAt(look.key, *next);
    const std::optional<Time> due = Due(cron_job, schedule, now);
    if (!due) return;
    if (cron_job.spec.concurrency_policy == "Forbid" && !look.active.empty()) {
      events_.Normal(kSource, SubjectOf(cron_job), "JobAlreadyActive",
                     "Not starting job because prior execution is running and concurrency policy is Forbid");
      return;
    }
    if (cron_job.spec.concurrency_policy == "Replace") {
      for (const JobPointer& job : std::exchange(look.active, {})) Delete(look, *job);
    }
    Start(look, *due);
  }

  void Start(Look& look, Time due) {
    const auto owner = api_.Get(look.key);
    if (!owner) return;
    const std::string name = fmt::format("{}-{}", look.cron_job.metadata.name.substr(0, 52), due.micros / 60'000'000);
    Json job = JsonObject();
    if (const Json* given = FindPath(**owner, {"spec", "jobTemplate"}); given != nullptr && given->is_object()) {
      job = *given;
    }
    job.as_object()["apiVersion"] = api::Job::kApiVersion;
    job.as_object()["kind"] = api::Job::kKind;
    JsonObject& metadata = MetadataOf(job);
    metadata["name"] = name;
    metadata["namespace"] = look.key.namespace_;
    metadata["ownerReferences"] = JsonArray{OwnerReferenceTo(**owner)};
    if (!metadata["annotations"].is_object()) metadata["annotations"] = JsonObject();
    metadata["annotations"].as_object()[kScheduledAnnotation] = FormatRfc3339(due);
    const auto created = api_.Create(job);
    if (!created) {
      if (created.error().code == Code::kAlreadyExists) {
        look.started = due;
      } else if (created.error().Retryable()) {
        look.result.Note(created);
      } else if (created.error().code != Code::kPermission) {  // else the namespace is being deleted
        events_.Warning(kSource, SubjectOf(look.cron_job), "FailedCreate",
                        fmt::format("Error creating job: {}", created.error().message));
      }
      return;
    }
    look.result.Note(created);
    look.started = due;
    if (auto made = api::Decode<api::Job>(**created)) {
      look.active.push_back(std::make_shared<const api::Job>(std::move(*made)));
    }
    events_.Normal(kSource, SubjectOf(look.cron_job), "SuccessfulCreate", fmt::format("Created job {}", name));
  }

  void WriteStatus(Look& look, const std::vector<JobPointer>& finished) {
    JsonArray active;
    for (const JobPointer& job : look.active) {
      active.push_back(JsonObject{{"apiVersion", api::Job::kApiVersion},
                                  {"kind", api::Job::kKind},
                                  {"name", job->metadata.name},
                                  {"namespace", job->metadata.namespace_},
                                  {"resourceVersion", job->metadata.resource_version},
                                  {"uid", job->metadata.uid}});
    }
    std::optional<Time> succeeded;
    for (const JobPointer& job : finished) {
      if (Succeeded(*job)) succeeded = std::max(succeeded, job->status.completion_time);
    }
    std::vector<JobPointer> ended;
    WriteStatusWith(api_, look.key, look.result, [&](Json& object) {
      JsonObject& status = StatusOf(object);
      ended = EndedSince(status, finished);
      KeepVersions(status, active);
      if (active.empty()) {
        status.erase("active");
      } else {
        status["active"] = active;
      }
      if (look.started) status["lastScheduleTime"] = FormatRfc3339(*look.started);
      const std::string_view told = StringAt(object, {"status", "lastSuccessfulTime"});
      if (succeeded && FormatRfc3339(*succeeded) > told) status["lastSuccessfulTime"] = FormatRfc3339(*succeeded);
    });
    for (const JobPointer& job : ended) {
      events_.Normal(kSource, SubjectOf(look.cron_job), "SawCompletedJob",
                     fmt::format("Saw completed job: {}, condition: {}", job->metadata.name,
                                 Succeeded(*job) ? "Complete" : "Failed"));
    }
  }

  // The finished Jobs that the status still lists as active.
  static std::vector<JobPointer> EndedSince(const JsonObject& status, const std::vector<JobPointer>& finished) {
    std::vector<JobPointer> ended;
    const Json* listed = status.if_contains("active");
    if (listed == nullptr || !listed->is_array()) return ended;
    for (const JobPointer& job : finished) {
      const bool was_active = std::ranges::any_of(
          listed->get_array(), [&](const Json& entry) { return StringAt(entry, {"uid"}) == job->metadata.uid; });
      if (was_active) ended.push_back(job);
    }
    return ended;
  }

  // A reference keeps the version that it was written with, else every change of a Job would change its CronJob.
  static void KeepVersions(const JsonObject& status, JsonArray& active) {
    const Json* listed = status.if_contains("active");
    if (listed == nullptr || !listed->is_array()) return;
    for (Json& entry : active) {
      for (const Json& before : listed->get_array()) {
        if (StringAt(before, {"uid"}) == StringAt(entry, {"uid"})) entry = before;
      }
    }
  }

  kube::ApiClient& api_;
  const Clock& clock_;
  EventRecorder& events_;
  OwnedIndex<api::CronJob> cron_jobs_;
  Ownership<api::CronJob, api::Job> jobs_;
  WorkList work_;
};

}  // namespace

Controller MakeCronJobController(Workloads& workloads) {
  auto controller = std::make_shared<CronJobController>(workloads);
  return {"cronjobs", [controller] { return controller->Step(); }, [controller] { return controller->NextWake(); }};
}

}  // namespace kumiko::localcluster
