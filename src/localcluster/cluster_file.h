// The cluster file: which nodes and boards the local cluster simulates (DESIGN §5). Every error names file, line and
// field and says what to write instead.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/core/types.h"
#include "api/resource/types.h"
#include "base/result.h"
#include "base/yaml.h"
#include "gpu/slices.h"

namespace kumiko::localcluster {

inline constexpr const char* kRackLabel = "kumiko.dev/rack";
inline constexpr const char* kBlockLabel = "kumiko.dev/block";

// How GPUs hang together inside the node, and where the node stands.
struct NodeTopology {
  std::string node_type;  // SKU, or empty
  int numa_nodes = 1;
  int pcie_roots = 1;
  bool nvlink = false;
  std::string rack;
  std::string block;
};

struct SimulatedNode {
  std::string name;
  std::int64_t pods = 110;
  std::int64_t cpus = 0;
  std::int64_t memory_bytes = 0;
  api::StringMap labels;
  std::vector<api::Taint> taints;
  NodeTopology topology;
  std::vector<gpu::BoardInstance> boards;
};

// How often a profile is expected, relative to the others (packing policy).
struct DemandWeight {
  std::string profile;
  std::int64_t weight = 0;
};

struct ClusterFile {
  std::vector<SimulatedNode> nodes;
  std::vector<DemandWeight> demand;  // in file order
};

// `file_name` is for messages only. Fails with kInvalidArgument: "demo.yaml:7:14: nodes[0].gpus[0].model: no GPU model
// ...".
Result<ClusterFile> ParseClusterFile(const std::string& file_name, std::string_view text);
// The same of a document that was read already.
Result<ClusterFile> ParseClusterFile(const Document& document);
// Fails with kNotFound or kInvalidArgument.
Result<ClusterFile> ReadClusterFile(const std::string& path);

// The Node object: the file's labels and taints, GPU labels, topology labels, Ready, capacity.
api::Node MakeNode(const SimulatedNode& node);

// The node's pool of ResourceSlices.
Result<std::vector<api::ResourceSlice>> MakeSlices(const SimulatedNode& node, const std::string& node_uid,
                                                   std::int64_t generation);

}  // namespace kumiko::localcluster
