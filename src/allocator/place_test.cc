#include "allocator/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "allocator/explain.h"
#include "allocator/testing/builders.h"

namespace kumiko::allocator {
namespace {

using testing::ClaimBuilder;
using testing::DeviceBuilder;
using testing::kDriver;
using testing::MakeBoards;
using testing::MakeClass;
using testing::MakeGpus;
using testing::Names;
using testing::SliceBuilder;

class Packed : public ::testing::Test {
 protected:
  Packed() {
    inventory_.UpsertClass(MakeClass("gpu", R"(device.attributes["gpu.example.com"].type == "gpu")"));
    inventory_.UpsertClass(MakeClass("mig", R"(device.attributes["gpu.example.com"].type == "mig")"));
    inventory_.UpsertClass(MakeClass("gpu-or-part"));
  }

  void AddBoards(const std::string& node, int gpus = 1, const std::string& model = "A100") {
    for (const auto& slice : MakeBoards(node, {.gpus = gpus, .model = model})) inventory_.UpsertSlice(slice);
    nodes_.push_back(node);
  }
  void AddGpus(const std::string& node, int gpus) {
    inventory_.UpsertSlice(MakeGpus(node, gpus));
    nodes_.push_back(node);
  }
  static ClaimBuilder Part(const std::string& profile, const std::string& model = "A100") {
    return ClaimBuilder(profile).Request("r").Class("mig").Selector(
        R"(device.attributes["gpu.example.com"].profile == ")" + profile +
        R"(" && device.attributes["gpu.example.com"].model == ")" + model + "\"");
  }
  Placement Try(const api::ResourceClaim& claim) {
    const auto* pointer = &claim;
    return Place(inventory_, state_, std::span(&pointer, 1), nodes_, options_);
  }
  // Places and commits; "node device ..." or "" when it does not fit.
  std::string Run(const api::ResourceClaim& claim) {
    const auto placement = Try(claim);
    if (placement.kind != Outcome::Kind::kFits) return placement.error;
    std::string text = placement.node;
    for (const auto& result : placement.results) {
      state_.Add(result);
      for (const auto& name : Names(result)) text += " " + name;
    }
    return text;
  }
  std::string Why(const api::ResourceClaim& claim) {
    const auto* pointer = &claim;
    const auto explanation = Explain(inventory_, state_, std::span(&pointer, 1), nodes_);
    std::size_t sum = 0;
    for (const auto& row : explanation.rows) sum += row.devices;
    EXPECT_EQ(sum, explanation.devices);
    return Text(explanation);
  }

