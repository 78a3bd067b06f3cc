#include <gtest/gtest.h>

#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

struct Case {
  std::string_view expression;
  std::string_view answer;
};
TEST(SemverFunctions, CompareAndTakeApart) {
  const Case cases[] = {
      {R"(semver("1.2.3").major())", R"(1)"},
      {R"(semver("1.2.3").minor())", R"(2)"},
      {R"(semver("1.2.3").patch())", R"(3)"},
      {R"(semver("1.2.3-a").isLessThan(semver("1.2.3")))", R"(true)"},
      {R"(semver("1.10.0").isGreaterThan(semver("1.9.0")))", R"(true)"},
      {R"(semver("1.2.3+a").compareTo(semver("1.2.3+b")))", R"(0)"},
      {R"(semver("v1.02", true) == semver("1.2.0"))", R"(true)"},
      {R"(semver("18446744073709551615.0.0").major())", R"(-1)"},
      {R"(isSemver("v1"))", R"(false)"},
      {R"(isSemver("v1", true))", R"(true)"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

TEST(SemverFunctions, SayWhatIsWrong) {
  const Case cases[] = {
      {R"(semver(""))", R"(error: Version string empty)"},
      {R"(semver("1.2"))", R"(error: No Major.Minor.Patch elements found)"},
      {R"(semver("v1.2.3"))", R"(error: Invalid character(s) found in major number "v1")"},
      {R"(semver("1..3"))", R"(error: strconv.ParseUint: parsing "": invalid syntax)"},
      {R"(semver("1+a", true))", R"(error: short version cannot contain PreRelease/Build meta data)"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

}  // namespace
}  // namespace kumiko::cel
