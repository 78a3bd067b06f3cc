#include "localcluster/cluster_file.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "api/validation.h"
#include "base/field_path.h"
#include "base/files.h"
#include "base/random.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/yaml.h"
#include "gpu/geometry.h"
#include "gpu/labels.h"
#include "gpu/node_types.h"

namespace kumiko::localcluster {
namespace {

constexpr std::int64_t kMaxNodes = 10000;
constexpr std::int64_t kMaxGpusPerNode = 64;
// A node that names no type: a common two-socket server.
constexpr std::int64_t kDefaultCpus = 96;
constexpr std::int64_t kDefaultMemoryBytes = std::int64_t{768} << 30;

// What one entry of `gpus` says.
struct GpuEntry {
  gpu::Model model;
  std::int64_t count = 1;
  gpu::MigMode mig = gpu::MigMode::kOff;
  std::vector<gpu::PlacedProfile> cut;
  gpu::Sharing sharing;
};

// Walks the tree of one file and knows how to say where something is wrong.
class ClusterReader {
 public:
  explicit ClusterReader(const Document& document) : document_(document) {}

  Result<ClusterFile> Read();

 private:
  template <class... Args>
  tl::unexpected<Error> Bad(std::string_view path, fmt::format_string<Args...> format, Args&&... args) const {
    return Fail(Code::kInvalidArgument, "{}: {}{}{}", document_.Where(path), path, path.empty() ? "" : ": ",
                fmt::format(format, std::forward<Args>(args)...));
  }
  // The same for an error of a table look-up, which does not know its place.
  tl::unexpected<Error> Bad(std::string_view path, const Error& error) const { return Bad(path, "{}", error.message); }

  Status CheckMap(const Json& value, std::string_view path, std::span<const std::string_view> fields) const;
  Result<std::string> ReadText(const Json& value, std::string_view path) const;
  Result<std::int64_t> ReadNumber(const Json& value, std::string_view path, std::int64_t min, std::int64_t max) const;
  Result<std::string> ReadLabelValue(const Json& value, const std::string& path) const;
  Result<api::StringMap> ReadLabels(const Json& value, const std::string& path) const;
  Result<api::Taint> ReadTaint(const Json& value, const std::string& path) const;
  Result<NodeTopology> ReadTopology(const Json& value, const std::string& path) const;
  Result<gpu::Sharing> ReadSharing(const Json& value, const std::string& path) const;
  Status ReadMig(const Json& value, const std::string& path, GpuEntry& entry) const;
  Result<GpuEntry> ReadGpu(const Json& value, const std::string& path) const;
  Result<std::vector<GpuEntry>> ReadGpus(const Json& node, const NodeTopology& topology, const std::string& path) const;
  Status ReadNode(const Json& value, const std::string& path, ClusterFile& file);
  Result<std::vector<DemandWeight>> ReadDemand(const Json& value, const std::string& path) const;

