#include "localcluster/controllers/cron_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kumiko::localcluster {
namespace {

using testing::HasSubstr;

std::string NextOf(std::string_view schedule, std::string_view after) {
  const auto parsed = CronSchedule::Parse(schedule);
  if (!parsed) return parsed.error().message;
  const auto next = parsed->Next(ParseRfc3339(after).value());
  return next ? FormatRfc3339(*next) : "never";
}

TEST(CronSchedule, FindsTheNextTime) {
  const struct {
    const char* schedule;
    const char* after;
    const char* next;
  } kCases[] = {
      {"* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"},
      {"* * * * *", "2026-01-01T00:00:59.5Z", "2026-01-01T00:01:00Z"},
      {"*/15 9-17 * * mon-fri", "2026-01-02T17:45:00Z", "2026-01-05T09:00:00Z"},
      {"30 4 1,15 * *", "2026-01-01T04:30:00Z", "2026-01-15T04:30:00Z"},
      {"0 0 13 * 5", "2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z"},
      {"0 0 29 feb *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
      {"0 0 31 2 *", "2026-01-01T00:00:00Z", "never"},
      {"5/20 * * * *", "2026-01-01T00:05:00Z", "2026-01-01T00:25:00Z"},
      {"@hourly", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"},
      {"@weekly", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"},
      {"@yearly", "2026-06-01T00:00:00Z", "2027-01-01T00:00:00Z"},
      {"@every 90s", "2026-01-01T00:00:00Z", "2026-01-01T00:01:30Z"},
  };
  for (const auto& test : kCases) EXPECT_EQ(NextOf(test.schedule, test.after), test.next) << test.schedule;
}

TEST(CronSchedule, NamesTheFieldThatIsWrong) {
  for (const auto& [schedule, word] : {std::pair("60 * * * *", "minute \"60\""),
                                       {"* * * *", "5 fields, found 4"},
                                       {"* 5-2 * * *", "hour \"5-2\""},
                                       {"* * * foo *", "month \"foo\""},
                                       {"*/0 * * * *", "step"}}) {
    const auto parsed = CronSchedule::Parse(schedule);
    ASSERT_FALSE(parsed) << schedule;
    EXPECT_THAT(parsed.error().message, HasSubstr(word));
  }
}

}  // namespace
}  // namespace kumiko::localcluster
