// The row of a pod: what its containers do, in one word.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "localcluster/tables/cells.h"
#include "localcluster/tables/formats.h"

namespace kumiko::localcluster {
namespace {

// Init containers with restartPolicy Always run beside the others.
bool IsSidecar(const Json& pod, std::string_view init_container) {
  for (const Json& container : ListAt(pod, {"spec", "initContainers"})) {
    if (StringAt(container, {"name"}) == init_container) return StringAt(container, {"restartPolicy"}) == "Always";
  }
  return false;
}

std::string_view ConditionStatus(const Json& pod, std::string_view type) {
  for (const Json& condition : ListAt(pod, {"status", "conditions"})) {
    if (StringAt(condition, {"type"}) == type) return StringAt(condition, {"status"});
  }
  return "";
}

struct Restarts {
  std::int64_t count = 0;
  std::optional<Time> last;

  void Add(const Json& status) {
    count += NumberAt(status, {"restartCount"});
    const auto finished = ParseRfc3339(StringAt(status, {"lastState", "terminated", "finishedAt"}));
    if (finished && (!last || *last < *finished)) last = *finished;
  }
  std::string Text(Time now) const {
    if (count == 0 || !last) return std::to_string(count);
    return fmt::format("{} ({} ago)", count, FormatAge(now - *last));
  }
};

std::string TerminationText(const Json& terminated) {
  if (const std::string_view reason = StringAt(terminated, {"reason"}); !reason.empty()) return std::string(reason);
  if (const std::int64_t signal = NumberAt(terminated, {"signal"}); signal != 0)
    return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", NumberAt(terminated, {"exitCode"}));
}

class PodSummary {
 public:
  explicit PodSummary(const Json& pod)
      : pod_(pod), containers_(static_cast<std::int64_t>(ListAt(pod, {"spec", "containers"}).size())) {
    reason_ = StringAt(pod, {"status", "reason"});
    if (reason_.empty()) reason_ = StringAt(pod, {"status", "phase"});
    for (const Json& condition : ListAt(pod, {"status", "conditions"})) {
      if (StringAt(condition, {"type"}) == "PodScheduled" && StringAt(condition, {"reason"}) == "SchedulingGated") {
        reason_ = "SchedulingGated";
      }
    }
    const bool initializing = ReadInitContainers();
    if (!initializing || ConditionStatus(pod, "Initialized") == "True") ReadContainers();
    if (FindPath(pod, {"metadata", "deletionTimestamp"}) != nullptr) {
      const std::string_view phase = StringAt(pod, {"status", "phase"});
      if (StringAt(pod, {"status", "reason"}) == "NodeLost") {
        reason_ = "Unknown";
      } else if (phase != "Succeeded" && phase != "Failed") {
        reason_ = "Terminating";
      }
    }
  }

  void Write(Cells& cells) const {
    cells.Text(fmt::format("{}/{}", ready_, containers_));
    cells.Text(reason_);
    cells.Text(restarts_.Text(cells.now()));
  }

 private:
  // Whether one of them is still to be done.
  bool ReadInitContainers() {
    const JsonArray& specs = ListAt(pod_, {"spec", "initContainers"});
    for (const Json& spec : specs) containers_ += StringAt(spec, {"restartPolicy"}) == "Always" ? 1 : 0;
    const JsonArray& statuses = ListAt(pod_, {"status", "initContainerStatuses"});
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      const Json& status = statuses[i];
      restarts_.Add(status);
      const bool sidecar = IsSidecar(pod_, StringAt(status, {"name"}));
      if (sidecar) sidecar_restarts_.Add(status);
      const Json* terminated = FindPath(status, {"state", "terminated"});
      if (terminated != nullptr && NumberAt(*terminated, {"exitCode"}) == 0) continue;
      if (sidecar && FlagAt(status, {"started"})) {
        if (FlagAt(status, {"ready"})) ++ready_;
        continue;
      }
      const std::string_view waiting = StringAt(status, {"state", "waiting", "reason"});
      if (terminated != nullptr) {
        reason_ = "Init:" + TerminationText(*terminated);
      } else if (!waiting.empty() && waiting != "PodInitializing") {
        reason_ = "Init:" + std::string(waiting);
      } else {
        reason_ = fmt::format("Init:{}/{}", i, specs.size());
      }
      return true;
    }
    return false;
  }

