// What one run of a program shares.
#pragma once

#include <cstdint>
#include <span>

#include "cel/value.h"

namespace kumiko::cel {

struct CompiledPattern;  // library/regex.cc
struct DeviceView;

struct RunContext {
  Arena& arena;
  const DeviceView* device = nullptr;     // what `device` is, in environments that have it
  std::span<const Value> variables = {};  // the other variables, in the order of the environment
  std::int64_t cost = 0;                  // units spent
  std::int64_t cost_limit = 1'000'000;
  // Steps that functions may still take: a bound on time and memory that cost units, which follow the reference, do not
  // give. One is worth about 2.5 ns. Below zero the run ends as if its cost were exceeded.
  std::int64_t budget = 5'000'000;
  const CompiledPattern* last_pattern = nullptr;  // of those that only the run knows
  // The last number given to what is told apart by where it came from: reads of the device, zones of timestamps.
  std::uint32_t identities = kLocalZone;
};

// Takes steps; false when there are none left, and what the function returns then means nothing.
inline bool Take(RunContext& run, std::int64_t steps) {
  run.budget -= steps;
  return run.budget >= 0;
}
// For values that a function makes, beside what it takes to find them: memory that is touched for the first time.
inline constexpr std::int64_t kStepsPerNewValue = 2;
// For text or bytes that a function reads or makes.
inline std::int64_t StepsForBytes(std::size_t size) {
  return static_cast<std::int64_t>(size / 8) + 1;
}

// The usual errors.
Value NoSuchOverload();
// The same words as a final answer: the overload was the right one, something inside the arguments was not.
Value WrongInside();
bool IsNoSuchOverload(const Value& value);
Value NoSuchKey(RunContext& run, const Value& key);

// Text for messages: 7, "x" without quotes, 1.5.
std::string Describe(const Value& value);
// string(double): the shortest form that reads back, with an exponent below 1e-4 and from 1e6: 100000, 1e+06.
std::string FormatDouble(double value);

}  // namespace kumiko::cel
