#include "localcluster/node_fit.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace kumiko::localcluster {
namespace {

NodeUse RequestsOf(const api::Container& container) {
  NodeUse use;
  for (const auto* list : {&container.resources.limits, &container.resources.requests}) {
    // A limit without a request is the request.
    if (const auto cpu = list->find("cpu"); cpu != list->end())
      use.cpu_milli = std::max<std::int64_t>(0, cpu->second.MilliValue());
    if (const auto memory = list->find("memory"); memory != list->end())
      use.memory_bytes = std::max<std::int64_t>(0, memory->second.Value());
  }
  return use;
}

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// Of amounts that are not negative. Two containers may ask for more bytes than an int64 counts.
std::int64_t AddUpToMost(std::int64_t a, std::int64_t b) {
  return a > kMost - b ? kMost : a + b;
}

void Add(NodeUse& sum, const NodeUse& use) {
  sum.pods = AddUpToMost(sum.pods, use.pods);
  sum.cpu_milli = AddUpToMost(sum.cpu_milli, use.cpu_milli);
  sum.memory_bytes = AddUpToMost(sum.memory_bytes, use.memory_bytes);
}

constexpr const char* kUnschedulableTaint = "node.kubernetes.io/unschedulable";

bool ToleratesAll(const api::Pod& pod, const api::Taint& taint) {
  return std::any_of(pod.spec.tolerations.begin(), pod.spec.tolerations.end(),
                     [&](const api::Toleration& toleration) { return api::Tolerates(toleration, taint); });
}

}  // namespace

NodeUse RequestsOf(const api::Pod& pod) {
  NodeUse sum;
  sum.pods = 1;
  for (const api::Container& container : pod.spec.containers) {
    Add(sum, RequestsOf(container));
  }
  for (const api::Container& container : pod.spec.init_containers) {
    const NodeUse use = RequestsOf(container);
    sum.cpu_milli = std::max(sum.cpu_milli, use.cpu_milli);
    sum.memory_bytes = std::max(sum.memory_bytes, use.memory_bytes);
  }
  return sum;
}

bool NodeUses::Update(const std::string& pod_key, const api::Pod* pod) {
  std::string node;
  if (pod != nullptr && !api::IsFinished(*pod)) node = pod->spec.node_name;
  const auto known = pods_.find(pod_key);
  if (known != pods_.end() && known->second.node == node) return false;
  const bool gave_back = known != pods_.end();
  if (gave_back) {
    const Placed gone = known->second;
    pods_.erase(known);
    NodeUse& use = nodes_[gone.node];
    if (use.cpu_milli == kMost || use.memory_bytes == kMost) {
      // A sum that stopped at the most does not know its parts any more.
      use = {};
      for (const auto& [key, placed] : pods_) {
        if (placed.node == gone.node) Add(use, placed.use);
      }
    } else {
      use.pods -= gone.use.pods;
      use.cpu_milli -= gone.use.cpu_milli;
      use.memory_bytes -= gone.use.memory_bytes;
    }
  }
  if (node.empty()) return gave_back;
  const NodeUse taken = RequestsOf(*pod);
  Add(nodes_[node], taken);
  pods_[pod_key] = {node, taken};
  return gave_back;
}

const NodeUse& NodeUses::Of(const std::string& node) const {
  static const NodeUse kNothing;
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? kNothing : found->second;
}

std::string NamedNode(const api::Pod& pod) {
  const auto& required = pod.spec.affinity.node_affinity.required;
  if (!required || required->node_selector_terms.size() != 1) return "";
  for (const api::NodeSelectorRequirement& field : required->node_selector_terms.front().match_fields) {
    if (field.key == "metadata.name" && field.operator_ == "In" && field.values.size() == 1) {
      return field.values.front();
    }
  }
  return "";
}