  const Document& document_;
  std::set<std::string> names_;
};

Status ClusterReader::CheckMap(const Json& value, std::string_view path,
                               std::span<const std::string_view> fields) const {
  if (!value.is_object()) return Bad(path, "expected a map, found {}", JsonTypeName(value));
  for (const auto& [key, member] : value.get_object()) {
    const std::string_view name(key.data(), key.size());
    if (std::ranges::find(fields, name) != fields.end()) continue;
    const std::string field = ChildPath(path, name);
    if (const auto near = Suggest(name, fields)) return Bad(field, "unknown field; did you mean {}?", *near);
    const std::vector<std::string> known(fields.begin(), fields.end());
    return Bad(field, "unknown field; this map has {}", Join(known, ", "));
  }
  return {};
}

Result<std::string> ClusterReader::ReadText(const Json& value, std::string_view path) const {
  if (!value.is_string()) {
    return Bad(path, "expected a string, found {}; put the value in quotes", JsonTypeName(value));
  }
  return std::string(value.get_string());
}

Result<std::int64_t> ClusterReader::ReadNumber(const Json& value, std::string_view path, std::int64_t min,
                                               std::int64_t max) const {
  if (!value.is_int64()) {
    return Bad(path, "expected an integer from {} to {}, found {}", min, max, JsonTypeName(value));
  }
  const std::int64_t number = value.get_int64();
  if (number < min || number > max) return Bad(path, "{} is out of range; write {} to {}", number, min, max);
  return number;
}

Result<std::string> ClusterReader::ReadLabelValue(const Json& value, const std::string& path) const {
  KU_TRY(std::string text, ReadText(value, path));
  if (const std::string reason = api::CheckLabelValue(text); !reason.empty()) {
    return Bad(path, "\"{}\" is no label value: {}", text, reason);
  }
  return text;
}

Result<api::StringMap> ClusterReader::ReadLabels(const Json& value, const std::string& path) const {
  if (!value.is_object()) {
    return Bad(path, "expected a map of label to value, found {}", JsonTypeName(value));
  }
  api::StringMap labels;
  for (const auto& [key, member] : value.get_object()) {
    const std::string name(key);
    const std::string field = ChildPath(path, name);
    if (const std::string reason = api::CheckQualifiedName(name); !reason.empty()) {
      return Bad(field, "\"{}\" is no label key: {}", name, reason);
    }
    KU_TRY(labels[name], ReadLabelValue(member, field));
  }
  return labels;
}

Result<api::Taint> ClusterReader::ReadTaint(const Json& value, const std::string& path) const {
  static constexpr std::array<std::string_view, 3> kFields = {"key", "value", "effect"};
  static constexpr std::array<std::string_view, 3> kEffects = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
  KU_TRY_OK(CheckMap(value, path, kFields));
  api::Taint taint;
  const auto read = [&](std::string_view field, std::string& into) -> Status {
    if (const Json* member = Find(value, field)) {
      KU_TRY(into, ReadText(*member, ChildPath(path, field)));
    }
    return {};
  };
  KU_TRY_OK(read("key", taint.key));
  KU_TRY_OK(read("value", taint.value));
  KU_TRY_OK(read("effect", taint.effect));
  if (taint.key.empty()) return Bad(path, "a taint needs a key");
  if (const std::string reason = api::CheckQualifiedName(taint.key); !reason.empty()) {
    return Bad(ChildPath(path, "key"), "\"{}\" is no taint key: {}", taint.key, reason);
  }
  if (const std::string reason = api::CheckLabelValue(taint.value); !reason.empty()) {
    return Bad(ChildPath(path, "value"), "\"{}\" is no taint value: {}", taint.value, reason);
  }
  if (std::ranges::find(kEffects, taint.effect) == kEffects.end()) {
    return Bad(ChildPath(path, "effect"), "write NoSchedule, PreferNoSchedule or NoExecute");
  }
  return taint;
}

Result<NodeTopology> ClusterReader::ReadTopology(const Json& value, const std::string& path) const {
  NodeTopology topology;
  if (value.is_string()) {
    const auto type = gpu::FindNodeType(std::string_view(value.get_string()));
    if (!type) return Bad(path, type.error());
    topology.node_type = (*type)->sku;
    topology.numa_nodes = (*type)->numa_nodes;
    topology.nvlink = (*type)->nvlink;
    return topology;
  }
  static constexpr std::array<std::string_view, 5> kFields = {"numa", "pcieRoots", "nvlink", "rack", "block"};
  if (!value.is_object()) {
    return Bad(path, "expected a node type such as p5.48xlarge, or a map of {}; found {}",
               "numa, pcieRoots, nvlink, rack, block", JsonTypeName(value));
  }
  KU_TRY_OK(CheckMap(value, path, kFields));
  if (const Json* numa = Find(value, "numa")) {
    KU_TRY(const std::int64_t number, ReadNumber(*numa, ChildPath(path, "numa"), 1, 64));
    topology.numa_nodes = static_cast<int>(number);
  }
  topology.pcie_roots = topology.numa_nodes;
  if (const Json* roots = Find(value, "pcieRoots")) {
    KU_TRY(const std::int64_t number, ReadNumber(*roots, ChildPath(path, "pcieRoots"), 1, 64));
    topology.pcie_roots = static_cast<int>(number);
    if (topology.pcie_roots < topology.numa_nodes) {
      return Bad(ChildPath(path, "pcieRoots"), "a PCIe root belongs to one NUMA node; write at least {}",
                 topology.numa_nodes);
    }
  }
  if (const Json* nvlink = Find(value, "nvlink")) {
    if (!nvlink->is_bool()) return Bad(ChildPath(path, "nvlink"), "write true or false");
    topology.nvlink = nvlink->get_bool();
  }
  if (const Json* rack = Find(value, "rack")) {
    KU_TRY(topology.rack, ReadLabelValue(*rack, ChildPath(path, "rack")));
  }
  if (const Json* block = Find(value, "block")) {
    KU_TRY(topology.block, ReadLabelValue(*block, ChildPath(path, "block")));
  }
  return topology;
}

Result<gpu::Sharing> ClusterReader::ReadSharing(const Json& value, const std::string& path) const {
  using Kind = gpu::Sharing::Kind;
  if (value.is_int64()) {
    KU_TRY(const std::int64_t shares, ReadNumber(value, path, 1, 1000));
    return gpu::Sharing{Kind::kShares, shares};
  }
  // YAML reads a bare `off` as false.
  if (value.is_bool() && !value.get_bool()) return gpu::Sharing{};
  const std::string_view word = value.is_string() ? std::string_view(value.get_string()) : std::string_view();
  if (word == "disabled") return gpu::Sharing{};
  if (word == "unlimited") return gpu::Sharing{Kind::kUnlimited, 0};
  if (word == "memory") return gpu::Sharing{Kind::kMemory, 0};
  return Bad(path, "write the number of shares, unlimited, memory or disabled");
}

Status ClusterReader::ReadMig(const Json& value, const std::string& path, GpuEntry& entry) const {
  const bool is_off = (value.is_bool() && !value.get_bool()) || (value.is_string() && value.get_string() == "off");
  if (is_off) return {};
  if (value.is_string() && value.get_string() == "dynamic") {
    // A number that nobody knows is found here, with its line, rather than when slices are built.
    if (const auto profiles = gpu::UsableProfiles(entry.model); !profiles) {
      if (entry.model.board == nullptr) return Bad(path, profiles.error());
      return Bad(path, "{}; write mig: off or a list of profiles that are known", profiles.error().message);
    }
    entry.mig = gpu::MigMode::kDynamic;
    return {};
  }
  if (!value.is_array()) {
    return Bad(path, "write off, dynamic, or a list of profiles such as [1g.10gb, 3g.40gb]");
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < value.get_array().size(); ++i) {
    const std::string item = ItemPath(path, i);
    KU_TRY(names.emplace_back(), ReadText(value.get_array()[i], item));
    if (const auto profile = gpu::UsableProfile(entry.model, names.back()); !profile) return Bad(item, profile.error());
  }
  if (names.empty()) return Bad(path, "the list of profiles is empty; write mig: off or name profiles");
  auto cut = gpu::PlaceStatic(entry.model, names);
  if (!cut) return Bad(path, cut.error());
  entry.cut = std::move(*cut);
  entry.mig = gpu::MigMode::kStatic;
  return {};
}

Result<GpuEntry> ClusterReader::ReadGpu(const Json& value, const std::string& path) const {
  static constexpr std::array<std::string_view, 4> kFields = {"model", "count", "mig", "sharing"};
  KU_TRY_OK(CheckMap(value, path, kFields));
  GpuEntry entry;
  const Json* model = Find(value, "model");
  if (model == nullptr) return Bad(path, "a GPU needs a model, such as model: H100");
  KU_TRY(const std::string name, ReadText(*model, ChildPath(path, "model")));
  const auto found = gpu::FindModel(name);
  if (!found) return Bad(ChildPath(path, "model"), found.error());
  entry.model = **found;
  if (const Json* count = Find(value, "count")) {
    KU_TRY(entry.count, ReadNumber(*count, ChildPath(path, "count"), 1, kMaxGpusPerNode));
  }
  if (const Json* mig = Find(value, "mig")) KU_TRY_OK(ReadMig(*mig, ChildPath(path, "mig"), entry));
  if (const Json* sharing = Find(value, "sharing")) {
    KU_TRY(entry.sharing, ReadSharing(*sharing, ChildPath(path, "sharing")));
  }
  return entry;
}

Result<std::vector<GpuEntry>> ClusterReader::ReadGpus(const Json& node, const NodeTopology& topology,
                                                      const std::string& path) const {
  std::vector<GpuEntry> entries;
  const gpu::NodeType* type = nullptr;
  if (!topology.node_type.empty()) {
    KU_TRY(type, gpu::FindNodeType(topology.node_type));
  }
  const Json* gpus = Find(node, "gpus");
  const std::string gpus_path = ChildPath(path, "gpus");
  if (gpus == nullptr) {
    if (type == nullptr) return entries;
    KU_TRY(const gpu::Model* model, gpu::FindModel(type->gpu_model));
    GpuEntry entry;
    entry.model = *model;
    entry.count = static_cast<std::int64_t>(type->gpu_numa.size());
    entries.push_back(std::move(entry));
    return entries;
  }
  if (!gpus->is_array()) return Bad(gpus_path, "expected a list of GPUs, found {}", JsonTypeName(*gpus));
  std::int64_t total = 0;
  for (std::size_t i = 0; i < gpus->get_array().size(); ++i) {
    KU_TRY(entries.emplace_back(), ReadGpu(gpus->get_array()[i], ItemPath(gpus_path, i)));
    total += entries.back().count;
  }
  const std::int64_t most = type == nullptr ? kMaxGpusPerNode : static_cast<std::int64_t>(type->gpu_numa.size());
  if (total > most) {
    return Bad(gpus_path, "{} GPUs are listed but {} has at most {}", total,
               type == nullptr ? std::string_view("a node") : std::string_view(type->sku), most);
  }
  return entries;
}

// Why `name` is none for a node, which is a label's value as well; "" when it is one.
std::string CheckNodeName(std::string_view name) {
  std::string reason = api::CheckDnsSubdomain(name);
  if (reason.empty() && name.size() > 63) reason = "must be no more than 63 characters";
  return reason;
}

// The same UUID for the same thing in every run.
std::string StableUuid(std::string_view prefix, std::string_view thing) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : thing) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  Random random(hash);
  return fmt::format("{}-{}", prefix, RandomUuid(random));
}