  void ReadContainers() {
    restarts_ = sidecar_restarts_;
    bool runs = false;
    std::string failure;
    const JsonArray& statuses = ListAt(pod_, {"status", "containerStatuses"});
    for (std::size_t i = statuses.size(); i-- > 0;) {
      const Json& status = statuses[i];
      restarts_.Add(status);
      const std::string_view waiting = StringAt(status, {"state", "waiting", "reason"});
      if (!waiting.empty()) {
        reason_ = waiting;
      } else if (const Json* terminated = FindPath(status, {"state", "terminated"})) {
        reason_ = TerminationText(*terminated);
        if (NumberAt(*terminated, {"exitCode"}) != 0) failure = reason_;
      } else if (FlagAt(status, {"ready"}) && FindPath(status, {"state", "running"}) != nullptr) {
        runs = true;
        ++ready_;
      }
    }
    if (reason_ != "Completed") return;
    if (runs && ConditionStatus(pod_, "Ready") == "True") {
      reason_ = "Running";
    } else if (!failure.empty()) {
      reason_ = failure;
    } else if (runs) {
      reason_ = "NotReady";
    }
  }

  const Json& pod_;
  std::int64_t containers_ = 0;
  std::int64_t ready_ = 0;
  std::string reason_;
  Restarts restarts_;
  Restarts sidecar_restarts_;
};

std::string ReadinessGates(const Json& pod) {
  const JsonArray& gates = ListAt(pod, {"spec", "readinessGates"});
  if (gates.empty()) return std::string(kNoneText);
  const auto open = std::ranges::count_if(
      gates, [&](const Json& gate) { return ConditionStatus(pod, StringAt(gate, {"conditionType"})) == "True"; });
  return fmt::format("{}/{}", open, gates.size());
}

void WritePod(const Json& pod, Cells& cells) {
  cells.Text(NameOf(pod));
  PodSummary(pod).Write(cells);
  cells.Age(pod, {"metadata", "creationTimestamp"});
  const JsonArray& addresses = ListAt(pod, {"status", "podIPs"});
  cells.Text(addresses.empty() ? std::string_view() : StringAt(addresses[0], {"ip"}), kNoneText);
  cells.Text(StringAt(pod, {"spec", "nodeName"}), kNoneText);
  cells.Text(StringAt(pod, {"status", "nominatedNodeName"}), kNoneText);
  cells.Text(ReadinessGates(pod));
}

// kubectl get --watch and others hide or mark rows by these.
std::string_view PodConditions(const Json& pod) {
  const std::string_view phase = StringAt(pod, {"status", "phase"});
  if (phase == "Succeeded") {
    return R"([{"type":"Completed","status":"True","reason":"Succeeded",)"
           R"("message":"The pod has completed successfully."}])";
  }
  if (phase == "Failed") {
    return R"([{"type":"Completed","status":"True","reason":"Failed","message":"The pod failed."}])";
  }
  return "";
}

}  // namespace

TableFormat PodFormat() {
  return {.columns = {NameColumn(),
                      {.name = "Ready", .description = "Containers that are ready, of all that run."},
                      {.name = "Status", .description = "What the containers of the pod do."},
                      {.name = "Restarts", .description = "Restarts of its containers, and when the last was."},
                      AgeColumn(),
                      Wide("IP", "Address of the pod."),
                      Wide("Node", "Node that the pod is on."),
                      Wide("Nominated Node", "Node on which room is being made for the pod."),
                      Wide("Readiness Gates", "Conditions that are true, of those that the pod waits for.")},
          .write_cells = WritePod,
          .conditions = PodConditions};
}

}  // namespace kumiko::localcluster
