#include "node/slice_publisher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/node/node.h"

namespace kumiko::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SlicePublisherTest : public ::testing::Test {
 protected:
  std::vector<api::ResourceSlice> Slices() { return *kube::List<api::ResourceSlice>(node_.api()); }

  Node node_;
  std::vector<gpu::BoardInstance> boards_ = node_.GetInventory()->boards;
  SlicePublisher publisher_{node_.api(), "node-0"};
};

TEST_F(SlicePublisherTest, PoolBelongsToTheNode) {
  ASSERT_EQ(publisher_.Publish(boards_), 1u);
  const auto slices = Slices();
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_THAT(slices[0].metadata.name, ::testing::StartsWith("00000-gpu.nvidia.com-node-0-"));
  ASSERT_EQ(slices[0].metadata.owner_references.size(), 1u);
  const auto node = kube::Get<api::Node>(node_.api(), "", "node-0");
  EXPECT_EQ(slices[0].metadata.owner_references[0].uid, node->metadata.uid);
  EXPECT_TRUE(slices[0].metadata.owner_references[0].controller);
  EXPECT_EQ(slices[0].spec.pool.name, "node-0");
  EXPECT_EQ(slices[0].spec.pool.generation, 1);
  EXPECT_EQ(slices[0].spec.pool.resource_slice_count, 1);
  std::vector<std::string> names;
  for (const api::Device& device : slices[0].spec.devices) names.push_back(device.name);
  EXPECT_THAT(names, ElementsAre("gpu-0", "gpu-1"));
}

TEST_F(SlicePublisherTest, UnchangedPoolIsNotWrittenByThisOrALaterProcess) {
  ASSERT_EQ(publisher_.Publish(boards_), 1u);
  const std::uint64_t revision = node_.api().Revision();
  EXPECT_EQ(publisher_.Publish(boards_), 0u);
  SlicePublisher later(node_.api(), "node-0");
  EXPECT_EQ(later.Publish(boards_), 0u);
  EXPECT_EQ(node_.api().Revision(), revision);
}

TEST_F(SlicePublisherTest, DeletedSlicesAreNoticedAndMadeAnewInTheNextGeneration) {
  ASSERT_EQ(publisher_.Publish(boards_), 1u);
  EXPECT_TRUE(publisher_.ForeignChange()) << "our own write is one, and then there is nothing to do";
  EXPECT_EQ(publisher_.Publish(boards_), 0u);
  EXPECT_FALSE(publisher_.ForeignChange());
  ASSERT_TRUE(node_.api().Delete({"ResourceSlice", "", Slices()[0].metadata.name}, {}).has_value());
  EXPECT_TRUE(publisher_.ForeignChange());
  ASSERT_EQ(publisher_.Publish(boards_), 1u);
  EXPECT_EQ(Slices().size(), 1u);
}

TEST_F(SlicePublisherTest, SlicesOfOthersStay) {
  Json other = *ParseJson(R"({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
      "metadata": {"name": "nic"}, "spec": {"driver": "nic.example.com", "nodeName": "node-0",
      "pool": {"name": "node-0", "generation": 9, "resourceSliceCount": 1}, "devices": [{"name": "nic-0"}]}})");
  ASSERT_TRUE(node_.api().Create(other).has_value());
  ASSERT_EQ(publisher_.Publish(boards_), 1u);
  EXPECT_EQ(Slices().size(), 2u);
}

TEST_F(SlicePublisherTest, GpuThatIsGoneLeavesTheSliceInPlace) {
  ASSERT_EQ(publisher_.Publish(boards_), 1u);
  const std::string name = Slices()[0].metadata.name;
  boards_.pop_back();
  ASSERT_EQ(publisher_.Publish(boards_), 1u);
  const auto slices = Slices();
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].metadata.name, name);
  EXPECT_EQ(slices[0].spec.pool.generation, 1);
  EXPECT_EQ(slices[0].spec.devices.size(), 1u);
}

TEST_F(SlicePublisherTest, WithoutItsNodeNothingIsPublished) {
  SlicePublisher publisher(node_.api(), "node-9");
  const auto published = publisher.Publish(boards_);
  ASSERT_FALSE(published.has_value());
  EXPECT_THAT(published.error().message, HasSubstr("node node-9"));
  EXPECT_TRUE(Slices().empty());
}

}  // namespace
}  // namespace kumiko::node
