#include "gpu/nvml/board_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "api/codec.h"
#include "base/json.h"
#include "tests/node/node.h"

namespace kumiko::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

gpu::FoundBoards Read(const fakenvml::Driver& driver) {
  const auto nvml = gpu::Nvml::Open(driver.folder() + "/libnvidia-ml.so.1");
  EXPECT_TRUE(nvml.has_value()) << nvml.error().message;
  auto found = gpu::ReadBoards(**nvml, driver.root());
  EXPECT_TRUE(found.has_value()) << found.error().message;
  return *std::move(found);
}

std::string TextOf(const api::Device& device, const std::string& attribute) {
  const auto found = device.attributes.find(attribute);
  if (found == device.attributes.end()) return "none";
  return found->second.version_value ? *found->second.version_value : found->second.string_value.value_or("none");
}

// The recording is of the peer on boards of this memory and CUDA version, without sysfs; its devices are unordered.
TEST(BoardReader, PlainLayoutEqualsThePeersRecording) {
  const auto boards = ReadFile(KUMIKO_SOURCE_DIR "/fakenvml/boards/plain-h100.yaml");
  ASSERT_TRUE(boards.has_value());
  const fakenvml::Driver driver(*boards);
  const gpu::FoundBoards found = Read(driver);
  EXPECT_THAT(found.left_out, IsEmpty());
  auto slices = gpu::BuildSlices({.node_name = "node-0", .node_uid = "uid"}, found.boards);
  ASSERT_TRUE(slices.has_value());
  const auto text = ReadFile(KUMIKO_SOURCE_DIR "/tests/data/reference-slices/upstream-plain-h100x8.json");
  ASSERT_TRUE(text.has_value()) << text.error().message;
  const auto recording = ParseJson(*text);
  ASSERT_TRUE(recording.has_value());
  ASSERT_EQ(recording->as_array().size(), slices->size());
  auto reference = api::Decode<api::ResourceSlice>(recording->as_array()[0]);
  ASSERT_TRUE(reference.has_value());
  std::ranges::sort(reference->spec.devices, {}, &api::Device::name);
  const auto devices = [](const api::ResourceSlice& slice) {
    api::ResourceSlice only;
    only.spec.devices = slice.spec.devices;
    return WriteJsonPretty(api::Encode(only));
  };
  EXPECT_EQ(devices(slices->front()), devices(*reference));
}

TEST(BoardReader, AttributesAreThoseOfNvmlAndSysfs) {
  const fakenvml::Driver driver(R"(
driverVersion: 580.95.05
cudaVersion: "13.0"
topology: {numa: 2, pcieRoots: 2}
gpus:
- {model: H100, addressingMode: hmm}
- {model: T4}
)");
  const gpu::FoundBoards found = Read(driver);
  const auto slices = gpu::BuildSlices({.node_name = "n", .node_uid = "u"}, found.boards);
  ASSERT_TRUE(slices.has_value());
  ASSERT_EQ(slices->front().spec.devices.size(), 2u);
  const api::Device& h100 = slices->front().spec.devices[0];
  EXPECT_EQ(h100.name, "gpu-0");
  EXPECT_EQ(TextOf(h100, "type"), "gpu");
  EXPECT_EQ(TextOf(h100, "productName"), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(TextOf(h100, "brand"), "Nvidia");
  EXPECT_EQ(TextOf(h100, "architecture"), "Hopper");
  EXPECT_EQ(TextOf(h100, "cudaComputeCapability"), "9.0.0");
  EXPECT_EQ(TextOf(h100, "driverVersion"), "580.95.5");
  EXPECT_EQ(TextOf(h100, "cudaDriverVersion"), "13.0.0");
  EXPECT_EQ(TextOf(h100, "addressingMode"), "HMM");
  EXPECT_EQ(TextOf(h100, "uuid"), driver.Uuid(driver.Gpu(0)));
  EXPECT_THAT(TextOf(h100, "resource.kubernetes.io/pcieRoot"), HasSubstr("pci"));
  EXPECT_TRUE(h100.attributes.contains("resource.kubernetes.io/numaNode"));
  const api::Device& t4 = slices->front().spec.devices[1];
  EXPECT_EQ(TextOf(t4, "architecture"), "Turing");
  EXPECT_EQ(TextOf(t4, "addressingMode"), "none") << "left out where there is none to tell";
}

TEST(BoardReader, LostGpuIsLeftOutAndItsNeighboursAreNot) {
  const Node node;
  node.driver().Control("gpu 0 lost\n");
  const gpu::FoundBoards found = Read(node.driver());
  ASSERT_EQ(found.boards.size(), 1u);
  EXPECT_EQ(found.boards[0].minor, 1);
  EXPECT_THAT(found.left_out, ElementsAre(HasSubstr("GPU is lost (15)")));
}

TEST(BoardReader, GpuInMigModeIsLeftOutWithTheWayOut) {
  const fakenvml::Driver driver(R"(
driverVersion: 580.95.05
cudaVersion: "13.0"
gpus:
- {model: H100, mig: [3g.40gb]}
- {model: H100}
)");
  const gpu::FoundBoards found = Read(driver);
  ASSERT_EQ(found.boards.size(), 1u);
  EXPECT_EQ(found.boards[0].minor, 1);
  EXPECT_THAT(found.left_out, ElementsAre(HasSubstr("nvidia-smi -i 0 -mig 0")));
}

}  // namespace
}  // namespace kumiko::node
