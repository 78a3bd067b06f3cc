#include "node/publication_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/slices.h"

namespace kumiko::node {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kPrefix[] = {"00000-gpu.nvidia.com-n-", "00001-gpu.nvidia.com-n-", "00002-gpu.nvidia.com-n-"};

api::ResourceSlice Slice(std::size_t index, std::int64_t generation, const std::string& memory,
                         std::int64_t count = 1) {
  api::ResourceSlice slice;
  slice.metadata.generate_name = kPrefix[index];
  slice.metadata.name = std::string(kPrefix[index]) + "abcde";
  slice.spec.driver = gpu::kGpuDriver;
  slice.spec.node_name = "n";
  slice.spec.pool = {"n", generation, count};
  api::Device device;
  device.name = "gpu-0";
  device.capacity["memory"].value = *Quantity::Parse(memory);
  slice.spec.devices.push_back(device);
  return slice;
}

std::vector<std::string> Writes(const PublicationPlan& plan) {
  std::vector<std::string> writes;
  for (const SliceWrite& write : plan.writes) {
    writes.push_back(fmt::format("{}{} g{}", write.replaces.empty() ? "create " : "update ", write.index,
                                 write.slice.spec.pool.generation));
  }
  return writes;
}

TEST(PublicationPlan, FirstPublicationIsGenerationOne) {
  const auto plan = PlanPublication({}, {Slice(0, 0, "80Gi")}, {});
  EXPECT_THAT(Writes(plan), ElementsAre("create 0 g1"));
  EXPECT_EQ(plan.writes[0].slice.metadata.name, "") << "the server makes the name";
}

TEST(PublicationPlan, NothingIsWrittenForTheSameValues) {
  EXPECT_TRUE(PlanPublication({Slice(0, 7, "81920Mi")}, {Slice(0, 0, "80Gi")}, {}).IsEmpty());
}

TEST(PublicationPlan, OneChangedSliceKeepsTheGeneration) {
  const auto plan = PlanPublication({Slice(0, 7, "80Gi", 2), Slice(1, 7, "80Gi", 2)},
                                    {Slice(0, 0, "80Gi", 2), Slice(1, 0, "40Gi", 2)}, {});
  EXPECT_THAT(Writes(plan), ElementsAre("update 1 g7"));
  EXPECT_EQ(plan.writes[0].slice.metadata.name, "00001-gpu.nvidia.com-n-abcde");
}

TEST(PublicationPlan, TwoChangedSlicesAreANewGenerationOfAll) {
  const auto plan = PlanPublication({Slice(0, 7, "80Gi", 3), Slice(1, 7, "80Gi", 3), Slice(2, 7, "80Gi", 3)},
                                    {Slice(0, 0, "80Gi", 3), Slice(1, 0, "40Gi", 3), Slice(2, 0, "40Gi", 3)}, {});
  EXPECT_THAT(Writes(plan), ElementsAre("update 0 g8", "update 1 g8", "update 2 g8"));
}

TEST(PublicationPlan, MissingSliceIsANewGenerationOfAll) {
  const auto plan = PlanPublication({Slice(1, 7, "80Gi", 2)}, {Slice(0, 0, "80Gi", 2), Slice(1, 0, "80Gi", 2)}, {});
  EXPECT_THAT(Writes(plan), ElementsAre("create 0 g8", "update 1 g8"));
}

TEST(PublicationPlan, WhatBelongsNowhereIsDeleted) {
  api::ResourceSlice random_name = Slice(0, 7, "80Gi");
  random_name.metadata.name = "n-gpu.nvidia.com-x7k2f";
  api::ResourceSlice second_of_index = Slice(0, 7, "80Gi");
  second_of_index.metadata.name = "00000-gpu.nvidia.com-n-zzzzz";
  const auto plan =
      PlanPublication({Slice(0, 7, "80Gi"), random_name, second_of_index, Slice(1, 7, "80Gi"), Slice(2, 6, "80Gi")},
                      {Slice(0, 0, "80Gi")}, {});
  EXPECT_THAT(plan.deletions, ElementsAre("n-gpu.nvidia.com-x7k2f", "00000-gpu.nvidia.com-n-zzzzz",
                                          "00001-gpu.nvidia.com-n-abcde", "00002-gpu.nvidia.com-n-abcde"));
  EXPECT_THAT(plan.writes, IsEmpty());
}

TEST(PublicationPlan, OlderGenerationIsDeletedThoughItsNameFits) {
  const auto plan = PlanPublication({Slice(0, 6, "80Gi", 2), Slice(1, 7, "80Gi", 2)},
                                    {Slice(0, 0, "80Gi", 2), Slice(1, 0, "80Gi", 2)}, {});
  EXPECT_THAT(plan.deletions, ElementsAre("00000-gpu.nvidia.com-n-abcde"));
  EXPECT_THAT(Writes(plan), ElementsAre("create 0 g8", "update 1 g8"));
}

TEST(PublicationPlan, FieldThatTheServerDropsIsNotWrittenAgainAndAgain) {
  api::ResourceSlice wanted = Slice(0, 0, "80Gi");
  wanted.spec.devices[0].consumes_counters.push_back({"gpu-0-counter-set", {}, {}});
  const api::ResourceSlice stored = Slice(0, 1, "80Gi");
  EXPECT_THAT(Writes(PlanPublication({stored}, {wanted}, {})), ElementsAre("update 0 g1"));
  const std::map<std::size_t, PublishedSlice> published = {{0, {wanted.spec, stored.spec}}};
  EXPECT_TRUE(PlanPublication({stored}, {wanted}, published).IsEmpty());
  const api::ResourceSlice touched = Slice(0, 1, "40Gi");
  EXPECT_THAT(Writes(PlanPublication({touched}, {wanted}, published)), ElementsAre("update 0 g1"));
}

TEST(PublicationPlan, TimeOfAnEqualTaintStays) {
  const Time then{1000000};
  api::ResourceSlice stored = Slice(0, 3, "80Gi");
  stored.spec.devices[0].taints = {{"gpu.nvidia.com/xid", "79", "NoSchedule", then}};
  api::ResourceSlice wanted = Slice(0, 0, "80Gi");
  wanted.spec.devices[0].taints = {{"gpu.nvidia.com/xid", "79", "NoSchedule", std::nullopt}};
  EXPECT_TRUE(PlanPublication({stored}, {wanted}, {}).IsEmpty());
  wanted.spec.devices[0].taints = {{"gpu.nvidia.com/xid", "48", "NoSchedule", std::nullopt}};
  const auto plan = PlanPublication({stored}, {wanted}, {});
  EXPECT_THAT(Writes(plan), ElementsAre("update 0 g3"));
  EXPECT_EQ(plan.writes[0].slice.spec.devices[0].taints[0].time_added, std::nullopt) << "the server tells the time";
}

TEST(PublicationPlan, OrderOfDevicesCounts) {
  api::ResourceSlice stored = Slice(0, 3, "80Gi");
  api::Device second = stored.spec.devices[0];
  second.name = "gpu-1";
  stored.spec.devices.push_back(second);
  api::ResourceSlice wanted = stored;
  std::swap(wanted.spec.devices[0], wanted.spec.devices[1]);
  EXPECT_THAT(Writes(PlanPublication({stored}, {wanted}, {})), ElementsAre("update 0 g3"));
}

}  // namespace
}  // namespace kumiko::node
