#include "cli/whole_gpus.h"

#include <gtest/gtest.h>

#include "api/codec.h"
#include "api/resource/types.h"

namespace kumiko::cli {
namespace {

api::ResourceClaim Rewritten(const char* text) {
  const auto object = ParseJson(text);
  EXPECT_TRUE(object) << object.error().message;
  const auto rewritten = ForWholeGpus(*object);
  EXPECT_TRUE(rewritten) << rewritten.error().message;
  const auto claim = api::Decode<api::ResourceClaim>(*rewritten);
  EXPECT_TRUE(claim) << claim.error().message;
  return *claim;
}

TEST(ForWholeGpus, KeepsTheModelAndDropsThePartition) {
  const api::ResourceClaim claim = Rewritten(R"({
    "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "ml"},
    "spec": {"devices": {
      "requests": [{"name": "part", "exactly": {"deviceClassName": "mig.nvidia.com", "allocationMode": "ExactCount",
        "count": 2, "selectors": [
          {"cel": {"expression": "device.attributes['gpu.nvidia.com'].profile == '1g.10gb' && device.attributes['gpu.nvidia.com'].architecture == 'Hopper'"}},
          {"cel": {"expression": "device.attributes['gpu.nvidia.com'].type == 'mig'"}}]}}],
      "constraints": [{"matchAttribute": "gpu.nvidia.com/parentUUID"}]}}})");
  ASSERT_EQ(claim.spec.devices.requests.size(), 1U);
  const auto& request = *claim.spec.devices.requests.front().exactly;
  EXPECT_EQ(request.device_class_name, "gpu.nvidia.com");
  EXPECT_EQ(request.count, 2);
  ASSERT_EQ(request.selectors.size(), 1U);
  EXPECT_EQ(request.selectors.front().cel->expression, "device.attributes['gpu.nvidia.com'].architecture == 'Hopper'");
  EXPECT_TRUE(claim.spec.devices.constraints.empty());
}

TEST(ForWholeGpus, KeepsWhatOnlyContainsTheWords) {
  const api::ResourceClaim claim = Rewritten(R"({
    "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "ml"},
    "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu-or-part.kumiko.dev",
      "selectors": [{"cel": {"expression": "device.attributes['gpu.nvidia.com'].prototype"}}]}}]}}})");
  EXPECT_EQ(claim.spec.devices.requests.front().exactly->selectors.size(), 1U);
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
