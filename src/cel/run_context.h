// What one run of a program shares.
#pragma once

#include <cstdint>
#include <span>

#include "cel/value.h"

namespace kumiko::cel {

struct DeviceView;

struct RunContext {
  Arena& arena;
  const DeviceView* device = nullptr;     // what `device` is, in environments that have it
  std::span<const Value> variables = {};  // the other variables, in the order of the environment
  std::int64_t cost = 0;                  // units spent
  std::int64_t cost_limit = 1'000'000;
  // Steps that functions may still take inside one call (comparing deep lists): a bound on time that cost units, which
  // follow the reference, do not give. Below zero the run ends as if its cost were exceeded.
  std::int64_t budget = 10'000'000;
};

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
