#include "api/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core/types.h"
#include "api/resource/types.h"

namespace kumiko::api {
namespace {

using testing::ElementsAre;

Json Parse(std::string_view text) {
  auto json = ParseJson(text);
  EXPECT_TRUE(json) << json.error().message;
  return json.value_or(Json());
}

constexpr std::string_view kClaim = R"({
  "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
  "metadata": {"name": "c", "namespace": "ml", "creationTimestamp": "2026-01-02T03:04:05Z"},
  "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {
      "deviceClassName": "gpu.nvidia.com", "count": 2, "allocationMode": "ExactCount",
      "capacity": {"requests": {"memory": "16Gi"}}}}],
    "constraints": [{"matchAttribute": "resource.kubernetes.io/pcieRoot"}]}}})";

TEST(Codec, ReadsEveryMemberOfAClaim) {
  const auto claim = Decode<ResourceClaim>(Parse(kClaim));
  ASSERT_TRUE(claim) << claim.error().message;
  EXPECT_EQ(claim->metadata.name, "c");
  ASSERT_EQ(claim->spec.devices.requests.size(), 1u);
  const DeviceRequest& request = claim->spec.devices.requests[0];
  ASSERT_TRUE(request.exactly);
  EXPECT_EQ(request.exactly->count, 2);
  EXPECT_EQ(request.exactly->capacity->requests.at("memory").ToString(), "16Gi");
  EXPECT_EQ(claim->spec.devices.constraints[0].match_attribute, "resource.kubernetes.io/pcieRoot");
}

TEST(Codec, EncodingWhatWasDecodedGivesTheSameObject) {
  const Json original = Parse(kClaim);
  const auto claim = Decode<ResourceClaim>(original);
  ASSERT_TRUE(claim);
  EXPECT_EQ(Encode(*claim), original);
}

TEST(Codec, ReadsQuantitiesWrittenAsNumbers) {
  const auto node = Decode<Node>(Parse(R"({"status": {"allocatable": {"pods": 110, "cpu": "500m"}}})"));
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_EQ(node->status.allocatable.at("pods").Value(), 110);
  EXPECT_EQ(node->status.allocatable.at("cpu").MilliValue(), 500);
}

TEST(Codec, TreatsNullAsAbsent) {
  const auto pod = Decode<Pod>(Parse(R"({"metadata": null, "spec": {"containers": null, "priority": null}})"));
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_FALSE(pod->spec.priority);
}

TEST(Codec, NamesThePathOfEveryMemberOfTheWrongType) {
  const auto claim = Decode<ResourceClaim>(Parse(
      R"({"metadata": {"labels": {"a": 1}}, "spec": {"devices": {"requests": [{"exactly": {"count": "two"}}, 7]}}})"));
  ASSERT_FALSE(claim);
  EXPECT_EQ(claim.error().message,
            "metadata.labels[a]: expected string, got integer; "
            "spec.devices.requests[0].exactly.count: expected integer, got string; "
            "spec.devices.requests[1]: expected map, got integer");
}

TEST(Codec, RefusesNumbersThatDoNotFit) {
  EXPECT_FALSE(Decode<ResourceClaim>(Parse(R"({"metadata": {"generation": 18446744073709551615}})")));
  EXPECT_FALSE(Decode<ResourceClaim>(Parse(R"({"metadata": {"generation": 1.5}})")));
}

TEST(Codec, IgnoresUnknownMembersWhenReading) {
  EXPECT_TRUE(Decode<Pod>(Parse(R"({"spec": {"nextYearsField": {"a": [1]}}})")));
}

TEST(Codec, StrictReadingReportsUnknownMembersAndSuggests) {
  EXPECT_THAT(CheckFields<Pod>(Parse(R"({"kind": "Pod", "spec": {"contaners": [], "volumes": []}})")),
              ElementsAre(FieldError{"spec.contaners", "unknown field; did you mean containers?"}));
}

TEST(Codec, StrictReadingSaysWhereV1Beta1MembersMoved) {
  EXPECT_THAT(CheckFields<ResourceClaim>(
                  Parse(R"({"spec": {"devices": {"requests": [{"name": "a", "deviceClassName": "b"}]}}})")),
              ElementsAre(FieldError{"spec.devices.requests[0].deviceClassName",
                                     "unknown field; in resource.k8s.io/v1 it stands under exactly"}));
}

TEST(Codec, WritesZeroCountersAndLeavesOutZeroMembers) {
  ResourceSlice slice;
  slice.metadata.name = "s";
  slice.spec.driver = "d";
  slice.spec.shared_counters = {{"set", {{"encoders", {Quantity::FromInt(0)}}}}};
  const Json json = Encode(slice);
  EXPECT_EQ(*FindPath(json, {"spec", "sharedCounters"}),
            Parse(R"([{"name": "set", "counters": {"encoders": {"value": "0"}}}])"));
  EXPECT_EQ(FindPath(json, {"spec", "nodeName"}), nullptr);
  EXPECT_EQ(*FindPath(json, {"spec", "pool"}), Parse(R"({"name": "", "generation": 0, "resourceSliceCount": 0})"));
}

}  // namespace
}  // namespace kumiko::api
