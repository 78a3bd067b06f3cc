#include "cel/device_access.h"

#include <algorithm>
#include <array>
#include <bit>
#include <variant>

namespace kumiko::cel {
namespace {

Value ReadVersion(RunContext& run, const Version& version) {
  auto parsed = Semver::Parse(version.text);
  if (!parsed) return run.arena.Error("parse semantic version: " + parsed.error().message);
  return Value::Of(run.arena.Put(*std::move(parsed)));
}

struct ReadAttribute {
  RunContext& run;

  Value operator()(std::int64_t value) const { return Value::Int(value); }
  Value operator()(bool value) const { return Value::Bool(value); }
  Value operator()(const std::string& value) const { return Value::String(value); }
  Value operator()(const Version& value) const { return ReadVersion(run, value); }
  template <class Item>
  Value operator()(const std::vector<Item>& list) const {
    Value* items = run.arena.Values(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      items[i] = (*this)(static_cast<const Item&>(list[i]));
      if (items[i].IsError()) return items[i];
    }
    return Value::List(items, list.size());
  }
};

// Calls `visit(entry)` with every attribute or capacity.
template <class Visit>
void ForEach(const RunContext& run, bool capacity, Visit visit) {
  if (capacity) {
    for (const DeviceCapacity& entry : run.device->capacity) visit(entry);
  } else {
    for (const AttributeRef entry : run.device->attributes) visit(entry);
  }
}

constexpr std::array<std::string_view, 4> kDeviceFields = {"driver", "allowMultipleAllocations", "attributes",
                                                           "capacity"};

bool HasDomain(const RunContext& run, bool capacity, std::string_view domain) {
  bool found = false;
  ForEach(run, capacity, [&](const auto& entry) { found = found || entry.domain == domain; });
  return found;
}

// Whether `entry`, which is number `index`, is the first of its domain.
template <class Entry>
bool IsFirstOfDomain(const RunContext& run, bool capacity, std::size_t index, const Entry& entry) {
  std::size_t at = 0;
  bool earlier = false;
  ForEach(run, capacity,
          [&](const auto& other) { earlier = earlier || (at++ < index && other.domain == entry.domain); });
  return !earlier;
}

}  // namespace

std::optional<Value> ReadEntry(RunContext& run, bool capacity, std::string_view domain, std::string_view id) {
  if (capacity) {
    for (const DeviceCapacity& entry : run.device->capacity) {
      if (entry.id == id && entry.domain == domain) return Value::Of(&entry.value);
    }
    return std::nullopt;
  }
  for (const AttributeRef entry : run.device->attributes) {
    if (entry.id == id && entry.domain == domain) return std::visit(ReadAttribute{run}, entry.value);
  }
  return std::nullopt;
}

bool HasEntry(const RunContext& run, bool capacity, std::string_view domain, std::string_view id) {
  bool found = false;
  ForEach(run, capacity, [&](const auto& entry) { found = found || (entry.id == id && entry.domain == domain); });
  return found;
}

std::optional<Value> DeviceField(const RunContext& run, std::string_view name) {
  if (name == "driver") return Value::String(run.device->driver);
  if (name == "allowMultipleAllocations") return Value::Bool(run.device->allow_multiple_allocations);
  if (name == "attributes" || name == "capacity") return Domains(name == "capacity");
  return std::nullopt;
}

Value Domains(bool capacity) {
  Value map;
  map.kind = ValueKind::kDomains;
  map.capacity = capacity;
  return map;
}

Value Device(RunContext& run) {
  Value device;
  device.kind = ValueKind::kDevice;
  device.offset = static_cast<std::int32_t>(++run.identities);
  return device;
}

Value Domain(RunContext& run, bool capacity, std::string_view domain) {
  // One map stands for all domains that are not there.
  static constexpr Value kNoEntries;
  if (!HasDomain(run, capacity, domain)) return Value::Map(&kNoEntries, 0);
  Value map = Value::Text(ValueKind::kDomain, domain);
  map.capacity = capacity;
  map.offset = static_cast<std::int32_t>(++run.identities);
  return map;
}

bool IsMap(const Value& value) {
  return value.kind == ValueKind::kMap || value.kind == ValueKind::kDomains || value.kind == ValueKind::kDomain ||
         value.kind == ValueKind::kDevice;
}

namespace {

// Null when the map, of kind kMap, does not have the key.
const Value* Find(RunContext& run, const Value& map, const Value& key) {
  // Binary search: half of what it compares with it does not guess, and a large map is not in any cache.
  constexpr std::int64_t kStepsPerComparison = 4;
  run.budget -= ReadingSteps(key) + kStepsPerComparison * static_cast<std::int64_t>(std::bit_width(map.size));
  return FindKey(map, key);
}

}  // namespace

std::optional<Value> Lookup(RunContext& run, const Value& map, const Value& key) {
  if (map.kind == ValueKind::kMap) {
    const Value* found = Find(run, map, key);
    return found != nullptr ? std::optional(*found) : std::nullopt;
  }
  const bool text = key.kind == ValueKind::kString;
  // Kubernetes answers an unknown domain with an empty map.
  if (map.kind == ValueKind::kDomains) return Domain(run, map.capacity, text ? key.view() : std::string_view());
  if (!text) return std::nullopt;
  return map.kind == ValueKind::kDomain ? ReadEntry(run, map.capacity, map.view(), key.view())
                                        : DeviceField(run, key.view());
}

bool HasKey(RunContext& run, const Value& map, const Value& key) {
  if (map.kind == ValueKind::kMap) return Find(run, map, key) != nullptr;
  if (key.kind != ValueKind::kString) return false;
  if (map.kind == ValueKind::kDomains) return HasDomain(run, map.capacity, key.view());
  if (map.kind == ValueKind::kDomain) return HasEntry(run, map.capacity, map.view(), key.view());
  return DeviceField(run, key.view()).has_value();
}

std::size_t MapSize(const RunContext& run, const Value& map) {
  if (map.kind == ValueKind::kMap) return map.size;
  if (map.kind == ValueKind::kDevice) return kDeviceFields.size();
  std::size_t count = 0;
  if (map.kind == ValueKind::kDomain) {
    ForEach(run, map.capacity, [&](const auto& entry) { count += entry.domain == map.view() ? 1 : 0; });
    return count;
  }
  std::size_t at = 0;
  ForEach(run, map.capacity,
          [&](const auto& entry) { count += IsFirstOfDomain(run, map.capacity, at++, entry) ? 1 : 0; });
  return count;
}

Value Materialize(RunContext& run, const Value& map) {
  if (map.kind == ValueKind::kMap || !IsMap(map)) return map;
  const Value keys = Keys(run, map);
  Value* pairs = run.arena.Values(2 * keys.size);
  for (std::size_t i = 0; i < keys.size; ++i) {
    pairs[2 * i] = keys.items[i];
    pairs[2 * i + 1] = Materialize(run, Lookup(run, map, keys.items[i]).value_or(Value::Null()));
  }
  return MakeMap(pairs, keys.size);
}

Value Keys(RunContext& run, const Value& map) {
  const std::size_t size = MapSize(run, map);
  Value* keys = run.arena.Values(size);
  std::size_t count = 0;
  if (map.kind == ValueKind::kMap) {
    for (std::size_t i = 0; i < size; ++i) keys[i] = map.items[2 * i];
  } else if (map.kind == ValueKind::kDevice) {
    for (const std::string_view field : kDeviceFields) keys[count++] = Value::String(field);
  } else {
    std::size_t at = 0;
    ForEach(run, map.capacity, [&](const auto& entry) {
      if (map.kind == ValueKind::kDomain) {
        if (entry.domain == map.view()) keys[count++] = Value::String(entry.id);
      } else if (IsFirstOfDomain(run, map.capacity, at++, entry)) {
        keys[count++] = Value::String(entry.domain);
      }
    });
  }
  return Value::List(keys, size);
}

}  // namespace kumiko::cel
