// Whether a pod may run on a node, leaving devices aside: taints, selectors, the number of pods, cpu and memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "api/core/types.h"

namespace kumiko::localcluster {

// What the pods on a node take of it. Amounts stop at the most that an int64 holds.
struct NodeUse {
  std::int64_t pods = 0;
  std::int64_t cpu_milli = 0;
  std::int64_t memory_bytes = 0;
};

// Sum over the containers; of the init containers the largest.
NodeUse RequestsOf(const api::Pod& pod);

// Which pods take what of which node.
class NodeUses {
 public:
  // Takes in the present state of a pod. Returns whether it gave something back.
  bool Update(const std::string& pod_key, const api::Pod* pod);
  const NodeUse& Of(const std::string& node) const;

 private:
  struct Placed {
    std::string node;
    NodeUse use;
  };
  std::map<std::string, Placed> pods_;
  std::map<std::string, NodeUse> nodes_;
};

// The one node that the pod's node affinity admits by its name, as with pods of DaemonSets; empty: it names none.
std::string NamedNode(const api::Pod& pod);

// Why a pod may not run on a node.
struct NodeRefusal {
  // In the order in which a node is tested.
  enum class Reason { kCordoned, kTaint, kLabel, kAffinity, kPods, kCpu, kMemory };
  Reason reason = Reason::kCordoned;
  std::string key = {};                // of the taint or the label
  std::string value = {};              // of the taint, or what the pod's nodeSelector wants the label to be
  std::optional<std::string> is = {};  // what the label is, if the node has it
  // What the pods there leave and what this one needs: pods, thousandths of a core, bytes.
  std::int64_t left = 0;
  std::int64_t needs = 0;
  bool operator==(const NodeRefusal&) const = default;
};

// In words that follow "3 nodes ": "have too many pods".
std::string Text(const NodeRefusal& refusal);

// Whether cordons, taints, labels and what the pod's affinity requires of the node let it in. Preferences, affinity to
// other pods and spread constraints are not looked at.
std::optional<NodeRefusal> WhyClosed(const api::Pod& pod, const api::Node& node);
// Whether the node has room for one more pod, cpu and memory.
std::optional<NodeRefusal> WhyFull(const api::Pod& pod, const api::Node& node, const NodeUse& use);
// The first of the two; nothing: the pod may run there.
std::optional<NodeRefusal> WhyNot(const api::Pod& pod, const api::Node& node, const NodeUse& use);

}  // namespace kumiko::localcluster
