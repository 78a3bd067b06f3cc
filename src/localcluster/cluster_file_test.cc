#include "localcluster/cluster_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/files.h"
#include "gpu/labels.h"

namespace kumiko::localcluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ErrorOf(std::string_view text) {
  const auto file = ParseClusterFile("c.yaml", text);
  return file ? "no error" : file.error().message;
}

TEST(ClusterFile, ReadsEveryField) {
  const auto file = ParseClusterFile("c.yaml", R"(apiVersion: kumiko.dev/v1alpha1
kind: Cluster
nodes:
- name: big
  count: 2
  pods: 300
  labels: {team: vision}
  taints:
  - {key: gpu, value: "yes", effect: NoSchedule}
  topology: {numa: 2, pcieRoots: 4, nvlink: true, rack: r1, block: b1}
  gpus:
  - {model: H100, count: 7, mig: dynamic}
  - {model: A100-80, mig: [3g.40gb, 1g.10gb], sharing: 2}
- name: small
  gpus:
  - {model: T4, mig: off, sharing: memory}
- name: cpu
demand: {1g.10gb: 4, 3g.40gb: 1}
)");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  ASSERT_EQ(file->nodes.size(), 4u);
  const SimulatedNode& big = file->nodes[0];
  EXPECT_EQ(big.name, "big-0");
  EXPECT_EQ(file->nodes[1].name, "big-1");
  EXPECT_EQ(file->nodes[2].name, "small");
  EXPECT_EQ(big.pods, 300);
  ASSERT_EQ(big.boards.size(), 8u);
  EXPECT_EQ(big.boards[6].mig, gpu::MigMode::kDynamic);
  EXPECT_EQ(big.boards[7].mig, gpu::MigMode::kStatic);
  EXPECT_EQ(big.boards[7].instances.size(), 2u);
  EXPECT_EQ(big.boards[7].sharing.shares, 2);
  EXPECT_EQ(file->nodes[2].boards[0].sharing.kind, gpu::Sharing::Kind::kMemory);
  EXPECT_TRUE(file->nodes[3].boards.empty());
  ASSERT_EQ(file->demand.size(), 2u);
  EXPECT_EQ(file->demand[0].profile, "1g.10gb");
  EXPECT_EQ(file->demand[0].weight, 4);

  const api::Node node = MakeNode(big);
  EXPECT_EQ(node.metadata.labels.at("team"), "vision");
  EXPECT_EQ(node.metadata.labels.at("kubernetes.io/hostname"), "big-0");
  EXPECT_EQ(node.metadata.labels.at("nvidia.com/mig.capable"), "true");
  EXPECT_EQ(node.metadata.labels.at(kRackLabel), "r1");
  EXPECT_EQ(node.status.allocatable.at("pods").Value(), 300);
  ASSERT_EQ(node.spec.taints.size(), 1u);
  EXPECT_EQ(node.spec.taints[0].effect, "NoSchedule");
}

