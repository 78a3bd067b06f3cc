// Board files: what they mean, and what is said of wrong ones.
#include "fakenvml/install/board_file.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "tests/fakenvml/driver.h"

namespace kumiko::fakenvml {
namespace {

using testing::HasSubstr;

std::string Refusal(std::string_view text) {
  const auto file = ReadBoardFile(text, "b.yaml", "");
  return file ? "nothing was refused" : file.error().message;
}

TEST(BoardFile, OfABoardWithUnknownNumbersIsRefusedByProfileAndField) {
  const std::string bare = R"(gpus:
- board: GH200-144GB
  productName: NVIDIA GH200 144G HBM3e
  architecture: Hopper
  computeCapability: "9.0"
  memoryMiB: 147456
)";
  EXPECT_THAT(Refusal(bare), HasSubstr("b.yaml:2:"));
  EXPECT_THAT(Refusal(bare), HasSubstr("nobody has published memoryMiB of profile 3g.72gb"));
  const std::string part = bare + "  profiles: {3g.72gb: {memoryMiB: 71040}}\n";
  EXPECT_THAT(Refusal(part), HasSubstr("memoryMiB of profile 4g.72gb"));

  const auto whole = ReadBoardFile(
      bare + "  profiles: {3g.72gb: {memoryMiB: 71040}, 4g.72gb: {memoryMiB: 71040}, 7g.144gb: {memoryMiB: 142336}}\n",
      "b.yaml", "");
  ASSERT_TRUE(whole) << whole.error().message;
  const Board& board = whole->boards.front().board;
  for (std::uint32_t row = 0; row < board.profile_count; ++row) {
    if (board.profiles[row].id == kThreeSlices) {
      EXPECT_EQ(board.profiles[row].memory_mib, 71040u);
    }
  }
  EXPECT_TRUE(ReadBoardFile(bare + "  mig: unsupported\n", "b.yaml", ""));
}

// The table has multiprocessors of the other form of this board.
TEST(BoardFile, OfAnH100PcieNeedsMultiprocessors) {
  EXPECT_THAT(Refusal("gpus: [{model: h100-pcie}]"), HasSubstr("multiprocessors of profile 1g.10gb"));
}

TEST(BoardFile, SaysWhereItIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"gpus: [{model: H1000}]", "b.yaml:1:9: gpus[0].model: no GPU model \"H1000\""},
      {"gpus: [{count: 2}]", "a GPU needs a model"},
      {"gpus: [{model: H100, count: 65}]", "gpus[0].count: 65 is out of range; write 1 to 64"},
      {"gpus: [{model: H100, mgi: off}]", "gpus[0].mgi: unknown field; did you mean mig?"},
      {"gpus: [{model: T4, mig: dynamic}]", "Tesla T4 has no MIG"},
      {"gpus: [{model: H100, mig: [5g.10gb]}]", "has no profile 5g.10gb"},
      {"gpus: [{model: H100, mig: [4g.40gb, 4g.40gb]}]", "4g.40gb does not fit beside the others"},
      {"gpus: [{model: H100, uuids: [GPU-1]}]", "is no UUID of a GPU"},
      {"gpus: [{model: H100, count: 2, pciBusIds: [\"0000:1a:00.0\"]}]", "1 entries for 2 GPUs"},
      {"gpus: [{model: H100, pciBusIds: [\"1a.0\"]}]", "is no PCI address"},
      {"gpus: [{model: H100}, {model: H100, firstMinor: 0}]", "two GPUs have minor number 0"},
      {"gpus: [{model: H100, profiles: {9g: {memoryMiB: 1}}}]", "has no such profile"},
      {"gpus: [{model: H100, profiles: {1g.10gb: {memory: 1}}}]", "profiles[1g.10gb].memory: unknown field"},
      {"gpus: [{model: H100, virtualization: some}]", "write one of none, passthrough, guest, host, vsga"},
      {"cudaVersion: 13.0", "cudaVersion: expected a string, found integer; put the value in quotes"},
      {"cudaVersion: \"13\"", "is no CUDA version"},
      {"driverVersion: new", "is no driver version"},
      {"delaysMs: {nvmlNothing: 1}", "this library has no such function"},
      {"delaysMs: {nvmlGpuInstanceDestroy: -1}", "is out of range"},
      {"fabric: {cliqueId: 1}", "a fabric needs a clusterUuid"},
      {"fabric: {clusterUuid: 7b968a6d}", "is no UUID"},
      {"topology: {nvlink: 3}", "write true or false"},
      {"topology: p5.48", "topology"},
      {"boards: []", "boards: unknown field"},
      {"[]", "expected a map, found list"},
      {"gpus: [", "b.yaml:"},
      {"kind: Cluster\nnodes: [{name: a}, {name: b}]", "no node \"\"; give --node one of a, b"}};
  for (const auto& [text, expected] : cases) EXPECT_THAT(Refusal(text), HasSubstr(expected)) << text;
}

