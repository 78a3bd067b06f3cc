#include "localcluster/kubelet.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "gpu/device_classes.h"
#include "kube/retry.h"
#include "kube/typed.h"
#include "localcluster/controllers/step_result.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

using kube::Subresource;

// N of a container whose command or arguments say `sleep N`, also inside `sh -c "…"`.
std::optional<Duration> SleepOf(const api::Container& container) {
  std::vector<std::string> words;
  for (const auto* list : {&container.command, &container.args}) {
    for (const std::string& item : *list) {
      for (const std::string_view word : Split(item, ' ')) {
        if (!word.empty()) words.emplace_back(word);
      }
    }
  }
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "sleep" && !words[i].ends_with("/sleep")) continue;
    if (const Result<Duration> duration = api::ParseRunTime(words[i + 1])) return *duration;
  }
  return std::nullopt;
}

std::string Annotation(const api::Pod& pod, const char* name) {
  const auto found = pod.metadata.annotations.find(name);
  return found == pod.metadata.annotations.end() ? "" : found->second;
}

int ExitCodeOf(const api::Pod& pod) {
  const std::string text = Annotation(pod, kExitCodeAnnotation);
  return static_cast<int>(ParseInt64(text).value_or(0) & 0xff);
}

// What the kubelet reports of each container, as far as kubectl prints it.
JsonArray ContainerStatuses(const api::Pod& pod, const std::string& started, std::optional<int> exit_code, Time now) {
  JsonArray statuses;
  for (const api::Container& container : pod.spec.containers) {
    JsonObject state;
    if (exit_code) {
      state["terminated"] = JsonObject{{"exitCode", *exit_code},
                                       {"reason", *exit_code == 0 ? "Completed" : "Error"},
                                       {"startedAt", started},
                                       {"finishedAt", FormatRfc3339(now)}};
    } else {
      state["running"] = JsonObject{{"startedAt", started}};
    }
    statuses.push_back(JsonObject{{"name", container.name},
                                  {"image", container.image},
                                  {"ready", !exit_code.has_value()},
                                  {"started", !exit_code.has_value()},
                                  {"restartCount", 0},
                                  {"state", std::move(state)}});
  }
  return statuses;
}

template <class T>
Status Publish(kube::ApiClient& api, const T& object) {
  const Json tree = api::Encode(object);
  const auto created = api.Create(tree);
  if (created) return {};
  if (created.error().code != Code::kAlreadyExists) return tl::unexpected<Error>(created.error());
  KU_TRY_OK(api.Update(tree, Subresource::kNone));
  return {};
}

}  // namespace

Result<std::optional<Duration>> RunTimeOf(const api::Pod& pod) {
  const std::string run_for = Annotation(pod, kRunForAnnotation);
  if (!run_for.empty()) {
    KU_TRY(const Duration duration, api::ParseRunTime(run_for), "annotation {}: write 90s or 90", kRunForAnnotation);
    return std::optional<Duration>(duration);
  }
  for (const api::Container& container : pod.spec.containers) {
    if (const std::optional<Duration> duration = SleepOf(container)) return duration;
  }
  return std::optional<Duration>();
}

Status PublishNodes(kube::ApiClient& api, const ClusterFile& file) {
  for (const api::DeviceClass& device_class : gpu::DeviceClasses()) {
    KU_TRY_OK(Publish(api, device_class), "device class {}", device_class.metadata.name);
  }
  for (const SimulatedNode& simulated : file.nodes) {
    const api::Node node = MakeNode(simulated);
    KU_TRY_OK(Publish(api, node), "node {}", simulated.name);
    KU_TRY(const api::Node stored, kube::Get<api::Node>(api, "", simulated.name));
    KU_TRY(const auto slices, MakeSlices(simulated, stored.metadata.uid, 1));
    for (const api::ResourceSlice& slice : slices) {
      KU_TRY_OK(Publish(api, slice), "node {}: slice {}", simulated.name, slice.metadata.name);
    }
  }
  return {};
}

struct Kubelet::Impl {
  Impl(kube::ApiClient& client, const Clock& time)
      : api(client), clock(time), pods(client), claims(client), nodes(client) {}

  bool ClaimsReady(const api::Pod& pod) const {
    for (const api::PodResourceClaim& entry : pod.spec.resource_claims) {
      std::string name = entry.resource_claim_name.value_or("");
      if (entry.resource_claim_template_name) {
        const auto& statuses = pod.status.resource_claim_statuses;
        const auto status = std::find_if(statuses.begin(), statuses.end(),
                                         [&](const api::PodResourceClaimStatus& s) { return s.name == entry.name; });
        if (status == statuses.end()) return false;
        if (!status->resource_claim_name) continue;
        name = *status->resource_claim_name;
      }
      const auto claim = claims.Find(pod.metadata.namespace_, name);
      if (claim == nullptr || !claim->status.allocation) return false;
      const auto& consumers = claim->status.reserved_for;
      if (std::none_of(consumers.begin(), consumers.end(),
                       [&](const auto& consumer) { return consumer.uid == pod.metadata.uid; })) {
        return false;
      }
    }
    return true;
  }

