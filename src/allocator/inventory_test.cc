#include "allocator/inventory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/testing/builders.h"

namespace kumiko::allocator {
namespace {

using testing::DeviceBuilder;
using ::testing::ElementsAre;
using testing::kDriver;
using testing::SliceBuilder;

TEST(Inventory, NodesWithEqualDevicesShareALayoutAndShapes) {
  Inventory inventory;
  for (const char* node : {"n1", "n2"}) {
    for (const auto& slice : testing::MakeBoards(node)) inventory.UpsertSlice(slice);
  }
  const auto& a = inventory.ViewOf("n1");
  const auto& b = inventory.ViewOf("n2");
  EXPECT_EQ(a.layout, b.layout);
  EXPECT_NE(a.slices, b.slices);
  EXPECT_EQ(a.slices[0]->shape, b.slices[0]->shape);
  EXPECT_EQ(inventory.IdOf(b, 0).pool, "n2");
}

TEST(Inventory, EqualAttributesHaveEqualNumbers) {
  Inventory inventory;
  inventory.UpsertSlice(SliceBuilder("s", "n1")
                            .Add(DeviceBuilder("a").Int("index", 1).String("kind", "x"))
                            .Add(DeviceBuilder("b").Int("index", 1).String("kind", "y"))
                            .Add(DeviceBuilder("c").String("index", "1").String("kind", "x"))
                            .Build());
  const auto& view = inventory.ViewOf("n1");
  const auto index = *inventory.attributes().FindName(kDriver, "index");
  const auto kind = *inventory.attributes().FindName(kDriver, "kind");
  EXPECT_EQ(view.Device(0).Attribute(index), view.Device(1).Attribute(index));
  EXPECT_NE(view.Device(0).Attribute(index), view.Device(2).Attribute(index)) << "an integer is no string";
  EXPECT_EQ(view.Device(0).Attribute(kind), view.Device(2).Attribute(kind));
  EXPECT_EQ(inventory.attributes().FindName(kDriver, "absent"), std::nullopt);
}

TEST(Inventory, AnythingButValuesMakesAnotherShape) {
  const auto shape = [](Inventory& inventory, const api::Device& device) {
    inventory.UpsertSlice(SliceBuilder("s", "n1").Add(device).Build());
    return inventory.ViewOf("n1").slices[0]->shape;
  };
  Inventory inventory;
  const auto first = shape(inventory, DeviceBuilder("a").Int("i", 1).Capacity("memory", "1Gi"));
  EXPECT_EQ(shape(inventory, DeviceBuilder("a").Int("i", 2).Capacity("memory", "1Gi")), first);
  EXPECT_NE(shape(inventory, DeviceBuilder("b").Int("i", 2).Capacity("memory", "1Gi")), first);
  EXPECT_NE(shape(inventory, DeviceBuilder("a").Int("j", 2).Capacity("memory", "1Gi")), first);
  EXPECT_NE(shape(inventory, DeviceBuilder("a").Int("i", 1).Capacity("memory", "1073741824")), first)
      << "results print it as written";
  EXPECT_NE(shape(inventory, DeviceBuilder("a").Int("i", 1).Capacity("memory", "1Gi").Shareable()), first);
  EXPECT_NE(shape(inventory, DeviceBuilder("a").Int("i", 1).Capacity("memory", "1Gi").Taint("t", "NoSchedule")), first);
}

TEST(Inventory, AnUpdateDropsOnlyTheViewsItTouches) {
  Inventory inventory;
  inventory.UpsertSlice(testing::MakeGpus("n1", 2));
  inventory.UpsertSlice(testing::MakeGpus("n2", 2));
  const auto serial = inventory.ViewOf("n1").serial;
  const auto other = inventory.ViewOf("n2").serial;
  const auto changes = inventory.changes();
  inventory.UpsertSlice(testing::MakeGpus("n2", 3));
  EXPECT_EQ(inventory.ViewOf("n1").serial, serial);
  EXPECT_NE(inventory.ViewOf("n2").serial, other);
  const auto dropped = inventory.DroppedSince(changes);
  ASSERT_TRUE(dropped.has_value());
  EXPECT_THAT(std::vector(dropped->begin(), dropped->end()), ElementsAre(inventory.NodeIndexOf("n2")));

  inventory.UpsertSlice(SliceBuilder("net", "").Pool("net", 1, 1).AllNodes().Add(DeviceBuilder("nic")).Build());
  EXPECT_EQ(inventory.DroppedSince(changes), std::nullopt) << "a pool of all nodes touches every view";
  EXPECT_EQ(inventory.ViewOf("n1").pools.size(), 2);
}

TEST(Inventory, AnAttributeWithoutValueFailsEveryExpression) {
  Inventory inventory;
  api::Device device = DeviceBuilder("a");
  device.attributes["odd"];
  inventory.UpsertSlice(SliceBuilder("s", "n1").Add(device).Build());
  const auto verdict = inventory.Evaluate(*inventory.Compile("true"), inventory.ViewOf("n1").Device(0));
  EXPECT_EQ(verdict.kind, Verdict::Kind::kError);
  EXPECT_EQ(verdict.error, "attribute odd: unsupported attribute value");
}

TEST(Inventory, FeaturesDecideWhichSlicesCount) {
  auto features = DefaultFeatures(kNewestRelease);
  features.partitionable_devices = false;
  Inventory inventory(features);
  for (const auto& slice : testing::MakeBoards("n1")) inventory.UpsertSlice(slice);
  const auto& layout = *inventory.ViewOf("n1").layout;
  EXPECT_FALSE(layout.devices.empty());
  EXPECT_TRUE(layout.counters.empty());
}

}  // namespace
}  // namespace kumiko::allocator
