// Points in time and their text: RFC 3339 in UTC, and the short ages that kubectl prints.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kumiko {

using Duration = std::chrono::microseconds;

struct Time {
  std::int64_t micros = 0;  // since 1970-01-01T00:00:00Z, without leap seconds

  auto operator<=>(const Time&) const = default;
  Time& operator+=(Duration duration) {
    micros += duration.count();
    return *this;
  }
  friend Time operator+(Time time, Duration duration) { return time += duration; }
  friend Time operator-(Time time, Duration duration) { return {time.micros - duration.count()}; }
  friend Duration operator-(Time later, Time earlier) { return Duration(later.micros - earlier.micros); }
};

// "2026-05-01T12:00:00Z", "...00.5+02:00". Years 0000 to 9999; digits beyond the microsecond are cut off.
Result<Time> ParseRfc3339(std::string_view text);
// Kubernetes' Time: whole seconds, the fraction is cut off. "2026-05-01T12:00:00Z"
std::string FormatRfc3339(Time time);
// Kubernetes' MicroTime: always six digits. "2026-05-01T12:00:00.000000Z"
std::string FormatRfc3339Micros(Time time);

// Ages as kubectl prints them: 90s, 5m12s, 3h, 4d, 2y30d. Below zero by more than a second: <invalid>.
std::string FormatAge(Duration age);
// Go's duration text, as in Kubernetes configuration: "1h30m", "1.5s", "250ms", "-5s", "0".
Result<Duration> ParseDuration(std::string_view text);
// The inverse, as Go writes it: "1h30m0s", "1.5s", "250ms", "0s".
std::string FormatDuration(Duration duration);

}  // namespace kumiko
