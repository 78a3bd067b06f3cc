#include "localcluster/cluster.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "localcluster/bootstrap.h"
#include "localcluster/component_client.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/kubelet.h"
#include "localcluster/scheduler_loop.h"
#include "localcluster/store_state.h"

namespace kumiko::localcluster {
namespace {

// Wakes the real-time loop when something was written.
class Bell {
 public:
  void Ring() {
    {
      const std::scoped_lock lock(mutex_);
      rung_ = true;
    }
    waiting_.notify_all();
  }

  // Until rung, asked to stop, or `limit` has passed.
  void Wait(std::stop_token stop, Duration limit) {
    std::unique_lock lock(mutex_);
    waiting_.wait_for(lock, stop, limit, [this] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any waiting_;
  bool rung_ = false;
};

allocator::Demand DemandOf(const ClusterFile& file) {
  if (file.demand.empty()) return {};
  std::vector<std::pair<std::string, double>> weights;
  for (const DemandWeight& entry : file.demand) {
    weights.emplace_back(entry.profile, static_cast<double>(entry.weight));
  }
  return allocator::Demand::Declare(std::move(weights));
}

}  // namespace

struct Cluster::Impl {
  Impl(const ClusterFile& file, const ClusterOptions& options, StateFile::Content content, const Clock& time)
      : clock(time),
        store(time, StoreOptions{.seed = options.seed,
                                 .on_change = [this] { Wrote(); },
                                 .state = options.state,
                                 .content = std::move(content)}),
        apiserver(store, time, "kube-apiserver"),
        controller_manager(store, time, "kube-controller-manager"),
        scheduler_client(store, time, "kube-scheduler"),
        kubelets(store, time, "kubelet"),
        workloads(controller_manager, store, time),
        scheduler(store, scheduler_client, time, workloads.events,
                  SchedulerOptions{.policy = options.policy,
                                   .demand = options.use_demand ? DemandOf(file) : allocator::Demand(),
                                   .seed = options.seed}),
        kubelet(workloads, kubelets) {
    controllers.push_back(MakeNamespaceController(controller_manager));
    controllers.push_back(MakeDefinitionController(controller_manager));
    controllers.push_back(MakeGarbageCollector(controller_manager));
    controllers.push_back(MakeDeploymentController(workloads));
    controllers.push_back(MakeReplicaSetController(workloads));
    controllers.push_back(MakeJobController(workloads));
    controllers.push_back(MakeStatefulSetController(workloads));
    controllers.push_back(MakeDaemonSetController(workloads));
    controllers.push_back(MakeCronJobController(workloads));
    controllers.push_back(MakeClaimController(workloads));
    controllers.push_back(MakeDisruptionBudgetController(workloads));
    controllers.push_back(MakeEndpointController(workloads));
    controllers.push_back(MakeNodeController(workloads));
    controllers.push_back(MakeNamespaceContentsController(workloads));
    controllers.push_back({"kubelet", [this] { return kubelet.Step(); }, [this] { return kubelet.NextWake(); }});
    controllers.push_back(
        {"events", [this] { return workloads.events.Expire(); }, [this] { return workloads.events.NextWake(); }});
    scheduling = {"scheduler", [this] { return scheduler.Step(); }, {}};
  }

  void Wrote() {
    bell.Ring();
    if (on_write) on_write();
  }

  static bool StepOne(const Controller& controller) {
    const Result<bool> stepped = controller.step();
    if (stepped) return *stepped;
    if (!stepped.error().Retryable()) {
      Log(LogLevel::kError, "controller failed", {{"controller", controller.name}, {"error", stepped.error().message}});
      return false;
    }
    return true;
  }

  // One round; the names of those that did something.
  std::vector<std::string> Round() {
    std::vector<std::string> busy;
    for (const Controller& controller : controllers) {
      if (StepOne(controller)) busy.push_back(controller.name);
    }
    // The scheduler waits for the others, so that pods that come into being together are placed together.
    if (busy.empty() && StepOne(scheduling)) busy.push_back(scheduling.name);
    return busy;
  }

