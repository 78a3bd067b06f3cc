#include "localcluster/node_fit.h"

#include <gtest/gtest.h>

#include <limits>
#include <string_view>

namespace kumiko::localcluster {
namespace {

api::Pod PodThatWants(std::string_view resource, std::string_view amount, int containers) {
  api::Pod pod;
  for (int i = 0; i < containers; ++i) {
    api::Container container;
    container.resources.requests[std::string(resource)] = Quantity::Parse(amount).value();
    pod.spec.containers.push_back(container);
  }
  return pod;
}

api::Node SmallNode() {
  api::Node node;
  node.status.capacity["memory"] = Quantity::Parse("768Gi").value();
  node.status.capacity["cpu"] = Quantity::Parse("64").value();
  return node;
}

std::string Why(const api::Pod& pod, const api::Node& node, const NodeUse& use) {
  const std::optional<NodeRefusal> refusal = WhyNot(pod, node, use);
  return refusal ? Text(*refusal) : "";
}

TEST(NodeFit, RequestsBeyondInt64FitNoNode) {
  EXPECT_EQ(Why(PodThatWants("memory", "8Ei", 2), SmallNode(), {}), "have too little memory");
  EXPECT_EQ(Why(PodThatWants("memory", "4Ei", 2), SmallNode(), {}), "have too little memory");
  EXPECT_EQ(Why(PodThatWants("cpu", "9223372036854775", 2), SmallNode(), {}), "have too little cpu");
  EXPECT_EQ(WhyNot(PodThatWants("memory", "384Gi", 2), SmallNode(), {}), std::nullopt);
}

TEST(NodeFit, AFullNodeTakesNoHugePod) {
  NodeUse use;
  use.memory_bytes = std::numeric_limits<std::int64_t>::max() - 1;
  use.cpu_milli = use.memory_bytes;
  EXPECT_EQ(Why(PodThatWants("memory", "1Gi", 1), SmallNode(), use), "have too little memory");
  EXPECT_EQ(Why(PodThatWants("cpu", "1", 1), SmallNode(), use), "have too little cpu");
}

TEST(NodeFit, WhatAHugePodTookComesBackExactly) {
  NodeUses uses;
  api::Pod small = PodThatWants("memory", "1Gi", 1);
  api::Pod huge = PodThatWants("memory", "8Ei", 2);
  small.spec.node_name = huge.spec.node_name = "node-0";
  uses.Update("small", &small);
  uses.Update("huge", &huge);
  EXPECT_EQ(uses.Of("node-0").memory_bytes, std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(uses.Update("huge", nullptr));
  EXPECT_EQ(uses.Of("node-0").memory_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(uses.Of("node-0").pods, 1);
}

}  // namespace
}  // namespace kumiko::localcluster
