#include "cli/whole_gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec.h"
#include "api/resource/types.h"
#include "base/clock.h"
#include "localcluster/testing/cluster_fixture.h"

namespace kumiko::cli {
namespace {

// Two A100 that give parts, two T4 that do not.
constexpr const char* kCluster = R"(
kind: Cluster
nodes:
- name: a
  gpus:
  - {model: A100-80, count: 2, mig: dynamic}
- name: t
  gpus:
  - {model: T4, count: 2}
)";

class ForWholeGpusTest : public localcluster::testing::ClusterFixture {
 protected:
  ForWholeGpusTest() : ClusterFixture(kCluster) {}

  // The claim of one request, rewritten.
  api::DeviceClaim Rewritten(const std::string& device_class, const std::vector<std::string>& selectors,
                             const std::string& match_attribute = "") {
    api::ResourceClaim claim;
    claim.metadata.name = "c";
    api::DeviceRequest request;
    request.name = "part";
    request.exactly.emplace();
    request.exactly->device_class_name = device_class;
    for (const std::string& selector : selectors) {
      request.exactly->selectors.push_back({api::CelDeviceSelector{selector}});
    }
    claim.spec.devices.requests.push_back(request);
    if (!match_attribute.empty()) claim.spec.devices.constraints.emplace_back().match_attribute = match_attribute;
    const auto offers = GpuOffers::Of(cluster_->api());
    EXPECT_TRUE(offers);
    const auto rewritten = ForWholeGpus(api::Encode(claim), *offers);
    EXPECT_TRUE(rewritten) << rewritten.error().message;
    return api::Decode<api::ResourceClaim>(*rewritten)->spec.devices;
  }
  std::string Selectors(const api::DeviceClaim& claim) {
    std::string all;
    for (const auto& selector : claim.requests.front().exactly->selectors) all += selector.cel->expression + ";";
    return all;
  }
};

TEST_F(ForWholeGpusTest, APartBecomesABoardThatOffersIt) {
  const api::DeviceClaim claim = Rewritten(
      "mig.nvidia.com", {"device.attributes['gpu.nvidia.com'].profile == '1g.10gb'"}, "gpu.nvidia.com/parentUUID");
  EXPECT_EQ(claim.requests.front().exactly->device_class_name, "gpu.nvidia.com");
  EXPECT_EQ(Selectors(claim), R"(device.attributes["gpu.nvidia.com"].productName in ["NVIDIA A100-SXM4-80GB"];)");
  EXPECT_TRUE(claim.constraints.empty());
}

TEST_F(ForWholeGpusTest, MemoryChoosesEveryBoardThatHasSuchADevice) {
  const auto at_least = [this](const std::string& size) {
    return Selectors(Rewritten("gpu-or-part.kumiko.dev",
                               {"device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('" + size + "')) >= 0"}));
  };
  EXPECT_EQ(at_least("4Gi"), "");
  EXPECT_EQ(at_least("20Gi"), R"(device.attributes["gpu.nvidia.com"].productName in ["NVIDIA A100-SXM4-80GB"];)");
}

TEST_F(ForWholeGpusTest, OneBoardOfSeveralIsChosenByItsUuid) {
  const auto offers = cluster_->api().List({"ResourceSlice", "", ""});
  std::string uuid;
  for (const auto& slice : offers->items) {
    const auto decoded = api::Decode<api::ResourceSlice>(*slice.tree());
    for (const api::Device& device : decoded->spec.devices) {
      if (const auto it = device.attributes.find("uuid"); it != device.attributes.end())
        uuid = *it->second.string_value;
    }
  }
  ASSERT_NE(uuid, "");
  EXPECT_EQ(Selectors(Rewritten("gpu.nvidia.com", {"device.attributes['gpu.nvidia.com'].uuid == '" + uuid + "'"})),
            "device.attributes[\"gpu.nvidia.com\"].uuid in [\"" + uuid + "\"];");
}

TEST_F(ForWholeGpusTest, WhatNoBoardOffersStaysAsItIs) {
  const api::DeviceClaim claim =
      Rewritten("mig.nvidia.com", {"device.attributes['gpu.nvidia.com'].profile == '9g.1gb'"});
  EXPECT_EQ(claim.requests.front().exactly->device_class_name, "mig.nvidia.com");
}

TEST(WithWholeGpus, MakesEveryBoardUndividedAndUnshared) {
  localcluster::ClusterFile file;
  file.nodes.resize(1);
  file.nodes.front().boards.resize(2);
  file.nodes.front().boards[0].mig = gpu::MigMode::kDynamic;
  file.nodes.front().boards[1].sharing = {gpu::Sharing::Kind::kShares, 4};
  file.demand = {{"1g.10gb", 4}};
  const auto whole = WithWholeGpus(file);
  for (const auto& board : whole.nodes.front().boards) {
    EXPECT_EQ(board.mig, gpu::MigMode::kOff);
    EXPECT_EQ(board.sharing.kind, gpu::Sharing::Kind::kDisabled);
  }
  EXPECT_TRUE(whole.demand.empty());
}

}  // namespace
}  // namespace kumiko::cli
