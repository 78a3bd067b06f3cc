// How an evaluation reads the device: `device.attributes` and `device.capacity` as maps of maps over the flat lists.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "cel/device_view.h"
#include "cel/run_context.h"
#include "cel/value.h"

namespace kumiko::cel {

// The value of `id` in `domain`; nullopt when the device has none. A version that does not parse is an error value.
std::optional<Value> ReadEntry(RunContext& run, bool capacity, std::string_view domain, std::string_view id);
bool HasEntry(const RunContext& run, bool capacity, std::string_view domain, std::string_view id);
// A field of `device` itself.
std::optional<Value> DeviceField(const RunContext& run, std::string_view name);
Value Domains(bool capacity);
Value Device(RunContext& run);
Value Domain(RunContext& run, bool capacity, std::string_view domain);

// Any map: those of expressions, the domains of the device, one domain, the device.
bool IsMap(const Value& value);
// By key; nullopt when absent. Domains are always there.
std::optional<Value> Lookup(RunContext& run, const Value& map, const Value& key);
// Whether it is really there: of domains only those that have entries.
bool HasKey(RunContext& run, const Value& map, const Value& key);
std::size_t MapSize(const RunContext& run, const Value& map);
// The same map with all its values at hand, and theirs.
Value Materialize(RunContext& run, const Value& map);
// As a list; those of the device in the order of its entries.
Value Keys(RunContext& run, const Value& map);

}  // namespace kumiko::cel
