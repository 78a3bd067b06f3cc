#include "localcluster/node/pod_status.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "localcluster/node/container_log.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

// 64 hexadecimal digits that stand for `text`, as digests look.
std::string Digest(std::string_view text) {
  std::string digits;
  std::uint64_t hash = 14695981039346656037ULL;
  for (int round = 0; round < 4; ++round) {
    for (const char byte : text) {
      hash ^= static_cast<unsigned char>(byte);
      hash *= 1099511628211ULL;
    }
    digits += fmt::format("{:016x}", hash);
  }
  return digits;
}

// The image as a container runtime calls it: with registry and tag.
std::string FullImageName(const std::string& image) {
  std::string name = image;
  const std::size_t slash = name.find('/');
  const std::string first = name.substr(0, slash);
  const bool has_registry =
      slash != std::string::npos && (first.find_first_of(".:") != std::string::npos || first == "localhost");
  if (!has_registry) name = (slash == std::string::npos ? "docker.io/library/" : "docker.io/") + name;
  if (name.find('@') == std::string::npos && name.find(':', name.rfind('/')) == std::string::npos) name += ":latest";
  return name;
}

std::string ContainerId(const api::Pod& pod, const std::string& container, std::int64_t run) {
  return "containerd://" + Digest(fmt::format("{}/{}/{}", pod.metadata.uid, container, run));
}

JsonObject Terminated(const api::Pod& pod, const std::string& container, const ContainerExit& exit) {
  return JsonObject{{"terminated", JsonObject{{"exitCode", exit.exit_code},
                                              {"reason", exit.exit_code == 0 ? "Completed" : "Error"},
                                              {"startedAt", FormatRfc3339(exit.started)},
                                              {"finishedAt", FormatRfc3339(exit.finished)},
                                              {"containerID", ContainerId(pod, container, exit.run)}}}};
}

JsonObject StateOf(const api::Pod& pod, const PodRun& run, const ContainerRun& container) {
  if (container.running) {
    return JsonObject{{"running", JsonObject{{"startedAt", FormatRfc3339(container.started)}}}};
  }
  if (container.restart_at) {
    const Duration delay = *container.restart_at - container.exit->finished;
    return JsonObject{
        {"waiting", JsonObject{{"reason", "CrashLoopBackOff"},
                               {"message", fmt::format("back-off {} restarting failed container={} pod={}_{}({})",
                                                       FormatDuration(delay), container.name, pod.metadata.name,
                                                       pod.metadata.namespace_, pod.metadata.uid)}}}};
  }
  if (container.exit) return Terminated(pod, container.name, *container.exit);
  const bool initializing = !pod.spec.init_containers.empty() && (!container.is_init || run.containers[0].runs > 0);
  return JsonObject{{"waiting", JsonObject{{"reason", initializing ? "PodInitializing" : "ContainerCreating"}}}};
}

bool IsContainerReady(const ContainerRun& container) {
  if (container.is_init && !container.is_sidecar) return container.exit && container.exit->exit_code == 0;
  return container.running;
}

Json ContainerStatus(const api::Pod& pod, const PodRun& run, const ContainerRun& container,
                     const api::Container& spec) {
  JsonObject status{{"name", container.name},
                    {"image", container.runs > 0 ? FullImageName(spec.image) : spec.image},
                    {"imageID", ""},
                    {"lastState", JsonObject()},
                    {"ready", IsContainerReady(container)},
                    {"restartCount", container.Restarts()},
                    {"started", container.running},
                    {"state", StateOf(pod, run, container)}};
  if (container.runs > 0) {
    const std::string full = FullImageName(spec.image);
    const std::string repository = full.substr(0, std::min(full.find('@'), full.rfind(':')));
    status["imageID"] = fmt::format("{}@sha256:{}", repository, Digest(full));
    status["containerID"] = ContainerId(pod, container.name, container.runs - 1);
    const bool shows_last = container.running || container.restart_at;
    const std::optional<ContainerExit>& last = shows_last ? container.exit : container.before;
    if (last) status["lastState"] = Terminated(pod, container.name, *last);
  }
  return status;
}