// PCIe root and NUMA node of each GPU: spread over the roots in order, roots over the NUMA nodes in order.
struct Place {
  int root = 0;
  int numa = 0;
};
std::vector<Place> PlacesOf(const NodeTopology& topology, std::size_t gpus) {
  std::vector<Place> places(gpus);
  if (!topology.node_type.empty()) {
    // Cloud node tables tell NUMA nodes only; two GPUs of one NUMA node to a root is the usual build.
    const auto type = gpu::FindNodeType(topology.node_type);
    int root = -1;
    int on_root = 0;
    for (std::size_t i = 0; i < gpus && type; ++i) {
      const int numa = (*type)->gpu_numa[i];
      if (root < 0 || on_root == 2 || places[i - 1].numa != numa) {
        ++root;
        on_root = 0;
      }
      ++on_root;
      places[i] = {root, numa};
    }
    return places;
  }
  for (std::size_t i = 0; i < gpus; ++i) {
    const int root = static_cast<int>(i * static_cast<std::size_t>(topology.pcie_roots) / gpus);
    places[i] = {root, root * topology.numa_nodes / topology.pcie_roots};
  }
  return places;
}

std::vector<gpu::BoardInstance> MakeBoards(const std::string& node, const NodeTopology& topology,
                                           const std::vector<GpuEntry>& entries) {
  std::vector<gpu::BoardInstance> boards;
  for (const GpuEntry& entry : entries) {
    for (std::int64_t i = 0; i < entry.count; ++i) {
      gpu::BoardInstance& board = boards.emplace_back();
      board.minor = static_cast<int>(boards.size()) - 1;
      board.model = entry.model;
      board.mig = entry.mig;
      board.sharing = entry.sharing;
      const std::string self = fmt::format("{}/gpu-{}", node, board.minor);
      board.uuid = StableUuid("GPU", self);
      for (const gpu::PlacedProfile& part : entry.cut) {
        board.instances.push_back(
            {part.profile, part.placement,
             StableUuid("MIG", fmt::format("{}/{}/{}", self, part.profile.name, part.placement.start))});
      }
    }
  }
  const std::vector<Place> places = PlacesOf(topology, boards.size());
  std::vector<int> on_root(boards.size() + 64, 0);
  for (std::size_t i = 0; i < boards.size(); ++i) {
    // Fourteen roots of sixteen buses to a PCI domain, fifteen GPUs to a bus number.
    const int domain = places[i].root / 14;
    const int bus = 16 * (places[i].root % 14 + 1);
    const int index = on_root[static_cast<std::size_t>(places[i].root)]++;
    boards[i].pcie_root = fmt::format("pci{:04x}:{:02x}", domain, bus);
    boards[i].pci_bus_id = fmt::format("{:04x}:{:02x}:{:02x}.0", domain, bus + 1 + index % 15, index / 15);
    boards[i].numa_node = places[i].numa;
  }
  return boards;
}