  Inventory inventory_;
  State state_{inventory_};
  Options options_;
  std::vector<std::string> nodes_;
};

TEST_F(Packed, DeclaredMixFitsInEveryOrder) {
  const auto demand = Demand::Declare({{"1g.10gb", 4}, {"3g.40gb", 1}});
  options_.demand = &demand;
  AddBoards("n1", 1, "A100");
  AddBoards("n2", 1, "H100");
  for (int at = 0; at < 5; ++at) {
    for (int shift = 0; shift < 5; ++shift) {
      const auto mark = state_.Mark();
      for (int i = 0; i < 5; ++i) {
        EXPECT_NE(Run(Part(i == at ? "3g.40gb" : "1g.10gb", "A100")), "") << "order " << at << ", claim " << i;
        const bool large = (i + shift) % 5 == at;
        EXPECT_NE(Run(Part(large ? "3g.40gb" : "1g.10gb", "H100")), "") << "order " << at << ", claim " << i;
      }
      state_.UndoTo(mark);
    }
  }
}

TEST_F(Packed, DeclaredMixFitsOnSeveralBoardsOfOneNode) {
  const auto demand = Demand::Declare({{"1g.10gb", 4}, {"3g.40gb", 1}});
  options_.demand = &demand;
  AddBoards("n1", 4);
  for (int at = 0; at < 5; ++at) {
    const auto mark = state_.Mark();
    for (int i = 0; i < 20; ++i) {
      EXPECT_NE(Run(Part(i % 5 == at ? "3g.40gb" : "1g.10gb")), "") << "order " << at << ", claim " << i;
    }
    state_.UndoTo(mark);
  }
}

TEST_F(Packed, WithoutKnowledgeAllThatFitsIsPlaced) {
  AddBoards("n1", 2);
  EXPECT_NE(Run(Part("1g.10gb")), "");
  EXPECT_NE(Run(Part("1g.10gb")), "");
  EXPECT_NE(Run(Part("3g.40gb")), "");
  EXPECT_NE(Run(Part("4g.40gb")), "");
}

TEST_F(Packed, ThePartGoesBeforeTheWholeDevice) {
  AddGpus("a-whole", 1);
  AddBoards("b-parts");
  const auto claim = ClaimBuilder("c")
                         .Request("r")
                         .Class("gpu-or-part")
                         .Selector(R"(device.capacity["gpu.example.com"].memory.compareTo(quantity("16Gi")) >= 0)");
  EXPECT_THAT(Run(claim), ::testing::StartsWith("b-parts gpu-0-1g.20gb-"));
}

TEST_F(Packed, APartlyUsedNodeIsFilledFirst) {
  AddGpus("n1", 4);
  AddGpus("n2", 4);
  EXPECT_EQ(Run(ClaimBuilder("a").Request("r")), "n1 gpu-0");
  nodes_ = {"n2"};
  EXPECT_EQ(Run(ClaimBuilder("a").Request("r", 2)), "n2 gpu-0 gpu-1");
  nodes_ = {"n1", "n2"};
  EXPECT_EQ(Run(ClaimBuilder("a").Request("r", 2)), "n2 gpu-2 gpu-3");
  EXPECT_EQ(Run(ClaimBuilder("a").Request("r")), "n1 gpu-1");
}

TEST_F(Packed, NeighbourhoodsAreBrokenLast) {
  AddGpus("n1", 6);
  EXPECT_EQ(Run(ClaimBuilder("a").Request("r")), "n1 gpu-0");
  EXPECT_EQ(Run(ClaimBuilder("b").Request("r", 2)), "n1 gpu-2 gpu-3");
  EXPECT_EQ(Run(ClaimBuilder("c").Request("r")), "n1 gpu-1");
  EXPECT_EQ(Run(ClaimBuilder("d").Request("r", 2).Match("resource.kubernetes.io/pcieRoot")), "n1 gpu-4 gpu-5");
}

TEST_F(Packed, TwoRequestsMeetOnOneRoot) {
  AddGpus("n1", 4);
  EXPECT_EQ(Run(ClaimBuilder("a").Request("r")), "n1 gpu-0");
  EXPECT_EQ(Run(ClaimBuilder("b").Request("r").Request("s").Match("resource.kubernetes.io/pcieRoot")),
            "n1 gpu-2 gpu-3");
  EXPECT_EQ(Run(ClaimBuilder("b").Request("r", 2)), "");
}

TEST_F(Packed, EarlierAlternativesWinAcrossNodes) {
  AddGpus("a-gpus", 1);
  AddBoards("b-parts");
  const auto claim =
      ClaimBuilder("c").FirstAvailable("r").Alternative("part").Class("mig").Alternative("whole").Build();
  EXPECT_EQ(Try(claim).node, "b-parts");
}

TEST_F(Packed, ASelectorErrorOnOneNodeLeavesTheOthers) {
  AddGpus("a-gpus", 1);
  AddBoards("b-parts");
  const auto selector = R"(device.attributes["gpu.example.com"].model == "A100")";
  EXPECT_EQ(Try(ClaimBuilder("c").Request("r").Class("gpu-or-part").Selector(selector)).node, "b-parts");
  nodes_ = {"a-gpus"};
  EXPECT_EQ(Try(ClaimBuilder("c").Request("r").Class("gpu-or-part").Selector(selector)).kind, Outcome::Kind::kFatal);
}

TEST_F(Packed, WhatNoResultCanNameIsPassedBy) {
  // The part of a board is smaller than the whole device, but its slice selects nodes by two terms.
  api::ResourceSlice board = *SliceBuilder("board", "")
                                  .Pool("board", 1, 2)
                                  .Add(DeviceBuilder("part").Consumes("set", {{"slots", "1"}}))
                                  .Build();
  api::NodeSelectorTerm anywhere;
  anywhere.match_expressions.push_back({.key = "zone", .operator_ = "Exists", .values = {}});
  board.spec.node_name.reset();
  board.spec.node_selector = api::NodeSelector{.node_selector_terms = {anywhere, anywhere}};
  inventory_.UpsertSlice(board);
  inventory_.UpsertSlice(
      SliceBuilder("counters", "").Pool("board", 1, 2).AllNodes().Counters("set", {{"slots", "4"}}).Build());
  api::Node node;
  node.metadata.name = "n1";
  node.metadata.labels["zone"] = "b";
  inventory_.UpsertNode(node);
  nodes_ = {"n1"};
  const auto claim = ClaimBuilder("a").Request("r").Class("gpu-or-part").Build();
  EXPECT_THAT(Run(claim), ::testing::HasSubstr("unsupported ResourceSlice.NodeSelector with 2 terms"));

  inventory_.UpsertSlice(SliceBuilder("a-whole", "n1").Pool("a-whole", 1, 1).Add(DeviceBuilder("whole")).Build());
  EXPECT_EQ(Run(claim), "n1 whole");
}

TEST_F(Packed, EqualNodesAreDecidedOnce) {
  for (int i = 0; i < 20; ++i) AddGpus("n" + std::to_string(i), 4);
  const auto claim = ClaimBuilder("a").Request("r").Build();
  EXPECT_EQ(Try(claim).decided, 1);
  EXPECT_EQ(Run(claim), "n0 gpu-0");
  EXPECT_EQ(Try(claim).decided, 2);
  EXPECT_EQ(Run(claim), "n0 gpu-1");
  options_.policy = Policy::kFirstFit;
  nodes_ = {"n3", "n0"};
  EXPECT_EQ(Run(claim), "n3 gpu-0");
}

TEST_F(Packed, LearntDemandChangesNothingThatFits) {
  Demand demand;
  options_.demand = &demand;
  AddBoards("n1", 2);
  for (int i = 0; i < 14; ++i) {
    demand.Arrive({R"(device.attributes["gpu.example.com"].?profile == optional.of("1g.10gb"))"});
    EXPECT_NE(Run(Part("1g.10gb")), "") << i;
  }
  EXPECT_EQ(Run(Part("1g.10gb")), "");
}

TEST_F(Packed, ExplainsEveryDeviceOnce) {
  AddGpus("n1", 4);
  EXPECT_EQ(Why(ClaimBuilder("a").Request("r", 8)), "none of 4 devices: 4 free, but fewer than 8 on one node");
  EXPECT_NE(Run(ClaimBuilder("a").Request("r", 3)), "");
  EXPECT_EQ(Why(ClaimBuilder("a").Request("r", 2)), "none of 4 devices: 3 taken; 1 free, but fewer than 2 on one node");
  EXPECT_EQ(Why(ClaimBuilder("a").Request("r").Selector(R"(device.attributes["gpu.example.com"].uuids == "x")")),
            "none of 4 devices: 4 attribute uuids does not exist; did you mean uuid?");
  EXPECT_EQ(Why(ClaimBuilder("a").Request("r").Selector(R"(device.attributes["example.com"].uuid == "x")")),
            "none of 4 devices: 4 attribute uuid does not exist in the domain that is asked; gpu.example.com has it");
  EXPECT_EQ(Why(ClaimBuilder("a").Request("r").Class("absent")),
            "claim ns/a, request r: could not retrieve device class absent: device class \"absent\" not found");
  nodes_ = {"empty"};
  EXPECT_EQ(Why(ClaimBuilder("a").Request("r")), "no device is published on these nodes");
}

TEST_F(Packed, ExplainsFragmentation) {
  AddBoards("n1");
  options_.policy = Policy::kFirstFit;
  EXPECT_EQ(Run(Part("1g.10gb")), "n1 gpu-0-1g.10gb-0");
  nodes_ = {"n1"};
  api::AllocationResult other;
  other.devices.results.push_back({});
  other.devices.results[0].driver = kDriver;
  other.devices.results[0].pool = "n1";
  other.devices.results[0].device = "gpu-0-1g.10gb-5";
  state_.Add(other);
  EXPECT_THAT(Why(Part("3g.40gb")), ::testing::HasSubstr("2 free slots 6, none four wide"));
}

}  // namespace
}  // namespace kumiko::allocator