std::string Text(const NodeRefusal& refusal) {
  switch (refusal.reason) {
    case NodeRefusal::Reason::kCordoned:
      return "are cordoned";
    case NodeRefusal::Reason::kTaint:
      return fmt::format("have the taint {}{} that the pod does not tolerate", refusal.key,
                         refusal.value.empty() ? "" : "=" + refusal.value);
    case NodeRefusal::Reason::kLabel:
      return fmt::format("lack the label {}={} of the pod's nodeSelector", refusal.key, refusal.value);
    case NodeRefusal::Reason::kAffinity:
      return "do not match the pod's node affinity";
    case NodeRefusal::Reason::kPods:
      return "have too many pods";
    case NodeRefusal::Reason::kCpu:
      return "have too little cpu";
    case NodeRefusal::Reason::kMemory:
      return "have too little memory";
  }
  return "";
}

std::optional<NodeRefusal> WhyClosed(const api::Pod& pod, const api::Node& node) {
  using Reason = NodeRefusal::Reason;
  if (node.spec.unschedulable && !ToleratesAll(pod, {kUnschedulableTaint, "", "NoSchedule"})) {
    return NodeRefusal{.reason = Reason::kCordoned};
  }
  for (const api::Taint& taint : node.spec.taints) {
    if (taint.effect == "PreferNoSchedule" || ToleratesAll(pod, taint)) continue;
    return NodeRefusal{.reason = Reason::kTaint, .key = taint.key, .value = taint.value};
  }
  for (const auto& [key, value] : pod.spec.node_selector) {
    const auto label = node.metadata.labels.find(key);
    if (label != node.metadata.labels.end() && label->second == value) continue;
    NodeRefusal refusal{.reason = Reason::kLabel, .key = key, .value = value};
    if (label != node.metadata.labels.end()) refusal.is = label->second;
    return refusal;
  }
  if (const auto& required = pod.spec.affinity.node_affinity.required) {
    const bool matches = api::Matches(*required, node.metadata.name, node.metadata.labels).value_or(false);
    if (!matches) return NodeRefusal{.reason = Reason::kAffinity};
  }
  return std::nullopt;
}

std::optional<NodeRefusal> WhyFull(const api::Pod& pod, const api::Node& node, const NodeUse& use) {
  using Reason = NodeRefusal::Reason;
  const api::ResourceList& has = node.status.allocatable.empty() ? node.status.capacity : node.status.allocatable;
  const NodeUse wants = RequestsOf(pod);
  // A sum at the most stands for that or more, and no node has more.
  const auto lacks = [](std::int64_t used, std::int64_t needs, std::int64_t limit) {
    const std::int64_t sum = AddUpToMost(used, needs);
    return sum > limit || sum == kMost;
  };
  const auto refusal = [](Reason reason, std::int64_t used, std::int64_t needs, std::int64_t limit) {
    return NodeRefusal{.reason = reason, .left = std::max<std::int64_t>(0, limit - used), .needs = needs};
  };
  if (const auto pods = has.find("pods"); pods != has.end()) {
    const std::int64_t limit = pods->second.Value();
    if (use.pods + wants.pods > limit) return refusal(Reason::kPods, use.pods, wants.pods, limit);
  }
  if (const auto cpu = has.find("cpu"); cpu != has.end() && wants.cpu_milli > 0) {
    const std::int64_t limit = cpu->second.MilliValue();
    if (lacks(use.cpu_milli, wants.cpu_milli, limit)) {
      return refusal(Reason::kCpu, use.cpu_milli, wants.cpu_milli, limit);
    }
  }
  if (const auto memory = has.find("memory"); memory != has.end() && wants.memory_bytes > 0) {
    const std::int64_t limit = memory->second.Value();
    if (lacks(use.memory_bytes, wants.memory_bytes, limit)) {
      return refusal(Reason::kMemory, use.memory_bytes, wants.memory_bytes, limit);
    }
  }
  return std::nullopt;
}

std::optional<NodeRefusal> WhyNot(const api::Pod& pod, const api::Node& node, const NodeUse& use) {
  std::optional<NodeRefusal> refusal = WhyClosed(pod, node);
  return refusal ? refusal : WhyFull(pod, node, use);
}

}  // namespace kumiko::localcluster
