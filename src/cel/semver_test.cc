#include "cel/semver.h"

#include <gtest/gtest.h>

namespace kumiko::cel {
namespace {

TEST(Semver, OrdersAsTheStandardSays) {
  const char* rising[] = {"0.9.0",      "1.0.0-0",      "1.0.0-alpha",   "1.0.0-alpha.1", "1.0.0-alpha.beta",
                          "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",    "1.0.0",
                          "1.0.1",      "1.10.0",       "2.0.0"};
  for (std::size_t i = 0; i + 1 < std::size(rising); ++i) {
    EXPECT_LT(*Semver::Parse(rising[i]), *Semver::Parse(rising[i + 1])) << rising[i];
  }
  EXPECT_EQ(*Semver::Parse("1.2.3+a"), *Semver::Parse("1.2.3+b"));
}

TEST(Semver, RefusesWhatIsNotExactlyAVersion) {
  for (const char* text : {"", "1", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.2.3-", "1.2.3+", "1.2.3-01", "1.2.3-a..b",
                           "1.2.3-ä", " 1.2.3", "1.2.-3", "18446744073709551616.0.0", "1..3"}) {
    EXPECT_FALSE(Semver::Parse(text).has_value()) << text;
  }
  EXPECT_EQ(Semver::Parse("1.2.3-a.1+b.02")->ToString(), "1.2.3-a.1+b.02");
}

TEST(Semver, NormalizesWhatPeopleWrite) {
  EXPECT_EQ(Semver::ParseNormalized("v1")->ToString(), "1.0.0");
  EXPECT_EQ(Semver::ParseNormalized("01.02")->ToString(), "1.2.0");
  EXPECT_EQ(Semver::ParseNormalized("v1.2.3-a")->ToString(), "1.2.3-a");
  EXPECT_FALSE(Semver::ParseNormalized("vv1").has_value());
  EXPECT_FALSE(Semver::ParseNormalized("").has_value());
}

}  // namespace
}  // namespace kumiko::cel
