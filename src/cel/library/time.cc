#include "cel/library/time.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <chrono>
#include <limits>
#include <optional>
#include <tl/expected.hpp>

#include "cel/library/quoted.h"
#include "cel/library/time_zone.h"
#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::int64_t kNanosPerMinute = 60 * kNanosPerSecond;
constexpr std::int64_t kNanosPerHour = 60 * kNanosPerMinute;
constexpr std::int64_t kFirstSecond = -62'135'596'800;  // 0001-01-01T00:00:00Z
constexpr std::int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z
constexpr std::int64_t kDay = 86'400;
constexpr std::uint64_t kHalfRange = std::uint64_t{1} << 63U;

__extension__ using Wide = __int128;
constexpr Wide kTwoTo64 = Wide{1} << 64U;
// Of the specification, in nanoseconds.
constexpr Wide kLongest = Wide{315'576'000'000} * kNanosPerSecond + 999'999'999;

constexpr char kBadTimestamp[] = "type conversion error from 'string' to 'google.protobuf.Timestamp'";
constexpr char kBadDuration[] = "type conversion error from 'string' to 'google.protobuf.Duration'";
constexpr char kTimestampOverflow[] = "timestamp overflow";
constexpr char kIntegerOverflow[] = "integer overflow";

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

Value TimestampInRange(Wide seconds, std::int32_t nanos, std::int32_t offset, std::uint32_t zone) {
  if (seconds < kFirstSecond || seconds > kLastSecond) return Value::Error(kTimestampOverflow);
  return Value::Timestamp(static_cast<std::int64_t>(seconds), nanos, offset, zone);
}

Wide NanosOf(const Value& duration) {
  return duration.offset * kTwoTo64 + duration.integer;
}

Value DurationInRange(Wide nanos, Dialect dialect) {
  constexpr Wide kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
  const bool wide = dialect == Dialect::kSpecification;
  if (nanos < (wide ? -kLongest : kLeast) || nanos > (wide ? kLongest : kMost)) return Value::Error(kIntegerOverflow);
  Value duration = Value::Duration(static_cast<std::int64_t>(nanos));
  duration.offset = static_cast<std::int32_t>((nanos - duration.integer) / kTwoTo64);
  return duration;
}

// ---- reading timestamps

class TimestampReader {
 public:
  explicit TimestampReader(std::string_view text) : rest_(text) {}

  // nullopt when this is no timestamp.
  std::optional<Value> Read(std::uint32_t new_zone) {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    if (!Number(year, 4) || !Eat('-') || !Number(month, 2) || !Eat('-') || !Number(day, 2) || !Eat('T')) {
      return std::nullopt;
    }
    // The reference takes hours of one digit, and a comma before the fraction.
    const bool one_digit = rest_.size() > 1 && rest_[1] == ':';
    if (!Number(hour, one_digit ? 1 : 2) || !Eat(':') || !Number(minute, 2) || !Eat(':') || !Number(second, 2)) {
      return std::nullopt;
    }
    const std::int32_t nanos = Fraction();
    const bool universal = rest_ == "Z";
    const std::optional<std::int32_t> offset = Offset();
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!offset || !rest_.empty() || !date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
    const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    const std::int64_t clock = std::int64_t{3600} * hour + std::int64_t{60} * minute + second;
    const std::uint32_t zone = universal ? 0 : *offset == 0 ? kLocalZone : HasZone(*offset) ? 0 : new_zone;
    return TimestampInRange(days * kDay + clock - *offset, nanos, *offset, zone);
  }

 private:
  static bool HasZone(std::int32_t offset) {
    constexpr std::int32_t kHour = 3600;
    return offset % kHour == 0 && offset >= -12 * kHour && offset <= 14 * kHour;
  }
  bool Eat(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool Number(int& value, std::size_t digits) {
    if (rest_.size() < digits) return false;
    value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!IsDigit(rest_[i])) return false;
      value = value * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    return true;
  }
  std::int32_t Fraction() {
    if (rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') || !IsDigit(rest_[1])) return 0;
    rest_.remove_prefix(1);
    std::int32_t nanos = 0;
    std::int32_t unit = kNanosPerSecond / 10;
    for (; !rest_.empty() && IsDigit(rest_[0]); rest_.remove_prefix(1), unit /= 10) nanos += (rest_[0] - '0') * unit;
    return nanos;
  }
  // Z, or [+-]hh:mm; the reference takes up to 24:60.
  std::optional<std::int32_t> Offset() {
    if (Eat('Z')) return 0;
    const bool west = rest_.starts_with('-');
    if (!Eat('+') && !Eat('-')) return std::nullopt;
    int hours = 0, minutes = 0;
    if (!Number(hours, 2) || !Eat(':') || !Number(minutes, 2) || hours > 24 || minutes > 60) return std::nullopt;
    const std::int32_t offset = hours * 3600 + minutes * 60;
    return west ? -offset : offset;
  }

  std::string_view rest_;
};

// ---- reading durations

struct Unit {
  std::string_view name;
  std::int64_t nanos = 0;
};
constexpr Unit kUnits[] = {{"ns", 1},         {"us", 1000},           {"\u00B5s", 1000},  // micro sign
                           {"\u03BCs", 1000},                                             // Greek mu
                           {"ms", 1'000'000}, {"s", kNanosPerSecond}, {"m", kNanosPerMinute}, {"h", kNanosPerHour}};

constexpr Wide Longest(Dialect dialect) {
  return dialect == Dialect::kSpecification ? kLongest : Wide{kHalfRange};
}

// The digits in front of `rest`; nullopt above 2^63.
std::optional<std::uint64_t> TakeInteger(std::string_view& rest) {
  std::uint64_t value = 0;
  for (; !rest.empty() && IsDigit(rest[0]); rest.remove_prefix(1)) {
    if (value > kHalfRange / 10) return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(rest[0] - '0');
    if (value > kHalfRange) return std::nullopt;
  }
  return value;
}

// The digits in front of `rest` as value / scale; digits that have no room are dropped.
std::uint64_t TakeFraction(std::string_view& rest, double& scale) {
  std::uint64_t value = 0;
  bool full = false;
  for (; !rest.empty() && IsDigit(rest[0]); rest.remove_prefix(1)) {
    if (full) continue;
    const std::uint64_t digit = static_cast<std::uint64_t>(rest[0] - '0');
    full = value > (kHalfRange - 1) / 10 || value * 10 + digit > kHalfRange;
    if (full) continue;
    value = value * 10 + digit;
    scale *= 10;
  }
  return value;
}

// One number with its unit, in nanoseconds; nullopt when it is none or above `longest`.
std::optional<Wide> TakeSpan(std::string_view& rest, Wide longest) {
  const std::size_t before = rest.size();
  const std::optional<std::uint64_t> whole = TakeInteger(rest);
  if (!whole) return std::nullopt;
  bool digits = rest.size() != before;
  std::uint64_t fraction = 0;
  double scale = 1;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const std::size_t after_dot = rest.size();
    fraction = TakeFraction(rest, scale);
    digits = digits || rest.size() != after_dot;
  }
  if (!digits) return std::nullopt;
  const std::string_view name = rest.substr(0, rest.find_first_of(".0123456789"));
  rest.remove_prefix(name.size());
  for (const Unit& unit : kUnits) {
    if (unit.name != name) continue;
    Wide span = Wide{*whole} * unit.nanos;
    if (fraction > 0) {
      // As the reference rounds: the double nearest below.
      span += static_cast<std::uint64_t>(static_cast<double>(fraction) * (static_cast<double>(unit.nanos) / scale));
    }
    return span <= longest ? std::optional(span) : std::nullopt;
  }
  return std::nullopt;
}

// ---- fields

// Message literals make timestamps of any second, so that years go far beyond those of std::chrono. As the reference
// does, days are counted from a first of March so early that none is negative.
constexpr std::int64_t kEraDays = 146'097;  // 400 years
constexpr std::int64_t kFirstYear = -292'277'022'400;
constexpr std::uint64_t kFirstDayTo1970 = 9'223'372'028'741'760'000;  // seconds
constexpr std::int64_t kMarchToJanuary = 306;                         // days

struct LocalTime {
  std::uint64_t seconds = 0;  // since the first day, as clocks there show it
  std::int32_t nanos = 0;

  static LocalTime At(const Value& timestamp, std::int64_t offset) {
    return {static_cast<std::uint64_t>(timestamp.integer) + static_cast<std::uint64_t>(offset) + kFirstDayTo1970,
            timestamp.nanos()};
  }
  std::int64_t Day() const { return static_cast<std::int64_t>(seconds / kDay); }
  std::int64_t SecondOfDay() const { return static_cast<std::int64_t>(seconds % kDay); }
};

// A day of the calendar; years begin in March here, so that the 29th of February is the last day of one.
struct MarchDate {
  std::int64_t year = 0;
  std::int64_t day_of_year = 0;
  std::int64_t month = 0;  // 0 is March

  explicit MarchDate(std::int64_t day) {
    const std::int64_t era = day / kEraDays;
    const std::int64_t day_of_era = day % kEraDays;
    const std::int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / (kEraDays - 1)) / 365;
    year = kFirstYear + era * 400 + year_of_era;
    day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    month = (5 * day_of_year + 2) / 153;
  }
  // January and February belong to the next year.
  std::int64_t CivilYear() const { return month < 10 ? year : year + 1; }
  bool IsLeap() const { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }
};