Status ClusterReader::ReadNode(const Json& value, const std::string& path, ClusterFile& file) {
  static constexpr std::array<std::string_view, 7> kFields = {"name",   "count",    "pods", "labels",
                                                              "taints", "topology", "gpus"};
  KU_TRY_OK(CheckMap(value, path, kFields));
  const std::int64_t left = kMaxNodes - static_cast<std::int64_t>(file.nodes.size());
  if (left == 0) return Bad(path, "a cluster has at most {} nodes", kMaxNodes);
  SimulatedNode node;
  const std::string name_path = ChildPath(path, "name");
  const Json* name = Find(value, "name");
  if (name == nullptr) return Bad(path, "a node needs a name");
  KU_TRY(node.name, ReadText(*name, name_path));
  std::optional<std::int64_t> count;
  if (const Json* member = Find(value, "count")) {
    KU_TRY(count, ReadNumber(*member, ChildPath(path, "count"), 1, left));
  }
  if (const Json* pods = Find(value, "pods")) {
    KU_TRY(node.pods, ReadNumber(*pods, ChildPath(path, "pods"), 1, 10000));
  }
  if (const Json* labels = Find(value, "labels")) {
    KU_TRY(node.labels, ReadLabels(*labels, ChildPath(path, "labels")));
  }
  if (const Json* taints = Find(value, "taints")) {
    const std::string taints_path = ChildPath(path, "taints");
    if (!taints->is_array()) return Bad(taints_path, "expected a list of taints, found {}", JsonTypeName(*taints));
    for (std::size_t i = 0; i < taints->get_array().size(); ++i) {
      KU_TRY(node.taints.emplace_back(), ReadTaint(taints->get_array()[i], ItemPath(taints_path, i)));
    }
  }
  if (const Json* topology = Find(value, "topology")) {
    KU_TRY(node.topology, ReadTopology(*topology, ChildPath(path, "topology")));
  }
  node.cpus = kDefaultCpus;
  node.memory_bytes = kDefaultMemoryBytes;
  if (!node.topology.node_type.empty()) {
    KU_TRY(const gpu::NodeType* type, gpu::FindNodeType(node.topology.node_type));
    node.cpus = type->vcpus;
    node.memory_bytes = type->memory_bytes;
  }
  KU_TRY(const std::vector<GpuEntry> gpus, ReadGpus(value, node.topology, path));

  for (std::int64_t i = 0; i < count.value_or(1); ++i) {
    SimulatedNode copy = node;
    if (count) copy.name = fmt::format("{}-{}", node.name, i);
    if (const std::string reason = CheckNodeName(copy.name); !reason.empty()) {
      return Bad(name_path, "\"{}\" is no node name: {}", copy.name, reason);
    }
    if (!names_.insert(copy.name).second) return Bad(name_path, "a node named {} exists already", copy.name);
    copy.boards = MakeBoards(copy.name, copy.topology, gpus);
    file.nodes.push_back(std::move(copy));
  }
  return {};
}

