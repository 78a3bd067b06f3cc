// Where a pod could go: every node in one row, under the first condition that it fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allocator/explain_nodes.h"
#include "cli/explain/stage.h"
#include "cli/explain/subject.h"
#include "report/explanation.h"

namespace kumiko::cli {

// What stands against one situation of nodes.
struct NodeSituation {
  std::vector<std::string> nodes;
  Stage stage = Stage::kRoom;
  std::size_t free = 0;  // of the devices that are needed
  std::size_t needed = 0;
  std::optional<localcluster::NodeRefusal> refusal;   // kClosed, kLabel, kHost
  std::optional<allocator::Explanation> explanation;  // of the devices, when they do not fit
};

struct NodePlace {
  report::Place place;
  std::vector<NodeSituation> situations;  // nearest to success first
  // Nodes in order of nearness, of those whose devices are what is missing; a few.
  std::vector<std::string> nearest;

  // What stands against the nodes that come nearest; null without nodes.
  const NodeSituation* Nearest() const { return situations.empty() ? nullptr : &situations.front(); }
  bool HasRoom() const { return Nearest() != nullptr && Nearest()->stage == Stage::kRoom; }
};

// `state` is what is in use: the model's, or an empty one for what could be in an empty cluster, where
// `beside_pods` is false, too. `wanted` are the claims without devices, as they are or changed.
NodePlace PlaceNodes(const Subject& subject, const allocator::State& state,
                     const std::vector<const api::ResourceClaim*>& wanted, bool beside_pods = true);

// "12", "1500m" of cpu, "64 GiB" of memory.
std::string AmountText(const localcluster::NodeRefusal& refusal, std::int64_t amount);

}  // namespace kumiko::cli
