#include "gpu/boards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/node_types.h"

namespace kumiko::gpu {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Boards, TablesAreRead) {
  EXPECT_EQ(Boards().size(), 16u);
  EXPECT_EQ(Models().size(), 19u);
  const Board* board = *FindBoard("H100-80GB");
  EXPECT_EQ(board->memory_slices, 8);
  EXPECT_EQ(board->compute_slices, 7);
  const Profile* profile = board->FindProfile("3g.40gb");
  ASSERT_NE(profile, nullptr);
  EXPECT_EQ(profile->gi_profile_id, 9);
  EXPECT_EQ(profile->memory_bytes, std::int64_t{40448} << 20);
  EXPECT_EQ(profile->engines.multiprocessors, 60);
  EXPECT_EQ(profile->placements, (std::vector<Placement>{{0, 4}, {4, 4}}));
}

TEST(Boards, ModelsAreFoundByWhatPeopleSay) {
  const std::pair<const char*, const char*> cases[] = {
      {"A100-80", "a100-sxm4-80"},
      {"A100-80GB", "a100-sxm4-80"},
      {"a100-40", "a100-sxm4-40"},
      {"H100", "h100-sxm5"},
      {"h100-pcie", "h100-pcie"},
      {"NVIDIA H100 80GB HBM3", "h100-sxm5"},
      {"T4", "t4"},
      {"Tesla T4", "t4"},
      {"L4", "l4"},
      {"L40S", "l40s"},
      {"A30", "a30"},
      {"H200", "h200-sxm"},
      {"B200", "b200"},
      {"GB200", "gb200"},
      {"A10G", "a10g"},
  };
  for (const auto& [said, id] : cases) {
    const auto model = FindModel(said);
    ASSERT_TRUE(model.has_value()) << model.error().message;
    EXPECT_EQ((*model)->id, id) << said;
  }
}

TEST(Boards, UnknownModelIsRefusedWithAdvice) {
  EXPECT_THAT(FindModel("h100-pcle").error().message, HasSubstr("did you mean h100-pcie?"));
  EXPECT_THAT(FindModel("A100").error().message, AllOf(HasSubstr("a100-sxm4-40"), HasSubstr("a100-sxm4-80")));
  EXPECT_THAT(FindModel("MI300X").error().message, HasSubstr("write one of t4, "));
  EXPECT_FALSE(FindModel("").has_value());
}

TEST(Boards, ModelsCarryWhatTheDriverWouldRead) {
  const Model& h100 = **FindModel("H100");
  EXPECT_EQ(h100.memory_bytes, std::int64_t{81559} << 20);
  EXPECT_EQ(h100.architecture, "Hopper");
  EXPECT_FALSE(h100.NeedsMigModeForParts());
  const Model& l4 = **FindModel("L4");
  EXPECT_EQ(l4.architecture, "Ada Lovelace");
  EXPECT_EQ(l4.board, nullptr);
  EXPECT_EQ(l4.memory_bytes, std::int64_t{24} << 30);
  EXPECT_TRUE((*FindModel("A100-80"))->NeedsMigModeForParts());
}

TEST(Boards, ProfileWithAnUnknownNumberIsRefusedByName) {
  const Model& b200 = **FindModel("B200");
  EXPECT_TRUE(UsableProfile(b200, "1g.23gb").has_value());
  EXPECT_EQ(UsableProfile(b200, "3g.90gb").error().message, "board B200-180GB: profile 3g.90gb has no known memoryMiB");
  EXPECT_THAT(UsableProfile(b200, "3g.90g").error().message, HasSubstr("did you mean 3g.90gb?"));
  EXPECT_THAT(UsableProfile(**FindModel("T4"), "1g.10gb").error().message, HasSubstr("Tesla T4 has no MIG"));
}

TEST(Boards, SmallerFormOfABoardKeepsOnlyItsFullProfile) {
  const Model& pcie = **FindModel("h100-pcie");
  const auto full = UsableProfile(pcie, "7g.80gb");
  ASSERT_TRUE(full.has_value()) << full.error().message;
  EXPECT_EQ(full->engines.multiprocessors, 114);
  EXPECT_THAT(UsableProfile(pcie, "1g.10gb").error().message, HasSubstr("multiprocessors"));
}

TEST(Boards, EveryBoardIsUsableOrNamesWhatIsMissing) {
  for (const Board& board : Boards()) {
    Model model;
    model.product_name = board.name;
    model.board = &board;
    const auto profiles = UsableProfiles(model);
    if (profiles) {
      EXPECT_EQ(profiles->size(), board.profiles.size());
      continue;
    }
    EXPECT_THAT(profiles.error().message, AllOf(HasSubstr(board.name), HasSubstr("profile"))) << board.name;
  }
}

TEST(NodeTypes, AreFoundBySku) {
  const NodeType& type = **FindNodeType("p5.48xlarge");
  EXPECT_EQ(type.gpu_model, "h100-sxm5");
  EXPECT_EQ(type.gpu_numa, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_TRUE(type.nvlink);
  EXPECT_THAT(FindNodeType("p5.48xlrge").error().message, HasSubstr("did you mean p5.48xlarge?"));
  for (const NodeType& each : NodeTypes()) EXPECT_TRUE(FindModel(each.gpu_model).has_value()) << each.sku;
}

}  // namespace
}  // namespace kumiko::gpu
