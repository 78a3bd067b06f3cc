#include "fakenvml/install/board_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "base/text.h"
#include "fakenvml/control_text.h"
#include "fakenvml/device_text.h"
#include "fakenvml/install/gpu_entry.h"
#include "fakenvml/install/tree_reader.h"
#include "fakenvml/placement.h"
#include "gpu/node_types.h"

namespace kumiko::fakenvml {
namespace {

constexpr auto kFields =
    std::to_array<std::string_view>({"kind", "driverVersion", "cudaVersion", "topology", "fabric", "delaysMs", "gpus"});

// "13.0" as 13000, as NVML has it.
Result<std::uint32_t> ReadCudaVersion(const TreeNode& node) {
  KU_TRY(const std::string text, node.Text());
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  const char* end = text.data() + text.size();
  const auto [dot, failure] = std::from_chars(text.data(), end, major);
  if (failure != std::errc() || dot == end || *dot != '.' || std::from_chars(dot + 1, end, minor).ptr != end ||
      minor > 99) {
    return node.Bad("\"{}\" is no CUDA version; write it as \"13.0\"", text);
  }
  return major * 1000 + minor * 10;
}

Result<std::string> ReadDriverVersion(const TreeNode& node) {
  KU_TRY(std::string text, node.Text());
  if (text.empty() || text.size() > 31 || text.find_first_not_of("0123456789.") != std::string::npos) {
    return node.Bad("\"{}\" is no driver version; write it as 580.95.05", text);
  }
  return text;
}

struct Topology {
  const gpu::NodeType* type = nullptr;
  std::int64_t numa = 0;  // 0: not told
  std::int64_t roots = 0;
  bool nvlink = true;  // between boards that have it
};

Result<Topology> ReadTopology(const TreeNode& node) {
  static constexpr auto kTopologyFields =
      std::to_array<std::string_view>({"numa", "pcieRoots", "nvlink", "rack", "block"});
  Topology topology;
  if (node.json().is_string()) {
    const auto type = gpu::FindNodeType(std::string_view(node.json().get_string()));
    if (!type) return node.Bad("{}", type.error().message);
    topology.type = *type;
    topology.nvlink = (*type)->nvlink;
    return topology;
  }
  KU_TRY_OK(node.CheckMap(kTopologyFields));
  if (const TreeNode numa = node.At("numa")) {
    KU_TRY(topology.numa, numa.Number(1, 64));
  }
  topology.roots = topology.numa;
  if (const TreeNode roots = node.At("pcieRoots")) {
    KU_TRY(topology.roots, roots.Number(1, 64));
  }
  if (const TreeNode nvlink = node.At("nvlink")) {
    if (!nvlink.json().is_bool()) return nvlink.Bad("write true or false");
    topology.nvlink = nvlink.json().get_bool();
  }
  return topology;
}

// Boards are spread over the PCIe roots in order, and roots over the NUMA nodes. Cloud node types tell NUMA nodes only;
// two GPUs of one NUMA node to a root is the usual build.
void Place(const Topology& topology, std::vector<BoardSetup>& boards) {
  for (std::size_t i = 0; i < boards.size(); ++i) {
    Board& board = boards[i].board;
    board.numa_node = board.pcie_root = -1;
    if (!topology.nvlink) board.nvlink_links = 0;
    if (topology.type != nullptr) {
      const auto& numa = topology.type->gpu_numa;
      board.numa_node = i < numa.size() ? numa[i] : -1;
      board.pcie_root = static_cast<std::int32_t>(i / 2);
    } else if (topology.roots > 0) {
      const std::size_t root = i * static_cast<std::size_t>(topology.roots) / boards.size();
      board.pcie_root = static_cast<std::int32_t>(root);
      if (topology.numa > 0) {
        board.numa_node = static_cast<std::int32_t>(root * static_cast<std::size_t>(topology.numa) /
                                                    static_cast<std::size_t>(topology.roots));
      }
    }
  }
}

Status ReadFabric(const TreeNode& node, std::vector<BoardSetup>& boards) {
  static constexpr auto kFabricFields = std::to_array<std::string_view>({"clusterUuid", "cliqueId"});
  KU_TRY_OK(node.CheckMap(kFabricFields));
  std::optional<Uuid> cluster;
  if (const TreeNode uuid = node.At("clusterUuid")) {
    KU_TRY(const std::string text, uuid.Text());
    cluster = ParseUuid(text);
    if (!cluster) return uuid.Bad("\"{}\" is no UUID", text);
  } else {
    return node.Bad("a fabric needs a clusterUuid");
  }
  std::int64_t clique = 0;
  if (const TreeNode number = node.At("cliqueId")) {
    KU_TRY(clique, number.Number(0, 1 << 30));
  }
  for (BoardSetup& setup : boards) {
    std::ranges::copy(*cluster, setup.board.fabric_cluster);
    setup.board.fabric_clique = static_cast<std::uint32_t>(clique);
    setup.board.fabric_state = 3;  // completed
  }
  return {};
}

Status ReadDelays(const TreeNode& node, BoardFile& file) {
  KU_TRY(const auto members, node.Members());
  if (members.size() > kMaxRules) return node.Bad("more than {} functions", kMaxRules);
  for (const auto& [function, delay] : members) {
    if (!IsFunction(function)) return delay.Bad("this library has no such function");
    KU_TRY(const std::int64_t milliseconds, delay.Number(0, 3600 * 1000));
    file.delays_ms.emplace_back(function, static_cast<std::uint32_t>(milliseconds));
  }
  return {};
}

// Two boards of one machine differ in these.
Status CheckDistinct(const TreeNode& gpus, const std::vector<BoardSetup>& boards) {
  std::set<std::string> seen;
  for (const BoardSetup& setup : boards) {
    for (const std::string& name : {std::string(setup.board.uuid), PciBusIdText(setup.board, 8),
                                    "minor number " + std::to_string(setup.board.minor)}) {
      if (!seen.insert(name).second) return gpus.Bad("two GPUs have {}", name);
    }
  }
  return {};
}

Status ReadGpus(const TreeNode& gpus, BoardFile& file) {
  KU_TRY(const auto entries, gpus.Items());
  for (const TreeNode& entry : entries) {
    KU_TRY(const auto setups, ReadGpuEntry(entry, static_cast<unsigned>(file.boards.size())));
    file.boards.insert(file.boards.end(), setups.begin(), setups.end());
    if (file.boards.size() > kMaxGpus) return gpus.Bad("{} GPUs at most", kMaxGpus);
  }
  return CheckDistinct(gpus, file.boards);
}

// The node of a cluster file.
Result<TreeNode> ChooseNode(const TreeNode& cluster, std::string_view name) {
  const TreeNode nodes = cluster.At("nodes");
  if (!nodes) return cluster.Bad("a cluster file needs nodes");
  KU_TRY(const auto items, nodes.Items());
  if (name.empty() && items.size() == 1) return items.front();
  std::vector<std::string> names;
  for (const TreeNode& item : items) {
    names.emplace_back(StringAt(item.json(), {"name"}));
    if (names.back() == name) return item;
  }
  return nodes.Bad("no node \"{}\"; give --node one of {}", name, Join(names, ", "));
}

}  // namespace

void Cut(const Board& board, const CutProfile& cut, GpuState& state) {
  const ProfileRow& profile = board.profiles[cut.profile];
  GpuInstance& instance = state.instances[InstanceId(board, cut.start, profile.placement_size)];
  instance = {};
  instance.serial = ++state.last_serial;
  instance.profile = cut.profile;
  instance.start = cut.start;
  instance.size = profile.placement_size;
  const std::uint32_t serial = ++state.last_serial;
  instance.compute[0] = ComputeInstance{serial, profile.compute_slices, 0, MigUuidOf(board, serial)};
}

Result<BoardFile> ReadBoardFile(std::string_view text, std::string_view file_name, std::string_view node) {
  KU_TRY(const auto documents, ParseYamlDocuments(text, file_name));
  if (documents.size() != 1) {
    return Fail(Code::kInvalidArgument, "{}: {} documents; a board file is one", file_name, documents.size());
  }
  TreeNode root(documents.front(), &documents.front().value, "");
  const bool is_cluster = StringAt(root.json(), {"kind"}) == "Cluster";
  if (is_cluster) {
    KU_TRY(root, ChooseNode(root, node));
  } else {
    KU_TRY_OK(root.CheckMap(kFields));
  }

  BoardFile file;
  if (const TreeNode version = root.At("driverVersion")) {
    KU_TRY(file.driver_version, ReadDriverVersion(version));
  }
  if (const TreeNode version = root.At("cudaVersion")) {
    KU_TRY(file.cuda_version, ReadCudaVersion(version));
  }
  if (const TreeNode gpus = root.At("gpus")) KU_TRY_OK(ReadGpus(gpus, file));
  Topology topology;
  if (const TreeNode given = root.At("topology")) {
    KU_TRY(topology, ReadTopology(given));
  }
  Place(topology, file.boards);
  if (const TreeNode fabric = root.At("fabric")) KU_TRY_OK(ReadFabric(fabric, file.boards));
  if (const TreeNode delays = root.At("delaysMs")) KU_TRY_OK(ReadDelays(delays, file));
  return file;
}

}  // namespace kumiko::fakenvml
