#include "localcluster/node/pod_run.h"

#include <algorithm>
#include <chrono>

#include "localcluster/node/container_log.h"

namespace kumiko::localcluster {
namespace {

constexpr Duration kFirstDelay = std::chrono::seconds(10);
constexpr Duration kLongestDelay = std::chrono::minutes(5);
// A container that ran for so long restarts as if it were its first time.
constexpr Duration kForgottenAfter = 2 * kLongestDelay;

const api::Container& SpecOf(const api::Pod& pod, std::size_t index) {
  const std::size_t inits = pod.spec.init_containers.size();
  return index < inits ? pod.spec.init_containers[index] : pod.spec.containers[index - inits];
}

bool Restarts(const api::Pod& pod, const ContainerRun& container) {
  const std::string& policy = pod.spec.restart_policy;
  if (container.is_sidecar) return true;
  if (container.is_init) return policy != "Never" && container.exit->exit_code != 0;
  if (policy == "Never") return false;
  return policy != "OnFailure" || container.exit->exit_code != 0;
}

// Whether the containers behind this init container may start.
bool LetsOthersStart(const ContainerRun& container) {
  if (container.is_sidecar) return container.runs > 0;
  return !container.running && container.exit && container.exit->exit_code == 0;
}

class Mover {
 public:
  Mover(PodRun& run, const api::Pod& pod, Time now) : run_(run), pod_(pod), now_(now) {}

  std::vector<ContainerHappening> Move() {
    if (PassedDeadline()) return {};
    while (MoveOne()) {
    }
    SetPhase();
    return std::move(happenings_);
  }

 private:
  bool PassedDeadline() {
    if (!pod_.spec.active_deadline_seconds) return false;
    const Time deadline = run_.started + std::chrono::seconds(*pod_.spec.active_deadline_seconds);
    if (now_ < deadline) return false;
    Kill(run_, deadline);
    run_.phase = PodPhase::kFailed;
    run_.reason = "DeadlineExceeded";
    run_.message = "Pod was active on the node longer than the specified deadline";
    return true;
  }

  // The earliest thing that is due. Returns whether there was one.
  bool MoveOne() {
    std::optional<std::size_t> first;
    Time first_time;
    for (std::size_t i = 0; i < run_.containers.size(); ++i) {
      const ContainerRun& container = run_.containers[i];
      std::optional<Time> time = container.running ? container.ends : container.restart_at;
      if (container.runs == 0 && MayStart(i)) time = Since(i);
      if (time && *time <= now_ && (!first || *time < first_time)) {
        first = i;
        first_time = *time;
      }
    }
    if (!first) return false;
    ContainerRun& container = run_.containers[*first];
    if (container.running) {
      End(container, *first, first_time);
    } else {
      Start(container, *first, first_time);
    }
    return true;
  }

  bool MayStart(std::size_t index) const {
    for (std::size_t i = 0; i < index && run_.containers[i].is_init; ++i) {
      if (!LetsOthersStart(run_.containers[i])) return false;
    }
    return true;
  }

  // From when a container could have been started for the first time.
  Time Since(std::size_t index) const {
    Time time = run_.started;
    for (std::size_t i = 0; i < index && run_.containers[i].is_init; ++i) {
      const ContainerRun& before = run_.containers[i];
      time = std::max(time, before.is_sidecar ? before.started : before.exit->finished);
    }
    return time;
  }

  void Start(ContainerRun& container, std::size_t index, Time time) {
    const ProgramRun end = EndOf(pod_, SpecOf(pod_, index), time);
    container.running = true;
    container.started = time;
    container.ends = end.end ? std::optional<Time>(time + *end.end) : std::nullopt;
    container.exit_code = end.exit_code;
    container.restart_at.reset();
    ++container.runs;
    happenings_.push_back({ContainerHappening::What::kStarted, index, Duration(0)});
  }

  void End(ContainerRun& container, std::size_t index, Time time) {
    container.before = container.exit;
    container.exit = {container.exit_code, container.started, time, container.runs - 1};
    container.running = false;
    container.ends.reset();
    if (!Restarts(pod_, container)) return;
    if (time - container.started >= kForgottenAfter) container.delay = Duration(0);
    // The first restart comes at once; what counts from then on is the exit.
    const Duration delay = container.delay;
    container.restart_at = time + delay;
    container.delay = delay == Duration(0) ? kFirstDelay : std::min(2 * delay, kLongestDelay);
    if (delay > Duration(0)) happenings_.push_back({ContainerHappening::What::kBackOff, index, delay});
  }

  void SetPhase() {
    bool all_ended = true;
    bool failed = false;
    bool any_started = false;
    for (const ContainerRun& container : run_.containers) {
      if (container.is_init) {
        if (!container.is_sidecar && !container.running && !container.restart_at && container.exit &&
            container.exit->exit_code != 0) {
          run_.phase = PodPhase::kFailed;
          return;
        }
        continue;
      }
      any_started |= container.runs > 0;
      const bool ended = container.exit && !container.running && !container.restart_at;
      all_ended &= ended;
      failed |= ended && container.exit->exit_code != 0;
    }
    if (all_ended) {
      Kill(run_, now_);
      run_.phase = failed ? PodPhase::kFailed : PodPhase::kSucceeded;
    } else if (any_started) {
      run_.phase = PodPhase::kRunning;
    }
  }

  PodRun& run_;
  const api::Pod& pod_;
  Time now_;
  std::vector<ContainerHappening> happenings_;
};

}  // namespace

PodRun NewPodRun(const api::Pod& pod, Time now) {
  PodRun run;
  run.started = now;
  for (const auto* list : {&pod.spec.init_containers, &pod.spec.containers}) {
    for (const api::Container& container : *list) {
      ContainerRun& entry = run.containers.emplace_back();
      entry.name = container.name;
      entry.is_init = list == &pod.spec.init_containers;
      entry.is_sidecar = entry.is_init && container.restart_policy == "Always";
    }
  }
  return run;
}

std::vector<ContainerHappening> Advance(PodRun& run, const api::Pod& pod, Time now) {
  if (run.phase == PodPhase::kSucceeded || run.phase == PodPhase::kFailed) return {};
  return Mover(run, pod, now).Move();
}

std::optional<Time> NextMove(const PodRun& run, const api::Pod& pod) {
  if (run.phase == PodPhase::kSucceeded || run.phase == PodPhase::kFailed) return std::nullopt;
  std::optional<Time> next;
  const auto consider = [&](std::optional<Time> time) {
    if (time && (!next || *time < *next)) next = time;
  };
  for (const ContainerRun& container : run.containers) {
    consider(container.running ? container.ends : container.restart_at);
  }
  if (pod.spec.active_deadline_seconds) {
    consider(run.started + std::chrono::seconds(*pod.spec.active_deadline_seconds));
  }
  return next;
}

void Kill(PodRun& run, Time now) {
  constexpr int kKilled = 137;
  for (ContainerRun& container : run.containers) {
    container.restart_at.reset();
    if (!container.running) continue;
    container.before = container.exit;
    container.exit = {container.is_sidecar ? 0 : kKilled, container.started, now, container.runs - 1};
    container.running = false;
    container.ends.reset();
  }
}

}  // namespace kumiko::localcluster