std::string Names(const std::vector<std::string>& names) {
  return "[" + Join(names, " ") + "]";
}

struct ConditionValue {
  std::string_view type;
  bool holds = true;
  std::string_view reason = {};
  std::string message = {};
};

ConditionValue InitializedCondition(const PodRun& run) {
  std::vector<std::string> incomplete;
  bool any_started = false;
  for (const ContainerRun& container : run.containers) {
    if (!container.is_init) {
      any_started |= container.runs > 0;
    } else if (container.is_sidecar ? container.runs == 0 : !IsContainerReady(container)) {
      incomplete.push_back(container.name);
    }
  }
  if (run.phase == PodPhase::kSucceeded) return {"Initialized", true, "PodCompleted"};
  if (any_started || incomplete.empty()) return {"Initialized"};
  return {"Initialized", false, "ContainersNotInitialized", "containers with incomplete status: " + Names(incomplete)};
}

ConditionValue ReadyCondition(std::string_view type, const PodRun& run) {
  if (run.phase == PodPhase::kSucceeded) return {type, false, "PodCompleted"};
  if (run.phase == PodPhase::kFailed) return {type, false, "PodFailed"};
  std::vector<std::string> unready;
  for (const ContainerRun& container : run.containers) {
    if (container.is_init && !container.is_sidecar) continue;
    if (!IsContainerReady(container)) unready.push_back(container.name);
  }
  if (unready.empty()) return {type};
  return {type, false, "ContainersNotReady", "containers with unready status: " + Names(unready)};
}

// The condition with the transition time that `before` has for it, when its status stays.
Json ConditionTree(const ConditionValue& value, const JsonArray& before, std::int64_t generation, Time now) {
  const std::string_view status = value.holds ? "True" : "False";
  std::string since = FormatRfc3339(now);
  for (const Json& condition : before) {
    if (StringAt(condition, {"type"}) == value.type && StringAt(condition, {"status"}) == status) {
      since = StringAt(condition, {"lastTransitionTime"});
    }
  }
  JsonObject tree{{"type", value.type},
                  {"status", status},
                  {"observedGeneration", generation},
                  {"lastProbeTime", nullptr},
                  {"lastTransitionTime", since}};
  if (!value.reason.empty()) tree["reason"] = value.reason;
  if (!value.message.empty()) tree["message"] = value.message;
  return tree;
}

JsonArray Conditions(const JsonArray& before, const api::Pod& pod, const PodRun& run, Time now) {
  const bool over = run.phase == PodPhase::kSucceeded || run.phase == PodPhase::kFailed;
  const ConditionValue values[] = {{"PodReadyToStartContainers", !over},
                                   InitializedCondition(run),
                                   ReadyCondition("Ready", run),
                                   ReadyCondition("ContainersReady", run),
                                   {"PodScheduled"}};
  JsonArray after;
  for (const ConditionValue& value : values)
    after.push_back(ConditionTree(value, before, pod.metadata.generation, now));
  for (const Json& condition : before) {
    const std::string_view type = StringAt(condition, {"type"});
    if (std::ranges::find(values, type, &ConditionValue::type) == std::end(values)) after.push_back(condition);
  }
  return after;
}

std::string_view PhaseName(PodPhase phase) {
  switch (phase) {
    case PodPhase::kPending:
      return "Pending";
    case PodPhase::kRunning:
      return "Running";
    case PodPhase::kSucceeded:
      return "Succeeded";
    case PodPhase::kFailed:
      return "Failed";
  }
  return "";
}