TEST(BoardFile, MayBeANodeOfAClusterFile) {
  constexpr std::string_view kCluster = R"(
kind: Cluster
nodes:
- name: small
  gpus: [{model: T4, sharing: 4}]
- name: large
  topology: p5.48xlarge
  gpus: [{model: H100, count: 8, mig: dynamic}]
)";
  const auto file = ReadBoardFile(kCluster, "c.yaml", "large");
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->boards.size(), 8u);
  EXPECT_EQ(file->boards[0].board.numa_node, 0);
  EXPECT_EQ(file->boards[7].board.numa_node, 1);
}

TEST(BoardFile, OfTheTreeAreWhole) {
  for (const char* name : {"hgx-h100", "mixed", "plain-h100"}) {
    std::ifstream file(std::string(KUMIKO_SOURCE_DIR "/fakenvml/boards/") + name + ".yaml");
    std::stringstream text;
    text << file.rdbuf();
    const auto boards = ReadBoardFile(text.str(), name, "");
    EXPECT_TRUE(boards) << boards.error().message;
  }
}

TEST(Installation, CutsStaticInstances) {
  const Driver driver("gpus: [{model: H100, mig: [1g.10gb, 3g.40gb, 2g.20gb]}]");
  const auto state = driver.Map()->gpu(0).state.Copy();
  EXPECT_EQ(state.mig_mode, NVML_DEVICE_MIG_ENABLE);
  EXPECT_EQ(state.instances[2].size, 4u);  // 3g at 4: a 4g would still fit at 0
  std::array<char, 96> name{};
  nvmlDevice_t mig = nullptr;
  ASSERT_EQ(driver.Call("nvmlDeviceGetMigDeviceHandleByIndex", driver.Gpu(0), 0u, &mig), NVML_SUCCESS);
  EXPECT_EQ(driver.Call("nvmlDeviceGetName", mig, name.data(), 96u), NVML_SUCCESS);
  EXPECT_STREQ(name.data(), "NVIDIA H100 80GB HBM3 MIG 3g.40gb");
}

std::string Text(const std::string& path) {
  const auto text = ReadFile(path);
  return text ? *text : text.error().message;
}

TEST(Installation, LaysOutProcAndSys) {
  const Driver driver("topology: {numa: 2, pcieRoots: 2}\ngpus: [{model: H100, count: 2}]");
  const std::string proc = driver.root() + "/proc/driver/";
  EXPECT_THAT(Text(proc + "nvidia/capabilities/gpu1/mig/gi0/access"), HasSubstr("DeviceFileMinor: 138\n"));
  EXPECT_THAT(Text(proc + "nvidia/capabilities/gpu1/mig/gi0/ci0/access"), HasSubstr("DeviceFileMinor: 139\n"));
  EXPECT_THAT(Text(proc + "nvidia-caps/mig-minors"), HasSubstr("gpu1/gi0/ci0/access 139\n"));
  EXPECT_THAT(Text(driver.root() + "/proc/devices"), HasSubstr("195 nvidia\n"));
  EXPECT_EQ(Text(driver.root() + "/sys/bus/pci/devices/0000:1b:00.0/numa_node"), "1\n");
}

}  // namespace
}  // namespace kumiko::fakenvml