std::int64_t FullYear(const LocalTime& time) {
  return MarchDate(time.Day()).CivilYear();
}
std::int64_t Month(const LocalTime& time) {
  return (MarchDate(time.Day()).month + 2) % 12;
}
std::int64_t DayOfMonth(const LocalTime& time) {
  const MarchDate date(time.Day());
  return date.day_of_year - (153 * date.month + 2) / 5;
}
std::int64_t Date(const LocalTime& time) {
  return DayOfMonth(time) + 1;
}
std::int64_t DayOfYear(const LocalTime& time) {
  const MarchDate date(time.Day());
  if (date.month >= 10) return date.day_of_year - kMarchToJanuary;
  constexpr std::int64_t kToMarch = 59;
  return date.day_of_year + kToMarch + (date.IsLeap() ? 1 : 0);
}
std::int64_t DayOfWeek(const LocalTime& time) {
  constexpr std::int64_t kFirstWeekday = 3;  // a Wednesday
  return (time.Day() + kFirstWeekday) % 7;
}
std::int64_t Hours(const LocalTime& time) {
  return time.SecondOfDay() / 3600;
}
std::int64_t Minutes(const LocalTime& time) {
  return time.SecondOfDay() / 60 % 60;
}
std::int64_t Seconds(const LocalTime& time) {
  return time.SecondOfDay() % 60;
}
std::int64_t Milliseconds(const LocalTime& time) {
  return time.nanos / 1'000'000;
}

