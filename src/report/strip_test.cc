#include "report/strip.h"

#include <gtest/gtest.h>

#include "report/text.h"

namespace kumiko::report {
namespace {

StripPart Part(int start, int size, std::string_view profile) {
  return {.start = start, .size = size, .state = PartState::kPart, .labels = ProfileLabels(profile)};
}

TEST(Strip, DrawsPartsWithTheLongestLabelThatFits) {
  const Strip strip{.slots = 8, .parts = {Part(0, 4, "3g.40gb"), Part(4, 2, "2g.20gb"), Part(6, 1, "1g.10gb")}};
  EXPECT_EQ(Draw(strip, {}), "│3g.40gb    │2g.20│1g│··│");
}

TEST(Strip, DrawsBoardsOfFourAndTwelveSlots) {
  EXPECT_EQ(Draw({.slots = 4, .parts = {Part(0, 2, "2g.12gb"), Part(2, 1, "1g.6gb")}}, {}),
            "│2g.12gb    │1g.6 │·····│");
  EXPECT_EQ(Draw({.slots = 12, .parts = {Part(0, 3, "1g.24gb"), Part(3, 3, "1g.24gb"), Part(6, 6, "2g.48gb")}}, {}),
            "│1g.24│1g.24│2g.48gb    │");
}

TEST(Strip, NamesTheHolderOfAWholeGpuAndCutsItsMiddle) {
  const StripPart whole{.start = 0, .size = 1, .state = PartState::kWhole, .labels = {"ml/train-0"}};
  EXPECT_EQ(Draw({.slots = 1, .parts = {whole}}, {}), "│█ ml/train-0           │");
  const StripPart longer{
      .start = 0, .size = 1, .state = PartState::kWhole, .labels = {"machine-learning/training-run-0"}};
  EXPECT_EQ(Draw({.slots = 1, .parts = {longer}}, {}), "│█ machine-l…ining-run-0│");
}

TEST(Strip, MarksFreeAndUnreachableSlots) {
  EXPECT_EQ(Draw({.slots = 1, .parts = {}}, {}), "│·······················│");
  const StripPart dead{.start = 7, .size = 1, .state = PartState::kUnreachable, .labels = {}};
  EXPECT_EQ(Draw({.slots = 8, .parts = {Part(0, 1, "1g.10gb"), dead}}, {}), "│1g│·················│▒▒│");
}

TEST(Strip, CompactFormShowsSizesInEightCells) {
  const StripPart dead{.start = 7, .size = 1, .state = PartState::kUnreachable, .labels = {}};
  EXPECT_EQ(
      DrawCompact({.slots = 8, .parts = {Part(0, 4, "3g.40gb"), Part(4, 2, "2g.20gb"), Part(6, 1, "1g.10gb")}}, {}),
      "[3---2-1.]");
  EXPECT_EQ(DrawCompact({.slots = 8, .parts = {Part(0, 1, "1g.10gb"), dead}}, {}), "[1......x]");
  EXPECT_EQ(DrawCompact({.slots = 4, .parts = {Part(0, 2, "2g.12gb"), Part(2, 1, "1g.6gb")}}, {}), "[2---1-..]");
  const StripPart whole{.start = 0, .size = 1, .state = PartState::kWhole, .labels = {"ml/train-0"}};
  EXPECT_EQ(DrawCompact({.slots = 1, .parts = {whole}}, {}), "[========]");
  const StripPart sick{.start = 0, .size = 1, .state = PartState::kUnhealthy, .labels = {"xid=79"}};
  EXPECT_EQ(DrawCompact({.slots = 1, .parts = {sick}}, {}), "[!!!!!!!!]");
  EXPECT_EQ(DrawCompact({.slots = 1, .parts = {}}, {}), "[........]");
}

TEST(Strip, NeedsNoUnicodeWhenToldSo) {
  Style ascii;
  ascii.unicode = false;
  EXPECT_EQ(Draw({.slots = 8, .parts = {Part(0, 4, "3g.40gb")}}, ascii), "|3g.40gb    |...........|");
}

TEST(Strip, EveryPlacementOnEveryBoardTakes25Cells) {
  for (int slots = 1; slots <= 24; ++slots) {
    for (int start = 0; start < slots; ++start) {
      for (int size = 1; start + size <= slots; ++size) {
        EXPECT_EQ(Cells(Draw({.slots = slots, .parts = {Part(start, size, "7g.80gb+me")}}, {})), kStripCells)
            << slots << " slots, part at " << start << " of " << size;
      }
    }
  }
}

}  // namespace
}  // namespace kumiko::report
