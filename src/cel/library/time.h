// Timestamps and durations: their text, their sums and their fields.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cel/overload.h"

namespace kumiko::cel {

// getFullYear, getMonth, ... getMilliseconds, with and without a time zone.
// The milliseconds of a duration: all of them, in the specification those within the second.
std::span<const Overload> TimeOverloads(Dialect dialect = Dialect::kKubernetes);

// RFC 3339. An error value when the text is something else ("type conversion error from 'string' to
// 'google.protobuf.Timestamp'") or lies outside the years 1 to 9999 ("timestamp overflow"). Digits beyond the
// nanosecond are cut off; the offset is remembered, and with it zone(): 0, but kLocalZone for +00:00 and `new_zone` for
// an offset that is none of whole hours from -12 to 14. The reference has one object for each of those; others it makes
// anew for every text, and timestamps with different ones are different keys of maps.
Value TimestampFromText(std::string_view text, std::uint32_t new_zone = kLocalZone + 1);
// Seconds since 1970; "timestamp overflow" outside the years 1 to 9999.
Value TimestampFromSeconds(std::int64_t seconds);
// In the offset in which it was written, without trailing zeros: "2026-01-01T02:00:00.5+02:00".
std::string TimestampText(const Value& timestamp);

// How long a duration may be depends on the dialect: 64 bits of nanoseconds in Kubernetes, some 10,000 years in the
// specification (315,576,000,000.999999999 s).

// Go's form: "1h30m", "-1.5s", "250ms", "10us", "0". An error value for other text and for what is too long.
Value DurationFromText(std::string_view text, Dialect dialect = Dialect::kKubernetes);
// In Kubernetes the nearest duration there is; in the specification an error value when it is too long.
Value DurationFromParts(std::int64_t seconds, std::int64_t nanos, Dialect dialect = Dialect::kKubernetes);
struct DurationParts {
  std::int64_t seconds = 0;
  std::int64_t nanos = 0;  // of the same sign
};
DurationParts PartsOf(const Value& duration);
// In seconds: "5400s", "-1.5s", "0.00025s".
std::string DurationText(const Value& duration);

// duration + duration, timestamp + duration, duration + timestamp. Errors: "integer overflow", "timestamp overflow",
// "no such overload" for other kinds.
Value AddTimes(const Value& a, const Value& b, Dialect dialect = Dialect::kKubernetes);
// duration - duration, timestamp - duration, timestamp - timestamp. Errors as for AddTimes.
Value SubtractTimes(const Value& a, const Value& b, Dialect dialect = Dialect::kKubernetes);
// "integer overflow" for the one duration that has no opposite.
Value NegateDuration(const Value& duration, Dialect dialect = Dialect::kKubernetes);

}  // namespace kumiko::cel
