#include "localcluster/kubelet.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/resource/types.h"
#include "gpu/device_classes.h"
#include "kube/retry.h"
#include "kube/typed.h"
#include "localcluster/controllers/work_list.h"
#include "localcluster/node/node_status.h"
#include "localcluster/node/pod_addresses.h"
#include "localcluster/node/pod_run.h"
#include "localcluster/node/pod_status.h"

namespace kumiko::localcluster {
namespace {

using kube::Subresource;

// A second, of Leases.
constexpr std::int64_t kMostRenewals = 50;

Status Publish(kube::ApiClient& api, const Json& tree) {
  const auto created = api.Create(tree);
  if (created) return {};
  if (created.error().code != Code::kAlreadyExists) return tl::unexpected<Error>(created.error());
  KU_TRY_OK(api.Update(tree, Subresource::kNone));
  return {};
}

}  // namespace

Status PublishNodes(kube::ApiClient& api, const ClusterFile& file, Time now) {
  for (const api::DeviceClass& device_class : gpu::DeviceClasses()) {
    KU_TRY_OK(Publish(api, api::Encode(device_class)), "device class {}", device_class.metadata.name);
  }
  for (std::size_t i = 0; i < file.nodes.size(); ++i) {
    const SimulatedNode& simulated = file.nodes[i];
    KU_TRY_OK(Publish(api, NodeTree(simulated, i, now)), "node {}", simulated.name);
    KU_TRY(const api::Node stored, kube::Get<api::Node>(api, "", simulated.name));
    KU_TRY(const auto slices, MakeSlices(simulated, stored.metadata.uid, 1));
    for (const api::ResourceSlice& slice : slices) {
      KU_TRY_OK(Publish(api, api::Encode(slice)), "node {}: slice {}", simulated.name, slice.metadata.name);
    }
  }
  return {};
}

struct Kubelet::Impl {
  Impl(Workloads& workloads, kube::ApiClient& client)
      : api(client),
        clock(workloads.clock),
        events(workloads.events),
        pods(workloads.pods),
        feed(workloads.pods.AddReader()),
        claims(workloads.api),
        nodes(workloads.api, api::Node::kKind) {}

  Status Sync() {
    KU_TRY(const auto changes, pods.Read(feed));
    for (const PodIndex::Change& change : changes) {
      const bool replaced = change.before && change.after && change.before->metadata.uid != change.after->metadata.uid;
      if (change.before && (!change.after || replaced)) Forget(change.before->metadata.uid);
      if (change.after && !change.after->spec.node_name.empty()) work.Add(change.key);
    }
    KU_TRY(const auto changed_claims, claims.Sync());
    for (const kube::ObjectKey& key : changed_claims) {
      const auto claim = claims.Find(key.namespace_, key.name);
      if (claim == nullptr) continue;
      for (const auto& consumer : claim->status.reserved_for) {
        const kube::ObjectKey pod{api::Pod::kKind, key.namespace_, consumer.name};
        if (!runs.contains(consumer.uid)) work.Add(pod);
      }
    }
    KU_TRY(const auto changed_nodes, nodes.Sync());
    std::set<std::string> moved;
    for (const auto& change : changed_nodes) {
      const Behind behind = BehindOf(change.object);
      Behind& known = node_behind[change.key.name];
      if (known != behind) moved.insert(change.key.name);
      known = behind;
      if (behind == Behind::kNoNode) node_behind.erase(change.key.name);
    }
    if (moved.empty()) return {};
    for (const auto& [key, pod] : pods.objects()) {
      if (moved.contains(pod->spec.node_name)) work.Add(key);
    }
    return {};
  }

  // What stands behind the name of a node: these kubelets write what they run on, and leave a Node that somebody wrote
  // by hand alone, as there is no kubelet that would answer for it.
  enum class Behind { kNoNode, kKubelet, kNobody };
  static Behind BehindOf(const kube::Object& node) {
    if (node == nullptr) return Behind::kNoNode;
    return StringAt(node.outline(), {"status", "nodeInfo", "kubeletVersion"}).empty() ? Behind::kNobody
                                                                                      : Behind::kKubelet;
  }
  Behind BehindNode(const std::string& name) const {
    const auto found = node_behind.find(name);
    return found == node_behind.end() ? Behind::kNoNode : found->second;
  }

  void Forget(const std::string& uid) {
    runs.erase(uid);
    addresses.TakeBack(uid);
  }

