#include "cel/library/time_zone.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/guarded.h"

namespace kumiko::cel {
namespace {

constexpr std::string_view kDirectory = "/usr/share/zoneinfo/";
constexpr std::size_t kMaxFileBytes = 1U << 20;
constexpr std::size_t kMaxZonesKept = 2000;
constexpr std::int64_t kDay = 86'400;
constexpr char kMalformed[] = "malformed time zone information";

// ---- POSIX TZ text, which says how clocks go on after the last transition: "CET-1CEST,M3.5.0,M10.5.0/3"

struct Rule {
  enum class Kind { kJulian, kDayOfYear, kMonthWeekDay };
  Kind kind = Kind::kMonthWeekDay;
  int day = 0;
  int week = 0;
  int month = 0;
  std::int64_t time = 2 * 3600;  // of the day, local
};

struct YearlyRules {
  std::int64_t standard = 0;  // seconds east of UTC
  std::int64_t daylight = 0;
  bool changes = false;  // without, `standard` holds all year
  Rule start;
  Rule end;
};

class RulesReader {
 public:
  explicit RulesReader(std::string_view text) : rest_(text) {}

  std::optional<YearlyRules> Read() {
    YearlyRules rules;
    // Text counts west of UTC.
    if (!Name() || !Clock(rules.standard)) return std::nullopt;
    rules.standard = -rules.standard;
    if (rest_.empty() || rest_.front() == ',') return rules;
    rules.changes = true;
    if (!Name()) return std::nullopt;
    rules.daylight = rules.standard + 3600;
    if (!rest_.empty() && rest_.front() != ',') {
      if (!Clock(rules.daylight)) return std::nullopt;
      rules.daylight = -rules.daylight;
    }
    if (rest_.empty()) rest_ = ",M3.2.0,M11.1.0";
    if (!Eat(',') || !ReadRule(rules.start) || !Eat(',') || !ReadRule(rules.end) || !rest_.empty()) {
      return std::nullopt;
    }
    return rules;
  }

 private:
  bool Eat(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool Name() {
    const bool quoted = rest_.starts_with('<');
    const std::size_t end = quoted ? rest_.find('>') : std::min(rest_.find_first_of("0123456789,-+"), rest_.size());
    if (end == std::string_view::npos || (!quoted && end < 3)) return false;
    rest_.remove_prefix(quoted ? end + 1 : end);
    return true;
  }
  bool Number(int& value, int least, int most) {
    std::size_t digits = 0;
    value = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
      value = value * 10 + (rest_[digits] - '0');
      if (value > most) return false;
    }
    rest_.remove_prefix(digits);
    return digits > 0 && value >= least;
  }
  // [+-]hh[:mm[:ss]]
  bool Clock(std::int64_t& seconds) {
    const bool negative = rest_.starts_with('-');
    if (negative || rest_.starts_with('+')) rest_.remove_prefix(1);
    int number = 0;
    if (!Number(number, 0, 24 * 7)) return false;
    seconds = number * std::int64_t{3600};
    for (const int unit : {60, 1}) {
      if (!Eat(':')) break;
      if (!Number(number, 0, 59)) return false;
      seconds += static_cast<std::int64_t>(number) * unit;
    }
    if (negative) seconds = -seconds;
    return true;
  }
  bool ReadRule(Rule& rule) {
    if (Eat('J')) {
      rule.kind = Rule::Kind::kJulian;
      if (!Number(rule.day, 1, 365)) return false;
    } else if (Eat('M')) {
      if (!Number(rule.month, 1, 12) || !Eat('.') || !Number(rule.week, 1, 5) || !Eat('.') || !Number(rule.day, 0, 6)) {
        return false;
      }
    } else {
      rule.kind = Rule::Kind::kDayOfYear;
      if (!Number(rule.day, 0, 365)) return false;
    }
    return !Eat('/') || Clock(rule.time);
  }

