// Pods of Jobs.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/batch/types.h"
#include "kube/retry.h"
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/owned_objects.h"
#include "localcluster/controllers/pod_limits.h"
#include "localcluster/controllers/step_result.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

using kube::Subresource;

bool IsOver(const api::Job& job) {
  return ConditionStatus(job.status.conditions, "Complete") == "True" ||
         ConditionStatus(job.status.conditions, "Failed") == "True";
}

class JobController {
 public:
  JobController(kube::ApiClient& api, const Clock& clock) : api_(api), clock_(clock), jobs_(api), pods_(api) {}

  Result<bool> Step() {
    KU_TRY(const auto jobs, jobs_.Sync());
    KU_TRY(const auto pods, pods_.Sync());
    if (jobs.empty() && pods.empty() && !again_) return false;
    StepResult result("jobs");
    std::map<std::string, std::vector<const api::Pod*>> pods_of;
    for (const auto& [key, pod] : pods_.objects()) {
      const api::OwnerReference* owner = api::ControllerOf(pod->metadata);
      if (owner != nullptr && owner->kind == api::Job::kKind) pods_of[owner->uid].push_back(pod.get());
    }
    std::int64_t budget = kMostPodsPerStep;
    for (const auto& [key, job] : jobs_.objects()) {
      if (!job->metadata.deletion_timestamp) Reconcile(*job, pods_of[job->metadata.uid], budget, result);
    }
    again_ = result.again() || budget == 0;
    return result.changed();
  }

 private:
  // Pods that ended, by uid: they count although they may have been deleted since.
  struct Ended {
    std::set<std::string> succeeded;
    std::set<std::string> failed;
  };

  // Makes at most `budget` pods and takes them off it.
  void Reconcile(const api::Job& job, const std::vector<const api::Pod*>& pods, std::int64_t& budget,
                 StepResult& result) {
    Ended& ended = ended_[job.metadata.uid];
    std::vector<const api::Pod*> active;
    for (const api::Pod* pod : pods) {
      if (pod->status.phase == "Succeeded") {
        ended.succeeded.insert(pod->metadata.uid);
      } else if (pod->status.phase == "Failed") {
        ended.failed.insert(pod->metadata.uid);
      } else if (!pod->metadata.deletion_timestamp) {
        active.push_back(pod);
      }
    }
    if (IsOver(job)) return;
    const auto succeeded = static_cast<std::int64_t>(ended.succeeded.size());
    const auto failed = static_cast<std::int64_t>(ended.failed.size());
    const bool gave_up = failed > job.spec.backoff_limit.value_or(6);
    const bool complete = job.spec.completions ? succeeded >= *job.spec.completions : succeeded > 0 && active.empty();
    std::int64_t wanted = job.spec.parallelism.value_or(1);
    if (job.spec.completions) {
      wanted = std::min(wanted, *job.spec.completions - succeeded);
    } else if (succeeded > 0) {
      // A work queue: the first success means that no new pods are needed.
      wanted = std::min<std::int64_t>(wanted, static_cast<std::int64_t>(active.size()));
    }
    if (job.spec.suspend || gave_up || complete) wanted = 0;
    wanted = limit_.Cap(api::Job::kKind, job.metadata, std::max<std::int64_t>(wanted, 0));

    auto now_active = static_cast<std::int64_t>(active.size());
    for (; now_active < wanted && budget > 0; ++now_active, --budget) {
      if (!MakePod(job, result)) break;
    }
    for (; now_active > wanted; --now_active) {
      kube::DeleteOptions options;
      options.uid = active[static_cast<std::size_t>(now_active - 1)]->metadata.uid;
      result.Note(api_.Delete(kube::KeyOf(*active[static_cast<std::size_t>(now_active - 1)]), options));
    }
    WriteStatus(job, now_active, succeeded, failed, complete, gave_up, result);
  }

  bool MakePod(const api::Job& job, StepResult& result) {
    const auto owner = api_.Get(kube::KeyOf(job));
    if (!owner) return false;
    const Result<Json> pod = PodFromTemplate(**owner, {{"batch.kubernetes.io/controller-uid", job.metadata.uid},
                                                       {"batch.kubernetes.io/job-name", job.metadata.name},
                                                       {"controller-uid", job.metadata.uid},
                                                       {"job-name", job.metadata.name}});
    if (!pod) return result.Note(pod);
    return result.Note(api_.Create(*pod));
  }

  void WriteStatus(const api::Job& job, std::int64_t active, std::int64_t succeeded, std::int64_t failed, bool complete,
                   bool gave_up, StepResult& result) {
    const Time now = clock_.Now();
    bool wrote = false;
    const auto written = kube::UpdateWithRetry(api_, kube::KeyOf(job), Subresource::kStatus, [&](Json& object) {
      wrote = false;
      if (!job.status.start_time && !job.spec.suspend)
        wrote |= SetStatus(object, "startTime", Json(FormatRfc3339(now)));
      wrote |= SetStatus(object, "active", active);
      wrote |= SetStatus(object, "succeeded", succeeded);
      wrote |= SetStatus(object, "failed", failed);
      if (gave_up) {
        wrote |= SetCondition(
            object,
            {"Failed", "True", "BackoffLimitExceeded", "more pods have failed than backoffLimit allows", std::nullopt},
            now);
      } else if (complete) {
        wrote |= SetCondition(object, {"Complete", "True", "CompletionsReached", "", std::nullopt}, now);
        wrote |= SetStatus(object, "completionTime", Json(FormatRfc3339(now)));
      }
      return Result<bool>(wrote);
    });
    if (!written || wrote) result.Note(written);
  }

  kube::ApiClient& api_;
  const Clock& clock_;
  kube::Informer<api::Job> jobs_;
  kube::Informer<api::Pod> pods_;
  std::map<std::string, Ended> ended_;
  OwnerLimit limit_;
  bool again_ = false;
};

}  // namespace

Controller MakeJobController(kube::ApiClient& api, const Clock& clock) {
  auto controller = std::make_shared<JobController>(api, clock);
  return {"jobs", [controller] { return controller->Step(); }, {}};
}

}  // namespace kumiko::localcluster
