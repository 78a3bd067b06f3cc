#include "gpu/node_types.h"

#include "base/check.h"
#include "base/json.h"
#include "base/suggest.h"
#include "base/text.h"
#include "gpu/embedded_tables.h"

namespace kumiko::gpu {
namespace {

std::int64_t Number(const Json& row, std::string_view key) {
  const Json* member = Find(row, key);
  KU_CHECK(member != nullptr && member->is_int64()) << "node-types.json: " << std::string(key);
  return member->get_int64();
}

std::vector<NodeType> ReadNodeTypes() {
  const Result<Json> table = ParseJson(internal::kNodeTypes);
  KU_CHECK(table.has_value()) << "node-types.json: " << table.error().message;
  const Json* rows = Find(*table, "nodeTypes");
  KU_CHECK(rows != nullptr && rows->is_array()) << "node-types.json: nodeTypes";
  std::vector<NodeType> types;
  for (const Json& row : rows->get_array()) {
    NodeType type;
    type.sku = StringAt(row, {"sku"});
    type.cloud = StringAt(row, {"cloud"});
    type.vcpus = Number(row, "vcpus");
    type.memory_bytes = Number(row, "memoryGiB") << 30;
    type.gpu_model = StringAt(row, {"gpuModel"});
    const std::string_view fabric = StringAt(row, {"fabric", "type"});
    type.nvlink = fabric != "single" && fabric != "pcie";
    type.numa_nodes = static_cast<int>(Number(row, "numaNodes"));
    const Json* numa = Find(row, "gpuNuma");
    KU_CHECK(numa != nullptr && numa->is_array()) << type.sku;
    for (const Json& node : numa->get_array()) type.gpu_numa.push_back(static_cast<int>(node.get_int64()));
    types.push_back(std::move(type));
  }
  return types;
}

}  // namespace

const std::vector<NodeType>& NodeTypes() {
  static const std::vector<NodeType> types = ReadNodeTypes();
  return types;
}

Result<const NodeType*> FindNodeType(std::string_view sku) {
  std::vector<std::string> skus;
  for (const NodeType& type : NodeTypes()) {
    if (ToLower(type.sku) == ToLower(sku)) return &type;
    skus.push_back(type.sku);
  }
  if (const auto near = Suggest(sku, skus)) {
    return Fail(Code::kInvalidArgument, "no node type \"{}\"; did you mean {}?", sku, *near);
  }
  return Fail(Code::kInvalidArgument, "no node type \"{}\"; write a cloud's name of it, such as p5.48xlarge", sku);
}

}  // namespace kumiko::gpu