  std::string_view rest_;
};

// Local seconds since the beginning of the year at which `rule` strikes.
std::int64_t SecondOfYear(const Rule& rule, std::chrono::year year) {
  const std::chrono::sys_days first{year / 1 / 1};
  std::int64_t days = 0;
  if (rule.kind == Rule::Kind::kJulian) {
    days = rule.day - 1 + (year.is_leap() && rule.day >= 60 ? 1 : 0);
  } else if (rule.kind == Rule::Kind::kDayOfYear) {
    days = rule.day;
  } else {
    const std::chrono::year_month month = year / rule.month;
    const std::chrono::weekday weekday(static_cast<unsigned>(rule.day));
    const std::chrono::sys_days day = rule.week == 5
                                          ? std::chrono::sys_days{month / weekday[std::chrono::last]}
                                          : std::chrono::sys_days{month / weekday[static_cast<unsigned>(rule.week)]};
    days = (day - first).count();
  }
  return days * kDay + rule.time;
}

std::int64_t OffsetByRules(const YearlyRules& rules, std::int64_t seconds) {
  if (!rules.changes) return rules.standard;
  // The calendar repeats after 400 years, and std::chrono has no room for all of them.
  constexpr std::int64_t kCycle = 146'097 * kDay;
  seconds %= kCycle;
  const std::chrono::sys_days day(std::chrono::floor<std::chrono::days>(std::chrono::seconds(seconds)));
  const std::chrono::year year = std::chrono::year_month_day(day).year();
  const std::int64_t now =
      seconds -
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::sys_days{year / 1 / 1}.time_since_epoch()).count();
  const std::int64_t start = SecondOfYear(rules.start, year) - rules.standard;
  const std::int64_t end = SecondOfYear(rules.end, year) - rules.daylight;
  // South of the equator the year begins and ends in summer.
  const bool daylight = start <= end ? now >= start && now < end : now < end || now >= start;
  return daylight ? rules.daylight : rules.standard;
}

// ---- TZif files

class BytesReader {
 public:
  explicit BytesReader(std::string_view bytes) : rest_(bytes) {}

