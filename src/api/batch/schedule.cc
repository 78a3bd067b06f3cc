#include "api/batch/schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "base/time.h"

namespace kumiko::api {

namespace {

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kDays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct Bounds {
  std::int64_t least;
  std::int64_t most;
  std::span<const std::string_view> names = {};  // of `least` and the following
};

constexpr std::array<Bounds, 5> kFields = {{{0, 59}, {0, 23}, {1, 31}, {1, 12, kMonths}, {0, 6, kDays}}};

Result<std::int64_t> ReadNumber(std::string_view text) {
  const auto number = ParseInt64(text);
  if (!number) {
    return Fail(Code::kInvalidArgument, "failed to parse int from {}: strconv.Atoi: parsing \"{}\": invalid syntax",
                text, text);
  }
  if (*number < 0) return Fail(Code::kInvalidArgument, "negative number ({}) not allowed: {}", *number, text);
  return *number;
}

Result<std::int64_t> ReadValue(std::string_view text, const Bounds& bounds) {
  const auto name = std::ranges::find(bounds.names, ToLower(text));
  if (name != bounds.names.end()) return bounds.least + (name - bounds.names.begin());
  return ReadNumber(text);
}

// "*", "5", "1-5", "*/15", "MON-FRI/2".
Status CheckRange(std::string_view text, const Bounds& bounds) {
  const auto parts = Split(text, '/');
  const auto ends = Split(parts[0], '-');
  std::int64_t start = bounds.least;
  std::int64_t end = bounds.most;
  if (ends[0] != "*" && ends[0] != "?") {
    KU_TRY(start, ReadValue(ends[0], bounds));
    if (ends.size() > 2) return Fail(Code::kInvalidArgument, "too many hyphens: {}", text);
    end = start;
    if (ends.size() == 2) {
      KU_TRY(end, ReadValue(ends[1], bounds));
    }
  }
  std::int64_t step = 1;
  if (parts.size() > 2) return Fail(Code::kInvalidArgument, "too many slashes: {}", text);
  if (parts.size() == 2) {
    KU_TRY(step, ReadNumber(parts[1]));
    if (ends.size() == 1) end = bounds.most;
  }
  if (start < bounds.least) {
    return Fail(Code::kInvalidArgument, "beginning of range ({}) below minimum ({}): {}", start, bounds.least, text);
  }
  if (end > bounds.most) {
    return Fail(Code::kInvalidArgument, "end of range ({}) above maximum ({}): {}", end, bounds.most, text);
  }
  if (start > end) {
    return Fail(Code::kInvalidArgument, "beginning of range ({}) beyond end of range ({}): {}", start, end, text);
  }
  if (step == 0) return Fail(Code::kInvalidArgument, "step of range should be a positive number: {}", text);
  return {};
}

std::string CheckDescriptor(std::string_view text) {
  constexpr std::string_view kNamed[] = {"@yearly", "@annually", "@monthly", "@weekly",
                                         "@daily",  "@midnight", "@hourly"};
  constexpr std::string_view kEvery = "@every ";
  if (std::ranges::find(kNamed, text) != std::end(kNamed)) return "";
  if (!text.starts_with(kEvery)) return fmt::format("unrecognized descriptor: {}", text);
  const Result<Duration> duration = ParseDuration(text.substr(kEvery.size()));
  if (duration) return "";
  return fmt::format("failed to parse duration {}: {}", text, duration.error().message);
}

}  // namespace

std::string CheckSchedule(std::string_view text) {
  if (text.find("TZ") != std::string_view::npos) {
    return "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
  }
  if (text.starts_with('@')) return CheckDescriptor(text);
  std::vector<std::string_view> fields;
  for (const std::string_view field : Split(text, ' ')) {
    if (!Trim(field).empty()) fields.push_back(Trim(field));
  }
  if (fields.size() != kFields.size()) {
    return fmt::format("expected exactly 5 fields, found {}: [{}]", fields.size(), fmt::join(fields, " "));
  }
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    for (const std::string_view range : Split(fields[i], ',')) {
      if (range.empty()) continue;
      if (const Status checked = CheckRange(range, kFields[i]); !checked) return checked.error().message;
    }
  }
  return "";
}

}  // namespace kumiko::api
