#include "base/time.h"

#include <limits>

#include "base/term.h"

namespace kumiko {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;

std::int64_t FloorDivide(std::int64_t value, std::int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

// Reads exactly `count` digits at `at` and moves behind them; -1 when they are not digits.
int ReadDigits(std::string_view text, std::size_t& at, std::size_t count) {
  if (at + count > text.size()) return -1;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const char c = text[at++];
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

bool Eat(std::string_view text, std::size_t& at, std::string_view any_of) {
  if (at >= text.size() || any_of.find(text[at]) == std::string_view::npos) return false;
  ++at;
  return true;
}

struct CivilTime {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  std::int64_t micros_of_day = 0;
};

CivilTime ToCivil(Time time) {
  const std::int64_t days = FloorDivide(time.micros, 24 * kHour);
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  return {static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
          time.micros - days * 24 * kHour};
}

std::string FormatSeconds(const CivilTime& civil) {
  const std::int64_t seconds = civil.micros_of_day / kSecond;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", civil.year, civil.month, civil.day, seconds / 3600,
                     seconds / 60 % 60, seconds % 60);
}

}  // namespace

Result<Time> ParseRfc3339(std::string_view text) {
  const auto bad = [&] {
    return Fail(Code::kInvalidArgument, "time \"{}\" is not valid: write it as 2026-05-01T12:00:00Z",
                EscapeControls(text.substr(0, 64)));
  };
  std::size_t at = 0;
  const int year = ReadDigits(text, at, 4);
  if (year < 0 || !Eat(text, at, "-")) return bad();
  const int month = ReadDigits(text, at, 2);
  if (month < 1 || !Eat(text, at, "-")) return bad();
  const int day = ReadDigits(text, at, 2);
  if (day < 1 || !Eat(text, at, "Tt")) return bad();
  const int hour = ReadDigits(text, at, 2);
  if (hour < 0 || hour > 23 || !Eat(text, at, ":")) return bad();
  const int minute = ReadDigits(text, at, 2);
  if (minute < 0 || minute > 59 || !Eat(text, at, ":")) return bad();
  const int second = ReadDigits(text, at, 2);
  if (second < 0 || second > 59) return bad();
  std::int64_t fraction = 0;
  if (Eat(text, at, ".")) {
    const std::size_t first = at;
    std::int64_t unit = kSecond;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
      unit /= 10;
      fraction += (text[at++] - '0') * unit;
    }
    if (at == first) return bad();
  }
  std::int64_t offset = 0;
  if (!Eat(text, at, "Zz")) {
    const bool west = at < text.size() && text[at] == '-';
    if (!Eat(text, at, "+-")) return bad();
    const int offset_hours = ReadDigits(text, at, 2);
    if (offset_hours < 0 || offset_hours > 23 || !Eat(text, at, ":")) return bad();
    const int offset_minutes = ReadDigits(text, at, 2);
    if (offset_minutes < 0 || offset_minutes > 59) return bad();
    offset = (offset_hours * kHour + offset_minutes * kMinute) * (west ? -1 : 1);
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (at != text.size() || !date.ok()) return bad();
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return Time{days * 24 * kHour + hour * kHour + minute * kMinute + second * kSecond + fraction - offset};
}

std::string FormatRfc3339(Time time) {
  return FormatSeconds(ToCivil(time)) + "Z";
}

std::string FormatRfc3339Micros(Time time) {
  const CivilTime civil = ToCivil(time);
  return fmt::format("{}.{:06}Z", FormatSeconds(civil), civil.micros_of_day % kSecond);
}

std::string FormatAge(Duration age) {
  // kubectl lets clocks differ by a second before it calls an age invalid.
  const std::int64_t seconds = age.count() / kSecond;
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * 60) return fmt::format("{}s", seconds);
  const auto pair = [](std::int64_t large, char large_unit, std::int64_t small, char small_unit) {
    return small == 0 ? fmt::format("{}{}", large, large_unit)
                      : fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
  };
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 3 * 60) return fmt::format("{}m", minutes);
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  if (hours < 8 * 24) return pair(hours / 24, 'd', hours % 24, 'h');
  if (hours < 2 * 365 * 24) return fmt::format("{}d", hours / 24);
  if (hours < 8 * 365 * 24) return pair(hours / (365 * 24), 'y', hours / 24 % 365, 'd');
  return fmt::format("{}y", hours / (365 * 24));
}

namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanos;
};
// Longer names first where one begins with another.
constexpr Unit kUnits[] = {{"ns", 1},
                           {"us", 1'000},
                           {"µs", 1'000},
                           {"ms", 1'000'000},
                           {"s", 1'000'000'000},
                           {"m", 60'000'000'000},
                           {"h", 3'600'000'000'000}};

}  // namespace

Result<Duration> ParseDuration(std::string_view text) {
  const auto bad = [&] {
    return Fail(Code::kInvalidArgument, "duration \"{}\" is not valid: write it as 30s, 1h30m or 250ms",
                EscapeControls(text.substr(0, 64)));
  };
  std::string_view rest = text;
  bool negative = false;
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) {
    negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  if (rest == "0") return Duration(0);
  if (rest.empty()) return bad();
  std::int64_t nanos = 0;
  while (!rest.empty()) {
    std::int64_t number = 0;
    std::int64_t divisor = 1;
    bool point = false;
    std::size_t at = 0;
    std::size_t digits = 0;
    for (; at < rest.size(); ++at) {
      const char c = rest[at];
      if (c == '.' && !point) {
        point = true;
      } else if (c >= '0' && c <= '9') {
        ++digits;
        // Digits that far behind the point are below a nanosecond.
        if (point && divisor >= 1'000'000'000'000) continue;
        if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, c - '0', &number))
          return bad();
        if (point) divisor *= 10;
      } else {
        break;
      }
    }
    if (digits == 0) return bad();
    rest.remove_prefix(at);
    const Unit* unit = nullptr;
    for (const Unit& candidate : kUnits) {
      const bool longer = unit != nullptr && unit->name.size() > candidate.name.size();
      if (rest.starts_with(candidate.name) && !longer) unit = &candidate;
    }
    if (unit == nullptr) return bad();
    rest.remove_prefix(unit->name.size());
    __extension__ using Int128 = __int128;
    const Int128 sum = nanos + static_cast<Int128>(number) * unit->nanos / divisor;
    if (sum > std::numeric_limits<std::int64_t>::max()) return bad();
    nanos = static_cast<std::int64_t>(sum);
  }
  return Duration((negative ? -nanos : nanos) / 1000);
}

std::string FormatDuration(Duration duration) {
  const std::int64_t micros = duration.count();
  if (micros == 0) return "0s";
  const std::string sign = micros < 0 ? "-" : "";
  const std::uint64_t size = micros < 0 ? 0 - static_cast<std::uint64_t>(micros) : static_cast<std::uint64_t>(micros);
  const auto decimal = [](std::uint64_t value, std::uint64_t unit) {
    std::string text = std::to_string(value / unit);
    if (value % unit == 0) return text;
    std::string fraction = std::to_string(unit + value % unit).substr(1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    return text + "." + fraction;
  };
  if (size < 1'000) return fmt::format("{}{}µs", sign, size);
  if (size < kSecond) return fmt::format("{}{}ms", sign, decimal(size, 1'000));
  const std::uint64_t minutes = size / kMinute;
  std::string text = decimal(size % kMinute, kSecond) + "s";
  if (minutes > 0) text = fmt::format("{}m{}", minutes % 60, text);
  if (minutes >= 60) text = fmt::format("{}h{}", minutes / 60, text);
  return sign + text;
}

}  // namespace kumiko
