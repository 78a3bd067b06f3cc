// The nodes of a cluster with their boards and who holds them, read once for all views of `kumiko top`.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/core/types.h"
#include "cli/boards.h"
#include "cli/explain/holders.h"
#include "localcluster/apiserver/selector.h"
#include "localcluster/cluster_model.h"

namespace kumiko::cli {

struct NodeBoards {
  std::string name;
  std::shared_ptr<const api::Node> node;  // null: slices without a node object
  std::vector<Board> boards;

  std::int64_t AllocatedMilli() const;
  std::int64_t FreeSlots() const;
  // "ok", or what is wrong with the node or its boards.
  std::string Health() const;
};

struct GpuCluster {
  const localcluster::ClusterModel* model = nullptr;
  Holders holders;
  std::vector<NodeBoards> nodes;                         // by name
  std::vector<std::shared_ptr<const api::Pod>> waiting;  // without a node, oldest first

  explicit GpuCluster(const localcluster::ClusterModel& from);
};

// Whether the labels are selected.
bool Selected(const localcluster::LabelSelector& selector, const api::StringMap& labels);

}  // namespace kumiko::cli
