#include "localcluster/scenario_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kumiko::localcluster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ScenarioScript, SplitsWordsAndDropsComments) {
  const auto script = ParseScenario("# all\ncluster a.yaml # here\nexpect pending=1 reason \"no room\"\n", "x.scn");
  ASSERT_TRUE(script);
  ASSERT_EQ(script->lines.size(), 2u);
  EXPECT_EQ(script->lines[0].number, 2);
  EXPECT_THAT(script->lines[1].words, ElementsAre("expect", "pending=1", "reason", "no room"));
}

TEST(ScenarioScript, VariantsTakeTheBaseValuesTheyDoNotSet) {
  const auto script = ParseScenario("let A=1 B=2\nvariant other B=3\n", "x.scn");
  ASSERT_TRUE(script);
  ASSERT_EQ(script->variants.size(), 2u);
  EXPECT_EQ(script->variants[1].values.at("A"), "1");
  EXPECT_EQ(script->variants[1].values.at("B"), "3");
}

TEST(ScenarioScript, ErrorsNameTheLine) {
  EXPECT_THAT(ParseScenario("\nlet A\n", "x.scn").error().message, HasSubstr("x.scn:2"));
  EXPECT_THAT(ParseScenario("apply \"a\n", "x.scn").error().message, HasSubstr("x.scn:1"));
}

TEST(ScenarioScript, SubstitutesValues) {
  EXPECT_EQ(Substitute("a-${N}-${N}", {{"N", "7"}}).value(), "a-7-7");
  EXPECT_THAT(Substitute("${X}", {}).error().message, HasSubstr("${X} has no value"));
}

}  // namespace
}  // namespace kumiko::localcluster
