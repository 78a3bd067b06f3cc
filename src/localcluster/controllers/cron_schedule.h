// When a CronJob runs: five fields of minute, hour, day of month, month and day of week, or a name such as @hourly.
// Source: the syntax of github.com/robfig/cron v3, which Kubernetes uses, in UTC.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace kumiko::localcluster {

class CronSchedule {
 public:
  // Fields may hold *, ?, numbers, ranges a-b, steps /n, lists and the names of months and days. @every is Go's
  // duration text after it. Fails with kInvalidArgument, naming the field.
  static Result<CronSchedule> Parse(std::string_view text);

  // The first time after `time`; nothing: never within five years.
  std::optional<Time> Next(Time time) const;

 private:
  std::uint64_t minutes_ = 0;  // bit sets
  std::uint64_t hours_ = 0;
  std::uint64_t days_ = 0;
  std::uint64_t months_ = 0;
  std::uint64_t weekdays_ = 0;
  bool any_day_ = false;  // the field says *
  bool any_weekday_ = false;
  std::optional<Duration> every_;
};

}  // namespace kumiko::localcluster
