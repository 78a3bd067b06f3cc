#include "localcluster/expected_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kumiko::localcluster {
namespace {

using testing::HasSubstr;

constexpr const char* kPrinted = "NAME   AGE\na      3s\nb      4s\n\nNodes: 2\n";

TEST(ExpectedText, MarksStandForWhatDoesNotMatter) {
  for (const char* expected : {kPrinted, "NAME   AGE\na *s\n...\nNodes: 2", "...", "...\nNodes: *\n", "NAME*\n...\n",
                               "...\nb      4s\n...\nNodes: 2", "NAME   AGE\na      3s  \nb*\n\nN*d*s: 2"}) {
    EXPECT_EQ(Difference(expected, kPrinted), std::nullopt) << expected;
  }
}

TEST(ExpectedText, SaysWhatIsMissing) {
  EXPECT_THAT(Difference("NAME   AGE\nc      3s\n...", kPrinted).value_or(""), HasSubstr("line 2"));
  EXPECT_THAT(Difference("NAME   AGE\nc      3s\n...", kPrinted).value_or(""), HasSubstr("but \"a      3s\""));
  EXPECT_THAT(Difference("...\nb      4s\n...\na      3s\n...", kPrinted).value_or(""), HasSubstr("line 4"));
  EXPECT_THAT(Difference("...\nNodes: 3", kPrinted).value_or(""), HasSubstr("\"Nodes: 3\""));
  EXPECT_THAT(Difference(kPrinted, "").value_or(""), HasSubstr("line 1"));
}

TEST(ExpectedText, SaysWhatIsPrintedBeyondIt) {
  EXPECT_THAT(Difference("NAME   AGE", kPrinted).value_or(""), HasSubstr("\"a      3s\""));
  EXPECT_THAT(Difference("...\na      3s", kPrinted).value_or(""), HasSubstr("\"b      4s\""));
  EXPECT_THAT(Difference("", kPrinted).value_or(""), HasSubstr("\"NAME   AGE\""));
}

}  // namespace
}  // namespace kumiko::localcluster
