#include "localcluster/controllers/cron_schedule.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace kumiko::localcluster {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::int64_t kMinute = 60'000'000;
constexpr std::int64_t kDay = 24 * 60 * kMinute;

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kWeekdays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct Field {
  std::string_view name;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::span<const std::string_view> names = {};  // of `first` and those behind it
};
constexpr Field kFields[] = {{"minute", 0, 59},
                             {"hour", 0, 23},
                             {"day of month", 1, 31},
                             {"month", 1, 12, kMonths},
                             {"day of week", 0, 6, kWeekdays}};

Result<std::int64_t> ReadValue(const Field& field, std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto named = std::ranges::find(field.names, lower);
  if (named != field.names.end()) return field.first + (named - field.names.begin());
  const std::optional<std::int64_t> number = ParseInt64(text);
  if (!number || *number < field.first || *number > field.last) {
    return Fail(Code::kInvalidArgument, "{} \"{}\": write a number from {} to {}", field.name, text, field.first,
                field.last);
  }
  return *number;
}

// One entry of a list: *, a, a-b, each with /n behind it.
Result<std::uint64_t> ReadEntry(const Field& field, std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view range = text.substr(0, slash);
  std::int64_t step = 1;
  if (slash != std::string_view::npos) {
    const std::optional<std::int64_t> given = ParseInt64(text.substr(slash + 1));
    if (!given || *given <= 0) {
      return Fail(Code::kInvalidArgument, "{} \"{}\": write a step of at least 1 behind the /", field.name, text);
    }
    step = *given;
  }
  std::int64_t first = field.first;
  std::int64_t last = field.last;
  if (range != "*" && range != "?") {
    const std::size_t dash = range.find('-');
    KU_TRY(first, ReadValue(field, range.substr(0, dash)));
    if (dash != std::string_view::npos) {
      KU_TRY(last, ReadValue(field, range.substr(dash + 1)));
    } else if (slash == std::string_view::npos) {
      last = first;
    }
    if (first > last) return Fail(Code::kInvalidArgument, "{} \"{}\": begins after its end", field.name, text);
  }
  std::uint64_t bits = 0;
  for (std::int64_t value = first; value <= last; value += step) bits |= std::uint64_t{1} << value;
  return bits;
}

Result<std::uint64_t> ReadField(const Field& field, std::string_view text) {
  std::uint64_t bits = 0;
  for (const std::string_view entry : Split(text, ',')) {
    KU_TRY(const std::uint64_t more, ReadEntry(field, entry));
    bits |= more;
  }
  return bits;
}

bool Has(std::uint64_t bits, std::int64_t value) {
  return (bits >> value & 1) != 0;
}

constexpr std::pair<std::string_view, std::string_view> kNamed[] = {
    {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"}, {"@weekly", "0 0 * * 0"},
    {"@daily", "0 0 * * *"},  {"@midnight", "0 0 * * *"}, {"@hourly", "0 * * * *"}};

}  // namespace

Result<CronSchedule> CronSchedule::Parse(std::string_view text) {
  CronSchedule schedule;
  if (text.starts_with("@every ")) {
    KU_TRY(const Duration every, ParseDuration(text.substr(7)));
    schedule.every_ = std::max<Duration>(std::chrono::seconds(1), every);
    return schedule;
  }
  for (const auto& [name, fields] : kNamed) {
    if (text == name) text = fields;
  }
  std::vector<std::string_view> fields;
  for (const std::string_view field : Split(text, ' ')) {
    if (!field.empty()) fields.push_back(field);
  }
  if (fields.size() != std::size(kFields)) {
    return Fail(Code::kInvalidArgument, "expected exactly 5 fields, found {}: [{}]", fields.size(), text);
  }
  std::uint64_t* const sets[] = {&schedule.minutes_, &schedule.hours_, &schedule.days_, &schedule.months_,
                                 &schedule.weekdays_};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    KU_TRY(*sets[i], ReadField(kFields[i], fields[i]));
  }
  schedule.any_day_ = fields[2].starts_with('*') || fields[2].starts_with('?');
  schedule.any_weekday_ = fields[4].starts_with('*') || fields[4].starts_with('?');
  return schedule;
}

std::optional<Time> CronSchedule::Next(Time time) const {
  if (every_) return Time{time.micros - time.micros % 1'000'000} + *every_;
  std::int64_t minute = time.micros / kMinute + 1;
  const std::int64_t last_day = time.micros / kDay + 5 * 366;
  for (std::int64_t day = minute * kMinute / kDay; day <= last_day; ++day) {
    const sys_days date{days(day)};
    const year_month_day calendar(date);
    const auto weekday = static_cast<std::int64_t>(std::chrono::weekday(date).c_encoding());
    const bool day_fits = Has(days_, static_cast<std::int64_t>(static_cast<unsigned>(calendar.day())));
    const bool weekday_fits = Has(weekdays_, weekday);
    // Of two fields that both restrict the day, either may fit.
    const bool fits = any_day_ || any_weekday_ ? day_fits && weekday_fits : day_fits || weekday_fits;
    const std::int64_t first = std::max(minute, day * (kDay / kMinute));
    if (!fits || !Has(months_, static_cast<std::int64_t>(static_cast<unsigned>(calendar.month())))) continue;
    for (std::int64_t at = first; at < (day + 1) * (kDay / kMinute); ++at) {
      const std::int64_t of_day = at - day * (kDay / kMinute);
      if (Has(hours_, of_day / 60) && Has(minutes_, of_day % 60)) return Time{at * kMinute};
    }
  }
  return std::nullopt;
}

}  // namespace kumiko::localcluster