TEST(ClusterFile, GpusAreSpreadOverRootsAndNumaNodesInOrder) {
  const auto file = ParseClusterFile("c.yaml", R"(kind: Cluster
nodes:
- name: box
  topology: {numa: 2, pcieRoots: 4}
  gpus: [{model: H100, count: 8}]
)");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  std::vector<int> numa;
  std::vector<std::string> roots;
  std::set<std::string> buses;
  std::set<std::string> uuids;
  for (const gpu::BoardInstance& board : file->nodes[0].boards) {
    numa.push_back(*board.numa_node);
    if (roots.empty() || roots.back() != *board.pcie_root) roots.push_back(*board.pcie_root);
    buses.insert(board.pci_bus_id);
    uuids.insert(board.uuid);
  }
  EXPECT_THAT(numa, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(roots, ElementsAre("pci0000:10", "pci0000:20", "pci0000:30", "pci0000:40"));
  EXPECT_EQ(buses.size(), 8u);
  EXPECT_EQ(uuids.size(), 8u);
}

TEST(ClusterFile, NodeTypeBringsItsShape) {
  const auto file = ParseClusterFile("c.yaml", "kind: Cluster\nnodes:\n- {name: box, topology: p5.48xlarge}\n");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  const SimulatedNode& node = file->nodes[0];
  ASSERT_EQ(node.boards.size(), 8u);
  EXPECT_EQ(node.boards[0].model.id, "h100-sxm5");
  EXPECT_EQ(node.boards[7].numa_node, 1);
  EXPECT_EQ(node.boards[0].pcie_root, node.boards[1].pcie_root);
  EXPECT_NE(node.boards[1].pcie_root, node.boards[2].pcie_root);
  EXPECT_EQ(node.cpus, 192);
  EXPECT_EQ(MakeNode(node).metadata.labels.at("node.kubernetes.io/instance-type"), "p5.48xlarge");
}

TEST(ClusterFile, ErrorsNameLineFieldAndWhatToWrite) {
  struct Case {
    const char* text;
    const char* start;
    const char* advice;
  };
  const Case cases[] = {
      {"kind: Clutser\nnodes: []\n", "c.yaml:1:", "kind: Cluster"},
      {"nodes: []\n", "c.yaml:", "kind: Cluster"},
      {"kind: Cluster\n", "c.yaml:", "needs a list of nodes"},
      {"kind: Cluster\nnodes: []\n", "c.yaml:2:", "at least one node"},
      {"kind: Cluster\napiVersion: v1\nnodes: [{name: a}]\n", "c.yaml:2:", "kumiko.dev/v1alpha1"},
      {"kind: Cluster\nnodes: [{name: a}]\nnoodles: 1\n", "c.yaml:3:", "did you mean nodes?"},
      {"kind: Cluster\nnodes:\n- name: a\n  gpu: []\n", "c.yaml:4:", "nodes[0].gpu: unknown field; did you mean gpus?"},
      {"kind: Cluster\nnodes:\n- count: 2\n", "c.yaml:3:", "nodes[0]: a node needs a name"},
      {"kind: Cluster\nnodes:\n- name: Node_1\n", "c.yaml:3:", "lower case"},
      {"kind: Cluster\nnodes:\n- name: 7\n", "c.yaml:3:", "put the value in quotes"},
      {"kind: Cluster\nnodes:\n- name: a\n- name: a\n", "c.yaml:4:", "exists already"},
      {"kind: Cluster\nnodes:\n- name: a\n  count: 0\n", "c.yaml:4:", "1 to 10000"},
      {"kind: Cluster\nnodes:\n- {name: a, count: 10000}\n- name: b\n", "c.yaml:4:", "at most 10000 nodes"},
      {"kind: Cluster\nnodes:\n- name: a\n  count: many\n", "c.yaml:4:", "expected an integer"},
      {"kind: Cluster\nnodes:\n- name: a\n  labels: {on-prem: true}\n", "c.yaml:4:", "put the value in quotes"},
      {"kind: Cluster\nnodes:\n- name: a\n  taints: [{key: k, effect: Never}]\n", "c.yaml:4:", "NoSchedule"},
      {"kind: Cluster\nnodes:\n- name: a\n  topology: p5.48xlrge\n", "c.yaml:4:", "did you mean p5.48xlarge?"},
      {"kind: Cluster\nnodes:\n- name: a\n  topology: {numa: 2, pcieRoots: 1}\n", "c.yaml:4:", "at least 2"},
      {"kind: Cluster\nnodes:\n- name: a\n  topology: p5.4xlarge\n  gpus: [{model: H100, count: 2}]\n",
       "c.yaml:5:", "at most 1"},
      {"kind: Cluster\nnodes:\n- name: a\n  gpus: [{count: 2}]\n", "c.yaml:4:", "needs a model"},
      {"kind: Cluster\nnodes:\n- name: a\n  gpus:\n  - model: h10\n", "c.yaml:5:", "h100-sxm5"},
      {"kind: Cluster\nnodes:\n- name: a\n  gpus:\n  - model: T4\n    mig: dynamic\n", "c.yaml:6:", "has no MIG"},
      {"kind: Cluster\nnodes:\n- name: a\n  gpus:\n  - model: B200\n    mig: dynamic\n",
       "c.yaml:6:", "profile 3g.90gb has no known memoryMiB"},
      {"kind: Cluster\nnodes:\n- name: a\n  gpus:\n  - model: H100\n    mig: on\n",
       "c.yaml:6:", "off, dynamic, or a list"},
      {"kind: Cluster\nnodes:\n- name: a\n  gpus:\n  - model: H100\n    mig: [1g.10gb, 1g.5gb]\n",
       "c.yaml:6:", "nodes[0].gpus[0].mig[1]"},
      {"kind: Cluster\nnodes:\n- name: a\n  gpus:\n  - model: H100\n    mig: [7g.80gb, 1g.10gb]\n",
       "c.yaml:6:", "do not fit"},
      {"kind: Cluster\nnodes:\n- name: a\n  gpus:\n  - model: T4\n    sharing: 0\n", "c.yaml:6:", "1 to 1000"},
      {"kind: Cluster\nnodes:\n- name: a\n  gpus:\n  - model: T4\n    sharing: mps\n", "c.yaml:6:", "number of shares"},
      {"kind: Cluster\nnodes: [{name: a}]\ndemand: {1g.10g: 1}\n", "c.yaml:3:", "did you mean 1g.10gb?"},
      {"kind: Cluster\nnodes: [{name: a}]\ndemand: {1g.10gb: 0}\n", "c.yaml:3:", "1 to 1000000"},
      {"kind: Cluster\nnodes: [{name: a}]\n---\nkind: Cluster\nnodes: [{name: b}]\n", "c.yaml", "one YAML document"},
      {"", "c.yaml", "one YAML document"},
      {"- a\n", "c.yaml:", "expected a map"},
      {"kind: [\n", "c.yaml:", ""},
  };
  for (const Case& each : cases) {
    const std::string error = ErrorOf(each.text);
    EXPECT_THAT(error, StartsWith(each.start)) << each.text;
    EXPECT_THAT(error, HasSubstr(each.advice)) << each.text;
  }
}

TEST(ClusterFile, MissingFileIsNotFound) {
  EXPECT_EQ(ReadClusterFile("/nonexistent/cluster.yaml").error().code, Code::kNotFound);
}

TEST(ClusterFile, ExamplesReadAndBuildSlices) {
  const auto files = ListFiles(std::string(KUMIKO_SOURCE_DIR) + "/examples/clusters", ".yaml");
  ASSERT_TRUE(files.has_value());
  EXPECT_GE(files->size(), 10u);
  for (const std::string& path : *files) {
    const auto file = ReadClusterFile(path);
    ASSERT_TRUE(file.has_value()) << file.error().message;
    for (const SimulatedNode& node : file->nodes) {
      const auto slices = MakeSlices(node, "uid", 1);
      EXPECT_TRUE(slices.has_value()) << slices.error().message;
    }
  }
}

TEST(ClusterFile, StaticExampleOffersFiftySixParts) {
  const auto file =
      ReadClusterFile(std::string(KUMIKO_SOURCE_DIR) + "/examples/clusters/one-node-8-a100-80-static.yaml");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  const auto slices = MakeSlices(file->nodes[0], "uid", 1);
  std::size_t devices = 0;
  for (const api::ResourceSlice& slice : *slices) devices += slice.spec.devices.size();
  EXPECT_EQ(devices, 56u);
  EXPECT_EQ(MakeNode(file->nodes[0]).metadata.labels.at("nvidia.com/mig.strategy"), "single");
}

TEST(ClusterFile, SameFileGivesTheSameClusterAgain) {
  const std::string text = "kind: Cluster\nnodes:\n- {name: box, count: 2, gpus: [{model: H100, mig: [1g.10gb]}]}\n";
  const auto a = ParseClusterFile("c.yaml", text);
  const auto b = ParseClusterFile("c.yaml", text);
  EXPECT_EQ(a->nodes[1].boards[0].uuid, b->nodes[1].boards[0].uuid);
  EXPECT_NE(a->nodes[0].boards[0].uuid, a->nodes[1].boards[0].uuid);
  EXPECT_EQ(MakeSlices(a->nodes[0], "u", 1)->front().metadata.name,
            MakeSlices(b->nodes[0], "u", 1)->front().metadata.name);
}

TEST(ClusterFile, NamesAndLabelsHaveTheFormatsOfKubernetesAndErrorsTheirPlace) {
  const auto error_of = [](const std::string& node) {
    const auto file = ParseClusterFile("c.yaml", "kind: Cluster\nnodes:\n- " + node + "\n");
    return file ? "" : file.error().message;
  };
  EXPECT_THAT(error_of("name: a..b"),
              StartsWith("c.yaml:3:3: nodes[0].name: \"a..b\" is no node name: a lowercase RFC 1123 subdomain must"));
  EXPECT_THAT(error_of("name: " + std::string(64, 'a')), HasSubstr("no more than 63"));
  EXPECT_EQ(error_of("name: a.b"), "");
  EXPECT_THAT(error_of("{name: box, labels: {a b: c}}"), StartsWith("c.yaml:3:"));
  EXPECT_THAT(error_of("{name: box, labels: {a b: c}}"), HasSubstr("\"a b\" is no label key: name part must"));
  EXPECT_THAT(error_of("{name: box, labels: {a: b c}}"), HasSubstr("\"b c\" is no label value: a valid label must"));
  EXPECT_THAT(error_of("{name: box, topology: {rack: b c}}"), HasSubstr("topology.rack: \"b c\" is no label value"));
  EXPECT_THAT(error_of("{name: box, taints: [{key: a b, effect: NoSchedule}]}"), HasSubstr("taints[0].key"));
}

TEST(ClusterFile, AModelWithoutMigIsToldOnceToTurnItOff) {
  const auto file =
      ParseClusterFile("c.yaml", "kind: Cluster\nnodes: [{name: box, gpus: [{model: T4, mig: dynamic}]}]\n");
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, testing::EndsWith("has no MIG; write mig: off"));
}

}  // namespace
}  // namespace kumiko::localcluster