std::optional<ContainerExit> ReadExit(const Json& status, const char* member) {
  const Json* terminated = FindPath(status, {member, "terminated"});
  if (terminated == nullptr) return std::nullopt;
  ContainerExit exit;
  if (const Json* code = Find(*terminated, "exitCode"); code != nullptr && code->is_int64()) {
    exit.exit_code = static_cast<int>(code->get_int64());
  }
  exit.started = ParseRfc3339(StringAt(*terminated, {"startedAt"})).value_or(Time());
  exit.finished = ParseRfc3339(StringAt(*terminated, {"finishedAt"})).value_or(Time());
  return exit;
}

void ReadContainer(const Json& status, const api::Pod& pod, const api::Container& spec, ContainerRun& container) {
  const Json* restarts = Find(status, "restartCount");
  const std::int64_t count = restarts != nullptr && restarts->is_int64() ? restarts->get_int64() : 0;
  const std::optional<ContainerExit> last = ReadExit(status, "lastState");
  const std::optional<ContainerExit> present = ReadExit(status, "state");
  if (const Json* running = FindPath(status, {"state", "running"})) {
    container.running = true;
    container.runs = count + 1;
    container.started = ParseRfc3339(StringAt(*running, {"startedAt"})).value_or(Time());
    const ProgramRun end = EndOf(pod, spec, container.started);
    if (end.end) container.ends = container.started + *end.end;
    container.exit_code = end.exit_code;
    container.exit = last;
  } else if (present) {
    container.runs = count + 1;
    container.exit = present;
    container.before = last;
  } else if (last) {
    container.runs = count + 1;
    container.exit = last;
    container.restart_at = last->finished;
  }
}

}  // namespace

void WritePodStatus(Json& object, const api::Pod& pod, const PodRun& run, const PodAddresses& addresses, Time now) {
  JsonObject& status = StatusOf(object);
  status["phase"] = PhaseName(run.phase);
  status["startTime"] = FormatRfc3339(run.started);
  status["observedGeneration"] = pod.metadata.generation;
  if (!run.reason.empty()) status["reason"] = run.reason;
  if (!run.message.empty()) status["message"] = run.message;
  if (!addresses.host_ip.empty()) {
    status["hostIP"] = addresses.host_ip;
    status["hostIPs"] = JsonArray{JsonObject{{"ip", addresses.host_ip}}};
  }
  if (!addresses.pod_ip.empty()) {
    status["podIP"] = addresses.pod_ip;
    status["podIPs"] = JsonArray{JsonObject{{"ip", addresses.pod_ip}}};
  }
  JsonArray before;
  if (const Json* list = status.if_contains("conditions"); list != nullptr && list->is_array()) {
    before = list->get_array();
  }
  status["conditions"] = Conditions(before, pod, run, now);
  JsonArray inits;
  JsonArray containers;
  for (std::size_t i = 0; i < run.containers.size(); ++i) {
    const ContainerRun& container = run.containers[i];
    const std::size_t count = pod.spec.init_containers.size();
    const api::Container& spec = i < count ? pod.spec.init_containers[i] : pod.spec.containers[i - count];
    (container.is_init ? inits : containers).push_back(ContainerStatus(pod, run, container, spec));
  }
  if (!inits.empty()) status["initContainerStatuses"] = std::move(inits);
  status["containerStatuses"] = std::move(containers);
}

PodRun ReadPodRun(const Json& object, const api::Pod& pod) {
  PodRun run = NewPodRun(pod, pod.status.start_time.value_or(Time()));
  for (std::size_t i = 0; i < run.containers.size(); ++i) {
    const std::size_t count = pod.spec.init_containers.size();
    const Json* list = FindPath(object, {"status", i < count ? "initContainerStatuses" : "containerStatuses"});
    if (list == nullptr || !list->is_array()) continue;
    const api::Container& spec = i < count ? pod.spec.init_containers[i] : pod.spec.containers[i - count];
    for (const Json& status : list->get_array()) {
      if (StringAt(status, {"name"}) == spec.name) ReadContainer(status, pod, spec, run.containers[i]);
    }
  }
  if (pod.status.phase == "Running") run.phase = PodPhase::kRunning;
  return run;
}

}  // namespace kumiko::localcluster