Result<std::vector<DemandWeight>> ClusterReader::ReadDemand(const Json& value, const std::string& path) const {
  if (!value.is_object()) {
    return Bad(path, "expected a map of profile to weight, such as {{1g.10gb: 4}}; found {}", JsonTypeName(value));
  }
  std::vector<DemandWeight> demand;
  for (const auto& [key, member] : value.get_object()) {
    const std::string profile(key);
    const std::string field = ChildPath(path, profile);
    std::vector<std::string> known;
    for (const gpu::Board& board : gpu::Boards()) {
      for (const gpu::Profile& row : board.profiles) known.push_back(row.name);
    }
    if (std::ranges::find(known, profile) == known.end()) {
      if (const auto near = Suggest(profile, known)) return Bad(field, "unknown profile; did you mean {}?", *near);
      return Bad(field, "unknown profile; write a MIG profile such as 1g.10gb");
    }
    KU_TRY(const std::int64_t weight, ReadNumber(member, field, 1, 1000000));
    demand.push_back({profile, weight});
  }
  return demand;
}

Result<ClusterFile> ClusterReader::Read() {
  static constexpr std::array<std::string_view, 4> kFields = {"apiVersion", "kind", "nodes", "demand"};
  const Json& root = document_.value;
  KU_TRY_OK(CheckMap(root, "", kFields));
  if (const Json* version = Find(root, "apiVersion")) {
    if (StringAt(root, {"apiVersion"}) != "kumiko.dev/v1alpha1" || !version->is_string()) {
      return Bad("apiVersion", "write kumiko.dev/v1alpha1, or leave it out");
    }
  }
  if (StringAt(root, {"kind"}) != "Cluster") {
    return Bad(Find(root, "kind") == nullptr ? "" : "kind", "a cluster file says kind: Cluster");
  }
  const Json* nodes = Find(root, "nodes");
  if (nodes == nullptr) return Bad("", "a cluster file needs a list of nodes");
  if (!nodes->is_array()) return Bad("nodes", "expected a list of nodes, found {}", JsonTypeName(*nodes));
  if (nodes->get_array().empty()) return Bad("nodes", "the list is empty; write at least one node");
  ClusterFile file;
  for (std::size_t i = 0; i < nodes->get_array().size(); ++i) {
    KU_TRY_OK(ReadNode(nodes->get_array()[i], ItemPath("nodes", i), file));
  }
  if (const Json* demand = Find(root, "demand")) {
    KU_TRY(file.demand, ReadDemand(*demand, "demand"));
  }
  return file;
}

}  // namespace