  void WriteStatus(const api::Pod& pod, const kube::Change& change, StepResult& result) {
    bool wrote = false;
    const auto written = kube::UpdateWithRetry(api, kube::KeyOf(pod), Subresource::kStatus, [&](Json& object) {
      Result<bool> changed = change(object);
      wrote = changed.value_or(false);
      return changed;
    });
    if (!written || wrote) result.Note(written);
  }

  void Start(const api::Pod& pod, StepResult& result) {
    const Time now = clock.Now();
    started_at[pod.metadata.uid] = now;
    WriteStatus(
        pod,
        [&](Json& object) -> Result<bool> {
          const std::string started = FormatRfc3339(now);
          SetStatus(object, "phase", "Running");
          SetStatus(object, "startTime", Json(started));
          SetStatus(object, "containerStatuses", ContainerStatuses(pod, started, std::nullopt, now));
          for (const char* type : {"Initialized", "ContainersReady", "Ready"}) {
            SetCondition(object, {type, "True", "", "", std::nullopt}, now);
          }
          return true;
        },
        result);
  }

  void Finish(const api::Pod& pod, int exit_code, const Error* error, StepResult& result) {
    const Time now = clock.Now();
    WriteStatus(
        pod,
        [&](Json& object) -> Result<bool> {
          SetStatus(object, "phase", exit_code == 0 && error == nullptr ? "Succeeded" : "Failed");
          if (error != nullptr) {
            SetStatus(object, "reason", "InvalidAnnotation");
            SetStatus(object, "message", Json(error->message));
          } else {
            const std::string started(StringAt(object, {"status", "startTime"}));
            SetStatus(object, "containerStatuses", ContainerStatuses(pod, started, exit_code, now));
          }
          for (const char* type : {"ContainersReady", "Ready"}) {
            SetCondition(object, {type, "False", exit_code == 0 ? "PodCompleted" : "PodFailed", "", std::nullopt}, now);
          }
          return true;
        },
        result);
  }

  void RunPod(const api::Pod& pod, StepResult& result) {
    if (pod.metadata.deletion_timestamp || nodes.Find("", pod.spec.node_name) == nullptr) {
      kube::DeleteOptions options;
      options.uid = pod.metadata.uid;
      options.grace_period_seconds = 0;
      if (!pod.metadata.finalizers.empty() && !api::IsFinished(pod)) {
        // The object stays a while; what waits for the pod's end, such as its claims, must see that it has ended.
        Finish(pod, 137, nullptr, result);
      }
      if (pod.metadata.deletion_timestamp && pod.metadata.deletion_grace_period_seconds.value_or(0) == 0) return;
      result.Note(api.Delete(kube::KeyOf(pod), options));
      return;
    }
    if (api::IsFinished(pod)) return;
    const Result<std::optional<Duration>> run_time = RunTimeOf(pod);
    if (!run_time) {
      Finish(pod, 1, &run_time.error(), result);
      return;
    }
    if (pod.status.phase != "Running") {
      if (!ClaimsReady(pod)) return;
      Start(pod, result);
      return;
    }
    if (!*run_time || !pod.status.start_time) return;
    const auto exact = started_at.find(pod.metadata.uid);
    const Time end = (exact == started_at.end() ? *pod.status.start_time : exact->second) + **run_time;
    if (clock.Now() >= end) {
      Finish(pod, ExitCodeOf(pod), nullptr, result);
    } else if (!next_wake || end < *next_wake) {
      next_wake = end;
    }
  }

  kube::ApiClient& api;
  const Clock& clock;
  kube::Informer<api::Pod> pods;
  kube::Informer<api::ResourceClaim> claims;
  kube::Informer<api::Node> nodes;
  // By uid. The startTime that the object holds has whole seconds, and a pod may run for less than one.
  std::map<std::string, Time> started_at;
  std::optional<Time> next_wake;
  bool again = false;
};

Kubelet::Kubelet(kube::ApiClient& api, const Clock& clock) : impl_(std::make_unique<Impl>(api, clock)) {}
Kubelet::~Kubelet() = default;

Result<bool> Kubelet::Step() {
  Impl& impl = *impl_;
  KU_TRY(const auto pods, impl.pods.Sync());
  KU_TRY(const auto claims, impl.claims.Sync());
  KU_TRY(const auto nodes, impl.nodes.Sync());
  const bool due = impl.next_wake && impl.clock.Now() >= *impl.next_wake;
  if (pods.empty() && claims.empty() && nodes.empty() && !due && !impl.again) return false;
  impl.next_wake.reset();
  StepResult result("kubelet");
  std::set<std::string> running;
  for (const auto& [key, pod] : impl.pods.objects()) {
    if (!pod->spec.node_name.empty()) impl.RunPod(*pod, result);
    if (!api::IsFinished(*pod)) running.insert(pod->metadata.uid);
  }
  std::erase_if(impl.started_at, [&](const auto& entry) { return !running.contains(entry.first); });
  impl.again = result.again();
  return result.changed();
}

std::optional<Time> Kubelet::NextWake() const {
  return impl_->next_wake;
}

}  // namespace kumiko::localcluster