  bool ClaimsReady(const api::Pod& pod) const {
    for (const api::PodResourceClaim& entry : pod.spec.resource_claims) {
      std::string name = entry.resource_claim_name.value_or("");
      if (entry.resource_claim_template_name) {
        const auto& statuses = pod.status.resource_claim_statuses;
        const auto status = std::ranges::find(statuses, entry.name, &api::PodResourceClaimStatus::name);
        if (status == statuses.end()) return false;
        if (!status->resource_claim_name) continue;
        name = *status->resource_claim_name;
      }
      const auto claim = claims.Find(pod.metadata.namespace_, name);
      if (claim == nullptr || !claim->status.allocation) return false;
      const auto& consumers = claim->status.reserved_for;
      if (std::ranges::none_of(consumers, [&](const auto& consumer) { return consumer.uid == pod.metadata.uid; })) {
        return false;
      }
    }
    return true;
  }

  void RunPod(const api::Pod& pod, const kube::ObjectKey& key, StepResult& result) {
    const Behind behind = BehindNode(pod.spec.node_name);
    if (behind == Behind::kNobody) return;
    if (pod.metadata.deletion_timestamp || behind == Behind::kNoNode) {
      Stop(pod, key, result);
      return;
    }
    if (api::IsFinished(pod)) return;
    PodRun* run = FindRun(pod, key);
    bool changed = false;
    if (run == nullptr) {
      if (!ClaimsReady(pod)) return;
      run = &runs.emplace(pod.metadata.uid, NewPodRun(pod, clock.Now())).first->second;
      changed = true;
    }
    const PodPhase phase = run->phase;
    const auto happened = Advance(*run, pod, clock.Now());
    changed |= !happened.empty() || run->phase != phase || EndedSince(*run, pod);
    for (const ContainerHappening& happening : happened) Tell(pod, happening);
    if (changed) Write(pod, key, *run, result);
    if (const auto next = NextMove(*run, pod)) work.AddAt(key, *next);
  }

  // The run of a pod that was started; after a restart of the cluster, as its status tells it.
  PodRun* FindRun(const api::Pod& pod, const kube::ObjectKey& key) {
    if (const auto known = runs.find(pod.metadata.uid); known != runs.end()) return &known->second;
    if (!pod.status.start_time) return nullptr;
    const auto tree = api.Get(key);
    if (!tree) return nullptr;
    addresses.Keep(pod.metadata.uid, pod.status.pod_ip);
    return &runs.emplace(pod.metadata.uid, ReadPodRun(**tree, pod)).first->second;
  }

  // Whether a container ended that its pod's status says to be running.
  static bool EndedSince(const PodRun& run, const api::Pod& pod) {
    for (const ContainerRun& container : run.containers) {
      if (container.running || container.is_init) continue;
      const auto told = std::ranges::find(pod.status.container_statuses, container.name, &api::ContainerStatus::name);
      if (told != pod.status.container_statuses.end() && told->ready) return true;
    }
    return false;
  }

  EventSubject SubjectOfContainer(const api::Pod& pod, std::size_t index) const {
    EventSubject subject = SubjectOf(pod);
    const std::size_t inits = pod.spec.init_containers.size();
    const bool is_init = index < inits;
    const api::Container& spec = is_init ? pod.spec.init_containers[index] : pod.spec.containers[index - inits];
    subject.field_path = fmt::format("spec.{}{{{}}}", is_init ? "initContainers" : "containers", spec.name);
    return subject;
  }

  void Tell(const api::Pod& pod, const ContainerHappening& happening) {
    const EventSource source{"kubelet", pod.spec.node_name};
    const EventSubject subject = SubjectOfContainer(pod, happening.container);
    const std::size_t inits = pod.spec.init_containers.size();
    const api::Container& spec = happening.container < inits ? pod.spec.init_containers[happening.container]
                                                             : pod.spec.containers[happening.container - inits];
    switch (happening.what) {
      case ContainerHappening::What::kStarted:
        events.Normal(source, subject, "Pulled",
                      fmt::format("Container image \"{}\" already present on machine and can be accessed by the pod",
                                  spec.image));
        events.Normal(source, subject, "Created", "Container created");
        events.Normal(source, subject, "Started", "Container started");
        return;
      case ContainerHappening::What::kBackOff:
        events.Warning(source, subject, "BackOff",
                       fmt::format("Back-off restarting failed container {} in pod {}_{}({})", spec.name,
                                   pod.metadata.name, pod.metadata.namespace_, pod.metadata.uid));
        return;
    }
  }