Result<ClusterFile> ParseClusterFile(const std::string& file_name, std::string_view text) {
  KU_TRY(const std::vector<Document> documents, ParseYamlDocuments(text, file_name));
  if (documents.size() != 1) {
    return Fail(Code::kInvalidArgument, "{}: a cluster file is one YAML document; this one has {}", file_name,
                documents.size());
  }
  return ParseClusterFile(documents.front());
}

Result<ClusterFile> ParseClusterFile(const Document& document) {
  return ClusterReader(document).Read();
}

Result<ClusterFile> ReadClusterFile(const std::string& path) {
  KU_TRY(const std::string text, ReadFile(path));
  return ParseClusterFile(path, text);
}

api::Node MakeNode(const SimulatedNode& node) {
  api::Node object;
  object.metadata.name = node.name;
  api::StringMap& labels = object.metadata.labels;
  labels = gpu::FeatureLabels(node.boards);
  labels["kubernetes.io/hostname"] = node.name;
  labels["kubernetes.io/os"] = "linux";
  labels["kubernetes.io/arch"] = "amd64";
  if (!node.topology.node_type.empty()) labels["node.kubernetes.io/instance-type"] = node.topology.node_type;
  if (!node.topology.rack.empty()) labels[kRackLabel] = node.topology.rack;
  if (!node.topology.block.empty()) labels[kBlockLabel] = node.topology.block;
  for (const auto& [key, value] : node.labels) labels[key] = value;
  object.spec.taints = node.taints;
  object.status.capacity = {{"cpu", Quantity::FromInt(node.cpus)},
                            {"memory", Quantity::FromBytesBinary(node.memory_bytes)},
                            {"pods", Quantity::FromInt(node.pods)}};
  object.status.allocatable = object.status.capacity;
  api::Condition& ready = object.status.conditions.emplace_back();
  ready.type = "Ready";
  ready.status = "True";
  ready.reason = "KubeletReady";
  ready.message = "simulated kubelet is ready";
  return object;
}

Result<std::vector<api::ResourceSlice>> MakeSlices(const SimulatedNode& node, const std::string& node_uid,
                                                   std::int64_t generation) {
  return gpu::BuildSlices({node.name, node_uid, generation}, node.boards);
}

}  // namespace kumiko::localcluster