  std::string_view Take(std::uint64_t count) {
    if (count > rest_.size()) {
      failed_ = true;
      count = rest_.size();
    }
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  // Big-endian, with the sign of the width.
  std::int64_t Number(std::size_t width) {
    const std::string_view bytes = Take(width);
    if (failed_) return 0;
    std::uint64_t value = (static_cast<unsigned char>(bytes.front()) & 0x80U) != 0 ? ~std::uint64_t{0} : 0;
    for (const char byte : bytes) value = (value << 8U) | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(value);
  }
  bool failed() const { return failed_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

struct LocalTimeType {
  std::int64_t offset = 0;
  bool daylight = false;
};

struct TimeZone {
  std::vector<std::int64_t> transitions;  // sorted
  std::vector<std::uint8_t> used;         // parallel: index into types
  std::vector<LocalTimeType> types;       // not empty
  std::optional<YearlyRules> rules;
};

struct Counts {
  std::uint64_t ut = 0, standard = 0, leaps = 0, transitions = 0, types = 0, characters = 0;
};

// Returns the version; 0 when this is no header.
int ReadHeader(BytesReader& reader, Counts& counts) {
  if (reader.Take(4) != "TZif") return 0;
  const std::string_view version = reader.Take(16);
  for (std::uint64_t* count :
       {&counts.ut, &counts.standard, &counts.leaps, &counts.transitions, &counts.types, &counts.characters}) {
    *count = static_cast<std::uint64_t>(reader.Number(4)) & 0xFFFFFFFFU;
  }
  if (reader.failed()) return 0;
  return version[0] == '\0' ? 1 : version[0] - '0';
}

std::optional<TimeZone> ParseTimeZone(std::string_view content) {
  BytesReader reader(content);
  Counts counts;
  const int version = ReadHeader(reader, counts);
  if (version < 1) return std::nullopt;
  std::size_t width = 4;
  if (version > 1) {
    // The first block has the years that fit 32 bits; a second one has them all.
    reader.Take(counts.transitions * 5 + counts.types * 6 + counts.characters + counts.leaps * 8 + counts.standard +
                counts.ut);
    width = 8;
    if (ReadHeader(reader, counts) < 2) return std::nullopt;
  }
  BytesReader times(reader.Take(counts.transitions * width));
  BytesReader used(reader.Take(counts.transitions));
  BytesReader types(reader.Take(counts.types * 6));
  reader.Take(counts.characters + counts.leaps * (width + 4) + counts.standard + counts.ut);
  if (reader.failed() || counts.types == 0) return std::nullopt;

  TimeZone zone;
  for (std::uint64_t i = 0; i < counts.types; ++i) {
    const std::int64_t offset = types.Number(4);
    const std::string_view flags = types.Take(2);
    zone.types.push_back({offset, flags[0] != '\0'});
  }
  for (std::uint64_t i = 0; i < counts.transitions; ++i) {
    zone.transitions.push_back(times.Number(width));
    zone.used.push_back(static_cast<std::uint8_t>(used.Take(1)[0]));
    if (zone.used.back() >= zone.types.size()) return std::nullopt;
  }
  const std::string_view footer = reader.rest();
  if (version > 1 && footer.size() > 2 && footer.front() == '\n' && footer.back() == '\n') {
    zone.rules = RulesReader(footer.substr(1, footer.size() - 2)).Read();
  }
  return zone;
}

// What clocks showed before the first transition.
const LocalTimeType& FirstType(const TimeZone& zone) {
  if (std::find(zone.used.begin(), zone.used.end(), 0) == zone.used.end()) return zone.types.front();
  if (zone.types[zone.used.front()].daylight) {
    for (std::size_t i = zone.used.front(); i > 0; --i) {
      if (!zone.types[i - 1].daylight) return zone.types[i - 1];
    }
  }
  const auto standard =
      std::find_if(zone.types.begin(), zone.types.end(), [](const LocalTimeType& type) { return !type.daylight; });
  return standard == zone.types.end() ? zone.types.front() : *standard;
}

std::int64_t OffsetAt(const TimeZone& zone, std::int64_t seconds) {
  const auto next = std::upper_bound(zone.transitions.begin(), zone.transitions.end(), seconds);
  if (next == zone.transitions.end() && zone.rules) return OffsetByRules(*zone.rules, seconds);
  if (zone.transitions.empty()) return zone.types.front().offset;
  if (next == zone.transitions.begin()) return FirstType(zone).offset;
  return zone.types[zone.used[static_cast<std::size_t>(next - zone.transitions.begin()) - 1]].offset;
}

// ---- files

// As Go spells it: "is a directory".
std::string SystemError(int error) {
  std::string text = std::generic_category().message(error);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

tl::expected<std::string, std::string> ReadZoneFile(std::string_view name) {
  const std::string path = std::string(kDirectory) + std::string(name);
  const auto fail = [&](int error) {
    return tl::unexpected(error == ENOENT ? "unknown time zone " + std::string(name) : SystemError(error));
  };
  if (path.find('\0') != std::string::npos) return fail(EINVAL);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return fail(errno);
  std::string content;
  char block[4096];
  ssize_t count = 0;
  while ((count = read(file, block, sizeof block)) > 0 && content.size() <= kMaxFileBytes) {
    content.append(block, static_cast<std::size_t>(count));
  }
  const int error = count < 0 ? errno : 0;
  close(file);
  if (error != 0) return fail(error);
  return content;
}

using Zones = std::map<std::string, std::shared_ptr<const TimeZone>, std::less<>>;

Guarded<Zones>& KnownZones() {
  static Guarded<Zones> zones;
  return zones;
}

tl::expected<std::shared_ptr<const TimeZone>, std::string> FindTimeZone(std::string_view name) {
  std::shared_ptr<const TimeZone> known = KnownZones().With([&](const Zones& zones) {
    const auto found = zones.find(name);
    return found == zones.end() ? nullptr : found->second;
  });
  if (known != nullptr) return known;
  const tl::expected<std::string, std::string> content = ReadZoneFile(name);
  if (!content) return tl::unexpected(content.error());
  std::optional<TimeZone> zone = ParseTimeZone(*content);
  if (!zone) return tl::unexpected(std::string(kMalformed));
  known = std::make_shared<const TimeZone>(*std::move(zone));
  KnownZones().With([&](Zones& zones) {
    if (zones.size() < kMaxZonesKept) zones.emplace(name, known);
  });
  return known;
}

bool HasDotDot(std::string_view name) {
  return name.find("..") != std::string_view::npos;
}

}  // namespace

tl::expected<std::int64_t, std::string> ZoneOffset(std::string_view name, std::int64_t seconds) {
  if (name.empty() || name == "UTC" || name == "Local") return 0;
  if (HasDotDot(name) || name.front() == '/' || name.front() == '\\') {
    return tl::unexpected(std::string("time: invalid location name"));
  }
  const auto zone = FindTimeZone(name);
  if (!zone) return tl::unexpected(zone.error());
  return OffsetAt(**zone, seconds);
}

tl::expected<std::int64_t, std::string> ZoneOffsetFromFile(std::string_view content, std::int64_t seconds) {
  const std::optional<TimeZone> zone = ParseTimeZone(content);
  if (!zone) return tl::unexpected(std::string(kMalformed));
  return OffsetAt(*zone, seconds);
}

}  // namespace kumiko::cel
