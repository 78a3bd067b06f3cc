#include "base/time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/clock.h"

namespace kumiko {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Time, ReadsRfc3339) {
  EXPECT_EQ(ParseRfc3339("1970-01-01T00:00:00Z")->micros, 0);
  EXPECT_EQ(ParseRfc3339("2026-05-01T12:00:00Z")->micros, 1777636800'000000);
  EXPECT_EQ(*ParseRfc3339("2026-05-01T12:00:00.5+02:00"), *ParseRfc3339("2026-05-01T10:00:00.500Z"));
  EXPECT_EQ(ParseRfc3339("1969-12-31T23:59:59.999999Z")->micros, -1);
  EXPECT_EQ(ParseRfc3339("2026-05-01T12:00:00.1234567899Z")->micros % 1'000'000, 123456);
}

TEST(Time, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "2026-05-01", "2026-02-29T00:00:00Z", "2026-05-01T24:00:00Z", "2026-05-01T12:00:00", "2026-05-01 12:00:00Z",
        "2026-05-01T12:00:00.Z", "2026-05-01T12:00:00Zx", "2026-13-01T00:00:00Z", "2026-05-01T12:00:00+25:00"}) {
    EXPECT_FALSE(ParseRfc3339(text).has_value()) << text;
  }
  EXPECT_EQ(ParseRfc3339("x").error().message, "time \"x\" is not valid: write it as 2026-05-01T12:00:00Z");
}

TEST(Time, WritesBothFormsOfKubernetes) {
  const Time time = *ParseRfc3339("2026-05-01T12:00:00.000250Z");
  EXPECT_EQ(FormatRfc3339(time), "2026-05-01T12:00:00Z");
  EXPECT_EQ(FormatRfc3339Micros(time), "2026-05-01T12:00:00.000250Z");
  EXPECT_EQ(FormatRfc3339(Time{-1}), "1969-12-31T23:59:59Z");
}

RC_GTEST_PROP(TimeProperty, WrittenTimesReadBackTheSame, ()) {
  const Time time{*rc::gen::inRange<std::int64_t>(-62'000'000'000'000'000, 250'000'000'000'000'000)};
  RC_ASSERT(*ParseRfc3339(FormatRfc3339Micros(time)) == time);
}

TEST(Age, LooksLikeKubectls) {
  EXPECT_EQ(FormatAge(seconds(0)), "0s");
  EXPECT_EQ(FormatAge(seconds(119)), "119s");
  EXPECT_EQ(FormatAge(seconds(120)), "2m");
  EXPECT_EQ(FormatAge(seconds(312)), "5m12s");
  EXPECT_EQ(FormatAge(minutes(11)), "11m");
  EXPECT_EQ(FormatAge(minutes(190)), "3h10m");
  EXPECT_EQ(FormatAge(hours(9)), "9h");
  EXPECT_EQ(FormatAge(hours(50)), "2d2h");
  EXPECT_EQ(FormatAge(hours(24 * 9)), "9d");
  EXPECT_EQ(FormatAge(hours(24 * 760)), "2y30d");
  EXPECT_EQ(FormatAge(hours(24 * 365 * 9)), "9y");
  EXPECT_EQ(FormatAge(seconds(-5)), "<invalid>");
}

TEST(DurationText, FollowsGo) {
  EXPECT_EQ(*ParseDuration("1h30m"), minutes(90));
  EXPECT_EQ(*ParseDuration("1.5s"), std::chrono::milliseconds(1500));
  EXPECT_EQ(*ParseDuration("250ms"), std::chrono::milliseconds(250));
  EXPECT_EQ(*ParseDuration("-5s"), seconds(-5));
  EXPECT_EQ(*ParseDuration("0"), seconds(0));
  for (const char* text : {"", "5", "s", "1x", "1h-5m", "1..5s", "9999999999h"})
    EXPECT_FALSE(ParseDuration(text)) << text;
  EXPECT_EQ(FormatDuration(minutes(90)), "1h30m0s");
  EXPECT_EQ(FormatDuration(std::chrono::milliseconds(1500)), "1.5s");
  EXPECT_EQ(FormatDuration(std::chrono::microseconds(2500)), "2.5ms");
  EXPECT_EQ(FormatDuration(seconds(0)), "0s");
  EXPECT_EQ(FormatDuration(seconds(-61)), "-1m1s");
}

RC_GTEST_PROP(DurationProperty, WrittenDurationsReadBackTheSame, ()) {
  const Duration duration(*rc::gen::inRange<std::int64_t>(-1'000'000'000'000'000, 1'000'000'000'000'000));
  RC_ASSERT(*ParseDuration(FormatDuration(duration)) == duration);
}

TEST(ManualClock, MovesOnlyWhenTold) {
  ManualClock clock(Time{5});
  EXPECT_EQ(clock.Now(), Time{5});
  clock.Advance(seconds(2));
  EXPECT_EQ(clock.Now(), Time{2'000'005});
  clock.Set(Time{1});
  EXPECT_EQ(clock.Now(), Time{1});
}

TEST(RealClock, IsAfterTheYear2020) {
  EXPECT_GT(RealClock().Now(), *ParseRfc3339("2020-01-01T00:00:00Z"));
}

}  // namespace
}  // namespace kumiko