  void Write(const api::Pod& pod, const kube::ObjectKey& key, const PodRun& run, StepResult& result) {
    PodAddresses at;
    if (const auto node = api.Get({api::Node::kKind, "", pod.spec.node_name})) {
      if (const Json* list = FindPath(**node, {"status", "addresses"}); list != nullptr && list->is_array()) {
        for (const Json& address : list->get_array()) {
          if (StringAt(address, {"type"}) == "InternalIP") at.host_ip = StringAt(address, {"address"});
        }
      }
    }
    at.pod_ip = pod.spec.host_network ? at.host_ip : addresses.Give(pod.metadata.uid);
    result.Note(kube::UpdateWithRetry(api, key, Subresource::kStatus, [&](Json& object) -> Result<bool> {
      WritePodStatus(object, pod, run, at, clock.Now());
      return true;
    }));
  }

  // A pod that is being deleted, or whose node is gone.
  void Stop(const api::Pod& pod, const kube::ObjectKey& key, StepResult& result) {
    PodRun* run = api::IsFinished(pod) ? nullptr : FindRun(pod, key);
    if (run != nullptr) {
      for (std::size_t i = 0; i < run->containers.size(); ++i) {
        if (!run->containers[i].running) continue;
        events.Normal({"kubelet", pod.spec.node_name}, SubjectOfContainer(pod, i), "Killing",
                      fmt::format("Stopping container {}", run->containers[i].name));
      }
      Kill(*run, clock.Now());
      run->phase = PodPhase::kFailed;
      // The object stays a while; what waits for the pod's end, such as its claims, must see that it has ended.
      if (!pod.metadata.finalizers.empty()) Write(pod, key, *run, result);
    }
    if (pod.metadata.deletion_timestamp && pod.metadata.deletion_grace_period_seconds.value_or(0) == 0) return;
    kube::DeleteOptions options;
    options.uid = pod.metadata.uid;
    options.grace_period_seconds = 0;
    result.Note(api.Delete(key, options));
  }

  // Says of every node that it is alive.
  void RenewLeases(StepResult& result) {
    const Time now = clock.Now();
    if (now < next_renewal || node_behind.empty()) return;
    const auto count = static_cast<std::int64_t>(node_behind.size());
    const Duration interval = std::max<Duration>(kLeaseInterval, std::chrono::seconds(count / kMostRenewals));
    const std::int64_t lasts = 4 * std::chrono::duration_cast<std::chrono::seconds>(interval).count();
    for (const auto& [name, behind] : node_behind) {
      const auto node = behind == Behind::kKubelet ? api.Get({api::Node::kKind, "", name}) : nullptr;
      if (!node || *node == nullptr) continue;
      const Json lease = NodeLease(name, std::string(StringAt(**node, {"metadata", "uid"})), lasts, now);
      const auto renewed =
          api.Patch({"Lease", "kube-node-lease", name}, JsonObject{{"spec", lease.at("spec")}}, Subresource::kNone);
      if (!renewed && renewed.error().code == Code::kNotFound) {
        result.Note(api.Create(lease));
      } else {
        result.Note(renewed);
      }
    }
    next_renewal = now + interval;
  }

  kube::ApiClient& api;
  const Clock& clock;
  EventRecorder& events;
  PodIndex& pods;
  std::size_t feed;
  kube::Informer<api::ResourceClaim> claims;
  kube::TreeInformer nodes;
  std::map<std::string, Behind> node_behind;  // by the name of the node
  WorkList work;
  std::map<std::string, PodRun> runs;  // by the uid of the pod
  PodAddressPool addresses;
  Time next_renewal;
};

Kubelet::Kubelet(Workloads& workloads, kube::ApiClient& api) : impl_(std::make_unique<Impl>(workloads, api)) {}
Kubelet::~Kubelet() = default;

Result<bool> Kubelet::Step() {
  Impl& impl = *impl_;
  KU_TRY_OK(impl.Sync());
  bool changed = impl.work.Run("kubelet", impl.clock.Now(), [&impl](const kube::ObjectKey& key, StepResult& result) {
    if (const auto pod = impl.pods.Find(key); pod && !pod->spec.node_name.empty()) impl.RunPod(*pod, key, result);
  });
  StepResult leases("kubelet");
  impl.RenewLeases(leases);
  return changed || leases.changed();
}

std::optional<Time> Kubelet::NextWake() const {
  return impl_->work.NextWake();
}

}  // namespace kumiko::localcluster
