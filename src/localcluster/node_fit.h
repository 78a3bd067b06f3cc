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

inline constexpr const char* kAffinityRefuses = "do not match the pod's node affinity";

// Nothing: the pod may run there; else why not, in words that follow "3 nodes ": "have too many pods". Of affinity only
// what is required of the node is looked at.
std::optional<std::string> WhyNot(const api::Pod& pod, const api::Node& node, const NodeUse& use);

}  // namespace kumiko::localcluster