// A decimal number with an optional sign, and the messages that the reference has for others.
tl::expected<std::int64_t, std::string> ParseNumber(std::string_view text) {
  const auto fail = [text](std::string_view why) {
    return tl::unexpected(fmt::format("strconv.Atoi: parsing {}: {}", Quoted(text), why));
  };
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative || text.starts_with('+') ? 1 : 0);
  if (digits.empty()) return fail("invalid syntax");
  const std::uint64_t largest = kHalfRange - (negative ? 0 : 1);
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (!IsDigit(c)) return fail("invalid syntax");
    const std::uint64_t digit = static_cast<std::uint64_t>(c - '0');
    if (value > (largest - digit) / 10) return fail("value out of range");
    value = value * 10 + digit;
  }
  return static_cast<std::int64_t>(negative ? std::uint64_t{0} - value : value);
}

// How many units a duration has, through a double as the reference counts.
std::int64_t Total(Wide nanos, std::int64_t unit) {
  const Wide whole = nanos / unit;
  return static_cast<std::int64_t>(static_cast<double>(whole) +
                                   static_cast<double>(nanos % unit) / static_cast<double>(unit));
}

// "[+-]hh:mm", with `colon` its place. Any numbers are taken; the reference lets sums of them wrap around.
tl::expected<std::int64_t, std::string> FixedOffset(std::string_view zone, std::size_t colon) {
  const auto hours = ParseNumber(zone.substr(0, colon));
  if (!hours) return tl::unexpected(hours.error());
  const auto minutes = ParseNumber(zone.substr(colon + 1));
  if (!minutes) return tl::unexpected(minutes.error());
  const std::uint64_t whole = static_cast<std::uint64_t>(*hours) * 60;
  const std::uint64_t part = static_cast<std::uint64_t>(*minutes);
  const std::uint64_t total = zone.starts_with('-') ? whole - part : whole + part;
  return Total(static_cast<std::int64_t>(total * static_cast<std::uint64_t>(kNanosPerMinute)), kNanosPerSecond);
}

template <std::int64_t (*Field)(const LocalTime&)>
Value TimestampField(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kTimestamp) return NoSuchOverload();
  if (args.size() == 1) return Value::Int(Field(LocalTime::At(args[0], 0)));
  if (args[1].kind != ValueKind::kString) return NoSuchOverload();
  const std::string_view zone = args[1].view();
  const std::size_t colon = zone.find(':');
  const auto offset = colon == std::string_view::npos ? ZoneOffset(zone, args[0].integer) : FixedOffset(zone, colon);
  if (!offset) {
    // A file was looked for.
    constexpr std::int64_t kUnknownZoneSteps = 1'000;
    run.budget -= kUnknownZoneSteps;
    return run.arena.Error(offset.error());
  }
  return Value::Int(Field(LocalTime::At(args[0], *offset)));
}