  Bell bell;
  std::function<void()> on_write;
  const Clock& clock;
  Store store;
  ComponentClient apiserver;
  ComponentClient controller_manager;
  ComponentClient scheduler_client;
  ComponentClient kubelets;
  Workloads workloads;
  SchedulerLoop scheduler;
  Kubelet kubelet;
  std::vector<Controller> controllers;
  Controller scheduling;
};

Cluster::Cluster(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Cluster::~Cluster() = default;

Result<std::unique_ptr<Cluster>> Cluster::Create(const ClusterFile& file, const ClusterOptions& options,
                                                 const Clock& clock) {
  StateFile::Content content;
  if (options.state != nullptr) {
    KU_TRY(content, options.state->Read());
  }
  const bool goes_on = !content.objects.empty();
  auto impl = std::make_unique<Impl>(file, options, std::move(content), clock);
  KU_TRY_OK(Bootstrap(impl->apiserver));
  if (!goes_on) KU_TRY_OK(PublishNodes(impl->kubelets, file, clock.Now()));
  auto cluster = std::make_unique<Cluster>(std::move(impl));
  KU_TRY_OK(cluster->RunUntilIdle());
  return cluster;
}

void Cluster::OnWrite(std::function<void()> listener) {
  impl_->on_write = std::move(listener);
}
void Cluster::SetRootCertificate(std::string pem) {
  impl_->workloads.root_certificate = std::move(pem);
}
kube::ApiClient& Cluster::api() {
  return impl_->store;
}
Store& Cluster::store() {
  return impl_->store;
}
const Clock& Cluster::clock() const {
  return impl_->clock;
}
const allocator::Inventory& Cluster::inventory() const {
  return impl_->scheduler.inventory();
}
const allocator::State& Cluster::allocations() const {
  return impl_->scheduler.allocations();
}

Status Cluster::Apply(const std::vector<Document>& documents) {
  std::vector<Json> manifests;
  manifests.reserve(documents.size());
  for (const Document& document : documents) manifests.push_back(document.value);
  const std::vector<ManifestProblem> problems = impl_->store.ApplyAll(manifests);
  if (problems.empty()) return {};
  std::vector<std::string> lines;
  for (const ManifestProblem& problem : problems) {
    const Document& document = documents[problem.manifest];
    std::string line = document.Where(problem.path) + ": ";
    const std::string name(StringAt(document.value, {"metadata", "name"}));
    const std::string kind(StringAt(document.value, {"kind"}));
    if (!kind.empty() && !name.empty()) line += kind + " " + name + ": ";
    if (!problem.path.empty()) line += problem.path + ": ";
    lines.push_back(line + problem.message);
  }
  return Fail(Code::kInvalidArgument, "{}", Join(lines, "\n"));
}

Status Cluster::DeleteObject(const kube::ObjectKey& key) {
  return impl_->store.Delete(key, {});
}

Status Cluster::RunUntilIdle() {
  std::vector<std::string> busy;
  for (int round = 0; round < kMaxRounds; ++round) {
    busy = impl_->Round();
    if (busy.empty()) return {};
  }
  return Fail(Code::kInternal, "the cluster does not come to rest; still busy after {} rounds: {}", kMaxRounds,
              Join(busy, ", "));
}

std::optional<Time> Cluster::NextWake() const {
  std::optional<Time> earliest;
  for (const Controller& controller : impl_->controllers) {
    if (!controller.next_wake) continue;
    const std::optional<Time> wake = controller.next_wake();
    if (wake && (!earliest || *wake < *earliest)) earliest = wake;
  }
  return earliest;
}

Status Cluster::Run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    KU_TRY_OK(RunUntilIdle());
    Duration limit = kLeaseInterval;
    if (const std::optional<Time> wake = NextWake()) {
      limit = std::clamp(*wake - impl_->clock.Now(), Duration::zero(), kLeaseInterval);
    }
    impl_->bell.Wait(stop, limit);
  }
  return {};
}

}  // namespace kumiko::localcluster
