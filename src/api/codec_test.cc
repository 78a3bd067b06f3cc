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

// Every member that resource.k8s.io/v1 of Kubernetes 1.37 defines, in objects as the API server returns them.
TEST(Codec, KeepsEveryMemberOfTheDeviceKinds) {
  const Json claim = Parse(R"({
    "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "ml"},
    "spec": {"devices": {
      "requests": [
        {"name": "a", "exactly": {"deviceClassName": "gpu", "selectors": [{"cel": {"expression": "true"}}],
          "allocationMode": "ExactCount", "count": 2, "adminAccess": true,
          "tolerations": [{"key": "k", "operator": "Equal", "value": "v", "effect": "NoExecute",
                           "tolerationSeconds": 0}],
          "capacity": {"requests": {"memory": "1Gi"}},
          "derivedAttributes": [{"name": "d.example.com/half", "expression": "1"}]}},
        {"name": "b", "firstAvailable": [{"name": "s", "deviceClassName": "gpu", "allocationMode": "All",
          "derivedAttributes": [{"name": "d.example.com/half", "expression": "2"}]}]}],
      "constraints": [{"requests": ["a", "b/s"], "matchAttribute": "d.example.com/half"},
                      {"distinctAttribute": "d.example.com/id"}],
      "config": [{"requests": ["a"], "opaque": {"driver": "d.example.com", "parameters": {}}}]}},
    "status": {
      "allocation": {
        "devices": {
          "results": [{"request": "a", "driver": "d", "pool": "p", "device": "x", "adminAccess": false,
            "tolerations": [{"operator": "Exists"}], "bindingConditions": ["d/ready"],
            "bindingFailureConditions": ["d/broken"], "shareID": "0f0e0d0c-0000-4000-8000-000000000001",
            "consumedCapacity": {"memory": "2Gi"}, "skipNodeOperations": ["*"]}],
          "config": [{"source": "FromClass", "requests": ["a"],
                      "opaque": {"driver": "d", "parameters": {"a": [1]}}}]},
        "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [
            {"key": "metadata.name", "operator": "In", "values": ["n"]}]}]},
        "allocationTimestamp": "2026-01-02T03:04:05Z"},
      "reservedFor": [{"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "g", "uid": "1"}],
      "devices": [{"driver": "d", "pool": "p", "device": "x", "shareID": "0f0e0d0c-0000-4000-8000-000000000001",
        "conditions": [{"type": "Ready", "status": "True", "reason": "r", "message": "m",
                        "lastTransitionTime": "2026-01-02T03:04:05Z"}],
        "data": {}, "networkData": {"interfaceName": "eth1", "ips": ["10.0.0.1/24"],
                                    "hardwareAddress": "00:00:5e:00:53:01"}}]}})");
  const auto typed_claim = Decode<ResourceClaim>(claim);
  ASSERT_TRUE(typed_claim) << typed_claim.error().message;
  EXPECT_EQ(Encode(*typed_claim), claim);
  EXPECT_THAT(CheckFields<ResourceClaim>(claim), testing::IsEmpty());

  const Json slice = Parse(R"({
    "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s", "generation": 3},
    "spec": {"driver": "d", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
      "perDeviceNodeSelection": true,
      "devices": [{"name": "x",
        "attributes": {"i": {"int": 0}, "b": {"bool": false}, "s": {"string": ""}, "v": {"version": "1.0.0"},
          "is": {"ints": [1, -2]}, "bs": {"bools": [true, false]}, "ss": {"strings": ["x"]},
          "vs": {"versions": ["1.0.0"]}, "none": {"ints": []}},
        "capacity": {"memory": {"value": "40Gi", "requestPolicy": {"default": "1Gi",
          "validValues": ["1Gi", "2Gi"], "validRange": {"min": "1Gi", "max": "20Gi", "step": "1Gi"}}}},
        "consumesCounters": [{"counterSet": "c", "counters": {"m": {"value": "0"}},
                              "compatibilityGroups": ["g"]}],
        "nodeName": "n",
        "taints": [{"key": "k", "value": "v", "effect": "NoSchedule", "timeAdded": "2026-01-02T03:04:05Z"}],
        "bindsToNode": true, "bindingConditions": ["d/ready"], "bindingFailureConditions": ["d/broken"],
        "allowMultipleAllocations": true,
        "nodeAllocatableResources": {
          "cpu": {"mapping": {"capacityKey": "cores", "capacityMultiplier": "500m"}},
          "memory": {"mapping": {"deviceMultiplier": "1Gi"},
                     "overhead": {"perPod": "1Mi", "perContainer": "2Mi"}}}}],
      "partitionTypeAttribute": "d/profile",
      "skipNodeOperations": ["NodePrepareResources", "NodeUnprepareResources"]}})");
  const auto typed_slice = Decode<ResourceSlice>(slice);
  ASSERT_TRUE(typed_slice) << typed_slice.error().message;
  EXPECT_EQ(Encode(*typed_slice), slice);
  EXPECT_THAT(CheckFields<ResourceSlice>(slice), testing::IsEmpty());

  const Json rule = Parse(R"({
    "apiVersion": "resource.k8s.io/v1", "kind": "DeviceTaintRule", "metadata": {"name": "r"},
    "spec": {"deviceSelector": {"driver": "d", "pool": "p", "device": "x"},
             "taint": {"key": "k", "effect": "NoExecute"}},
    "status": {"conditions": [{"type": "EvictionInProgress", "status": "False"}]}})");
  const auto typed_rule = Decode<DeviceTaintRule>(rule);
  ASSERT_TRUE(typed_rule) << typed_rule.error().message;
  EXPECT_EQ(Encode(*typed_rule), rule);
}

TEST(Codec, ReadsListAttributesByKind) {
  const auto slice = Decode<ResourceSlice>(
      Parse(R"({"spec": {"devices": [{"attributes": {"a": {"bools": [true, false]}, "b": {"ints": null}}}]}})"));
  ASSERT_TRUE(slice) << slice.error().message;
  const auto& attributes = slice->spec.devices[0].attributes;
  EXPECT_EQ(attributes.at("a").bool_values, (std::vector<bool>{true, false}));
  EXPECT_FALSE(attributes.at("b").int_values);
  const auto wrong =
      Decode<ResourceSlice>(Parse(R"({"spec": {"devices": [{"attributes": {"a": {"ints": [1, "2"]}}}]}})"));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "spec.devices[0].attributes[a].ints[1]: expected integer, got string");
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
