// Node shapes of public clouds (data/node-types.json): which GPUs, on which NUMA nodes, with how much CPU and memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kumiko::gpu {

struct NodeType {
  std::string sku;
  std::string cloud;  // aws, azure, gcp
  std::int64_t vcpus = 0;
  std::int64_t memory_bytes = 0;
  std::string gpu_model;  // an id of Models()
  bool nvlink = false;    // GPUs reach each other over NVLink
  int numa_nodes = 1;
  std::vector<int> gpu_numa;  // NUMA node of GPU i; its size is the number of GPUs
};

const std::vector<NodeType>& NodeTypes();

// By SKU, letter case ignored. Fails with kInvalidArgument, naming the nearest.
Result<const NodeType*> FindNodeType(std::string_view sku);

}  // namespace kumiko::gpu
