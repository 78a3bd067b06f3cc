#include "gpu/layout.h"

#include <gtest/gtest.h>

#include "gpu/device_classes.h"
#include "gpu/geometry.h"
#include "gpu/labels.h"
#include "gpu/slices.h"

namespace kumiko::gpu {
namespace {

BoardInstance MakeBoard(const char* model, MigMode mig, const std::vector<std::string>& cut = {}) {
  BoardInstance board;
  board.uuid = "GPU-0";
  board.model = **FindModel(model);
  board.mig = mig;
  if (mig == MigMode::kStatic) {
    const auto placed = PlaceStatic(board.model, cut);
    for (const PlacedProfile& each : *placed) board.instances.push_back({each.profile, each.placement, "MIG-0"});
  }
  return board;
}

const api::Device* FindDevice(const std::vector<api::ResourceSlice>& slices, const std::string& name) {
  for (const api::ResourceSlice& slice : slices) {
    for (const api::Device& device : slice.spec.devices) {
      if (device.name == name) return &device;
    }
  }
  return nullptr;
}

DeviceShape Shape(const BoardInstance& board, const std::string& name) {
  const auto slices = BuildSlices({.node_name = "n", .node_uid = "u"}, {board});
  const api::Device* device = FindDevice(*slices, name);
  EXPECT_NE(device, nullptr) << name;
  return device == nullptr ? DeviceShape{} : ShapeOf(*device, *slices);
}

TEST(Layout, SlotsOfADynamicPartComeFromItsCounters) {
  const DeviceShape shape = Shape(MakeBoard("H100", MigMode::kDynamic), "gpu-0-mig-3g40gb-9-4");
  EXPECT_EQ(shape.slots, (SlotRange{4, 4, 8}));
  EXPECT_EQ(shape.board, "gpu-0");
  EXPECT_EQ(shape.profile, "3g.40gb");
  EXPECT_EQ(shape.memory_bytes, std::int64_t{40448} << 20);
  EXPECT_EQ(shape.multiprocessors, 60);
}

TEST(Layout, WholeDynamicGpuFillsItsBoard) {
  EXPECT_EQ(Shape(MakeBoard("H100", MigMode::kDynamic), "gpu-0").slots, (SlotRange{0, 8, 8}));
}

TEST(Layout, SlotsOfAStaticPartComeFromItsCapacities) {
  const BoardInstance board = MakeBoard("A100-80", MigMode::kStatic, {"1g.10gb", "2g.20gb"});
  EXPECT_EQ(Shape(board, "gpu-0-mig-2g20gb-14-4").slots, (SlotRange{4, 2, 8}));
  EXPECT_EQ(Shape(MakeBoard("A30", MigMode::kStatic, {"2g.12gb"}), "gpu-0-mig-2g12gb-5-0").slots->total, 4);
}

TEST(Layout, PlainGpuHasNoSlots) {
  const DeviceShape shape = Shape(MakeBoard("T4", MigMode::kOff), "gpu-0");
  EXPECT_FALSE(shape.slots.has_value());
  EXPECT_EQ(shape.memory_bytes, std::int64_t{16} << 30);
}

TEST(Labels, WholeBoards) {
  const api::StringMap labels = FeatureLabels({MakeBoard("H100", MigMode::kDynamic)});
  EXPECT_EQ(labels.at("nvidia.com/gpu.count"), "1");
  EXPECT_EQ(labels.at("nvidia.com/gpu.product"), "NVIDIA-H100-80GB-HBM3");
  EXPECT_EQ(labels.at("nvidia.com/gpu.memory"), "81559");
  EXPECT_EQ(labels.at("nvidia.com/gpu.family"), "hopper");
  EXPECT_EQ(labels.at("nvidia.com/mig.capable"), "true");
  EXPECT_EQ(labels.at("nvidia.com/mig.strategy"), "none");
  EXPECT_TRUE(FeatureLabels({}).empty());
  EXPECT_EQ(FeatureLabels({MakeBoard("T4", MigMode::kOff)}).at("nvidia.com/mig.capable"), "false");
}

TEST(Labels, OneProfileEverywhereIsStrategySingle) {
  const BoardInstance board = MakeBoard("A100-80", MigMode::kStatic, std::vector<std::string>(7, "1g.10gb"));
  const api::StringMap labels = FeatureLabels({board, board});
  EXPECT_EQ(labels.at("nvidia.com/mig.strategy"), "single");
  EXPECT_EQ(labels.at("nvidia.com/gpu.count"), "14");
  EXPECT_EQ(labels.at("nvidia.com/gpu.product"), "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb");
  const BoardInstance other = MakeBoard("A100-80", MigMode::kStatic, {"3g.40gb"});
  EXPECT_EQ(FeatureLabels({board, other}).at("nvidia.com/mig.strategy"), "mixed");
}

TEST(DeviceClasses, AreThePeersAndOurs) {
  std::vector<std::string> names;
  for (const api::DeviceClass& each : DeviceClasses()) {
    names.push_back(each.metadata.name);
    ASSERT_EQ(each.spec.selectors.size(), 1u);
    EXPECT_EQ(each.spec.extended_resource_name.has_value(), each.metadata.name == kGpuClass);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"gpu.nvidia.com", "mig.nvidia.com", "vfio.gpu.nvidia.com",
                                             "compute-domain-daemon.nvidia.com",
                                             "compute-domain-default-channel.nvidia.com", "gpu-or-part.kumiko.dev"}));
}

}  // namespace
}  // namespace kumiko::gpu