template <std::int64_t (*Field)(const LocalTime&), std::int64_t unit>
Value TimeField(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kDuration) return TimestampField<Field>(run, args);
  if (args.size() != 1) return NoSuchOverload();
  const Wide nanos = NanosOf(args[0]);
  return Value::Int(unit == 1'000'000 ? static_cast<std::int64_t>(nanos / unit) : Total(nanos, unit));
}

constexpr const Type* kTimestamp = &kTimestampType;
constexpr const Type* kDuration = &kDurationType;
constexpr const Type* kString = &kStringType;
constexpr const Type* kInt = &kIntType;

constexpr Overload OfTimestamp(std::string_view name, NativeFunction call) {
  return Member(name, call, CostRule::kUnit, kInt, 1, kTimestamp);
}
constexpr Overload InZone(std::string_view name, NativeFunction call) {
  return Member(name, call, CostRule::kUnit, kInt, 2, kTimestamp, kString);
}
constexpr Overload OfDuration(std::string_view name, NativeFunction call) {
  return Member(name, call, CostRule::kUnit, kInt, 1, kDuration);
}

constexpr NativeFunction kHours = TimeField<Hours, kNanosPerHour>;
constexpr NativeFunction kMinutes = TimeField<Minutes, kNanosPerMinute>;
constexpr NativeFunction kSeconds = TimeField<Seconds, kNanosPerSecond>;
constexpr NativeFunction kMilliseconds = TimeField<Milliseconds, 1'000'000>;

constexpr Overload kOverloads[] = {
    OfTimestamp("getFullYear", TimestampField<FullYear>),
    InZone("getFullYear", TimestampField<FullYear>),
    OfTimestamp("getMonth", TimestampField<Month>),
    InZone("getMonth", TimestampField<Month>),
    OfTimestamp("getDayOfYear", TimestampField<DayOfYear>),
    InZone("getDayOfYear", TimestampField<DayOfYear>),
    OfTimestamp("getDayOfMonth", TimestampField<DayOfMonth>),
    InZone("getDayOfMonth", TimestampField<DayOfMonth>),
    OfTimestamp("getDate", TimestampField<Date>),
    InZone("getDate", TimestampField<Date>),
    OfTimestamp("getDayOfWeek", TimestampField<DayOfWeek>),
    InZone("getDayOfWeek", TimestampField<DayOfWeek>),
    OfTimestamp("getHours", kHours),
    InZone("getHours", kHours),
    OfDuration("getHours", kHours),
    OfTimestamp("getMinutes", kMinutes),
    InZone("getMinutes", kMinutes),
    OfDuration("getMinutes", kMinutes),
    OfTimestamp("getSeconds", kSeconds),
    InZone("getSeconds", kSeconds),
    OfDuration("getSeconds", kSeconds),
    OfTimestamp("getMilliseconds", kMilliseconds),
    InZone("getMilliseconds", kMilliseconds),
    OfDuration("getMilliseconds", kMilliseconds),
};

Value MillisecondsWithin(RunContext&, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kDuration) return NoSuchOverload();
  return Value::Int(PartsOf(args[0]).nanos / 1'000'000);
}
constexpr auto kSpecification = [] {
  auto all = std::to_array(kOverloads);
  for (Overload& overload : all) {
    if (overload.call == kMilliseconds && overload.args[0] == kDuration) overload.call = MillisecondsWithin;
  }
  return all;
}();

// A timestamp plus a duration.
Value Moved(const Value& timestamp, Wide nanos) {
  Wide seconds = timestamp.integer + nanos / kNanosPerSecond;
  Wide part = timestamp.nanos() + nanos % kNanosPerSecond;
  if (part < 0) {
    part += kNanosPerSecond;
    --seconds;
  } else if (part >= kNanosPerSecond) {
    part -= kNanosPerSecond;
    ++seconds;
  }
  return TimestampInRange(seconds, static_cast<std::int32_t>(part), timestamp.offset, timestamp.zone());
}

}  // namespace

std::span<const Overload> TimeOverloads(Dialect dialect) {
  if (dialect == Dialect::kSpecification) return kSpecification;
  return kOverloads;
}

