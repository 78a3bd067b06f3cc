// How an evaluation reads the device: `device.attributes` and `device.capacity` as maps of maps over the flat lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cel/device_view.h"
#include "cel/value.h"

namespace kumiko::cel {

// What one run shares: the device it reads, the owner of what it makes, and the steps it may still take.
struct RunContext {
  const DeviceView& device;
  Arena& arena;
  std::int64_t budget;
};

// The value of `id` in `domain`; nullopt when the device has none. A version that does not parse is an error value.
std::optional<Value> ReadEntry(RunContext& run, bool capacity, std::string_view domain, std::string_view id);
bool HasEntry(const RunContext& run, bool capacity, std::string_view domain, std::string_view id);
bool HasDomain(const RunContext& run, bool capacity, std::string_view domain);
// Lists of strings, each key once, in the order of the device.
Value DomainKeys(RunContext& run, bool capacity);
Value EntryKeys(RunContext& run, bool capacity, std::string_view domain);

// Any map, by key: entries of map values, domains (always there) and their entries. nullopt when absent.
std::optional<Value> Lookup(RunContext& run, const Value& map, const Value& key);
// The keys of any map as a list.
Value Keys(RunContext& run, const Value& map);
bool IsMap(const Value& value);

}  // namespace kumiko::cel