Value TimestampFromText(std::string_view text, std::uint32_t new_zone) {
  return TimestampReader(text).Read(new_zone).value_or(Value::Error(kBadTimestamp));
}

Value TimestampFromSeconds(std::int64_t seconds) {
  return TimestampInRange(seconds, 0, 0, 0);
}

std::string TimestampText(const Value& timestamp) {
  const LocalTime local = LocalTime::At(timestamp, timestamp.offset);
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", FullYear(local), Month(local) + 1, Date(local),
                                 Hours(local), Minutes(local), Seconds(local));
  if (local.nanos != 0) {
    text += fmt::format(".{:09}", local.nanos);
    text.erase(text.find_last_not_of('0') + 1);
  }
  if (timestamp.offset == 0) return text + 'Z';
  const std::int32_t minutes = (timestamp.offset < 0 ? -timestamp.offset : timestamp.offset) / 60;
  return text + fmt::format("{}{:02}:{:02}", timestamp.offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

Value DurationFromText(std::string_view text, Dialect dialect) {
  const Value bad = Value::Error(kBadDuration);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return Value::Duration(0);
  if (text.empty()) return bad;
  Wide total = 0;
  while (!text.empty()) {
    const std::optional<Wide> span = TakeSpan(text, Longest(dialect) - total);
    if (!span) return bad;
    total += *span;
  }
  const Value duration = DurationInRange(negative ? -total : total, dialect);
  return duration.IsError() ? bad : duration;
}

Value DurationFromParts(std::int64_t seconds, std::int64_t nanos, Dialect dialect) {
  const Value duration = DurationInRange(Wide{seconds} * kNanosPerSecond + nanos, dialect);
  if (!duration.IsError() || dialect == Dialect::kSpecification) return duration;
  return Value::Duration(seconds < 0 ? std::numeric_limits<std::int64_t>::min()
                                     : std::numeric_limits<std::int64_t>::max());
}

DurationParts PartsOf(const Value& duration) {
  const Wide nanos = NanosOf(duration);
  return {static_cast<std::int64_t>(nanos / kNanosPerSecond), static_cast<std::int64_t>(nanos % kNanosPerSecond)};
}

std::string DurationText(const Value& duration) {
  const auto [whole, nanos] = PartsOf(duration);
  if (duration.offset != 0) {
    // More digits than a double has.
    std::string text = fmt::format("{}.{:09}", whole, nanos < 0 ? -nanos : nanos);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text + 's';
  }
  const double seconds = static_cast<double>(whole) + static_cast<double>(nanos) / 1e9;
  std::array<char, 64> buffer = {};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), seconds, std::chars_format::fixed);
  return std::string(buffer.data(), end.ptr) + 's';
}

Value AddTimes(const Value& a, const Value& b, Dialect dialect) {
  if (a.kind == ValueKind::kTimestamp && b.kind == ValueKind::kDuration) return Moved(a, NanosOf(b));
  if (a.kind != ValueKind::kDuration) return NoSuchOverload();
  if (b.kind == ValueKind::kTimestamp) return Moved(b, NanosOf(a));
  if (b.kind != ValueKind::kDuration) return NoSuchOverload();
  return DurationInRange(NanosOf(a) + NanosOf(b), dialect);
}

Value SubtractTimes(const Value& a, const Value& b, Dialect dialect) {
  if (a.kind == ValueKind::kDuration && b.kind == ValueKind::kDuration) {
    return DurationInRange(NanosOf(a) - NanosOf(b), dialect);
  }
  if (a.kind != ValueKind::kTimestamp) return NoSuchOverload();
  if (b.kind == ValueKind::kDuration) {
    const Value opposite = NegateDuration(b, dialect);
    return opposite.IsError() ? opposite : Moved(a, NanosOf(opposite));
  }
  if (b.kind != ValueKind::kTimestamp) return NoSuchOverload();
  const Wide whole = (Wide{a.integer} - b.integer) * kNanosPerSecond;
  // The reference does not let the fraction take back what the seconds are too many.
  const Value seconds = DurationInRange(whole, dialect);
  return seconds.IsError() ? seconds : DurationInRange(whole + a.nanos() - b.nanos(), dialect);
}

Value NegateDuration(const Value& duration, Dialect dialect) {
  if (duration.kind != ValueKind::kDuration) return NoSuchOverload();
  return DurationInRange(-NanosOf(duration), dialect);
}

}  // namespace kumiko::cel
