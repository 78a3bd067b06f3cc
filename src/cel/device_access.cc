#include "cel/device_access.h"

#include <algorithm>
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
    for (const DeviceCapacity& entry : run.device.capacity) visit(entry);
  } else {
    for (const DeviceAttribute& entry : run.device.attributes) visit(entry);
  }
}

}  // namespace

std::optional<Value> ReadEntry(RunContext& run, bool capacity, std::string_view domain, std::string_view id) {
  if (capacity) {
    for (const DeviceCapacity& entry : run.device.capacity) {
      if (entry.id == id && entry.domain == domain) return Value::Of(&entry.value);
    }
    return std::nullopt;
  }
  for (const DeviceAttribute& entry : run.device.attributes) {
    if (entry.id == id && entry.domain == domain) return std::visit(ReadAttribute{run}, entry.value);
  }
  return std::nullopt;
}

bool HasEntry(const RunContext& run, bool capacity, std::string_view domain, std::string_view id) {
  bool found = false;
  ForEach(run, capacity, [&](const auto& entry) { found = found || (entry.id == id && entry.domain == domain); });
  return found;
}

bool HasDomain(const RunContext& run, bool capacity, std::string_view domain) {
  bool found = false;
  ForEach(run, capacity, [&](const auto& entry) { found = found || entry.domain == domain; });
  return found;
}

Value DomainKeys(RunContext& run, bool capacity) {
  Value* keys = run.arena.Values(capacity ? run.device.capacity.size() : run.device.attributes.size());
  std::size_t count = 0;
  ForEach(run, capacity, [&](const auto& entry) {
    const std::string_view domain = entry.domain;
    if (std::none_of(keys, keys + count, [domain](const Value& key) { return key.view() == domain; })) {
      keys[count++] = Value::String(domain);
    }
  });
  return Value::List(keys, count);
}

Value EntryKeys(RunContext& run, bool capacity, std::string_view domain) {
  Value* keys = run.arena.Values(capacity ? run.device.capacity.size() : run.device.attributes.size());
  std::size_t count = 0;
  ForEach(run, capacity, [&](const auto& entry) {
    if (entry.domain == domain) keys[count++] = Value::String(entry.id);
  });
  return Value::List(keys, count);
}

bool IsMap(const Value& value) {
  return value.kind == ValueKind::kMap || value.kind == ValueKind::kDomains || value.kind == ValueKind::kDomain;
}

std::optional<Value> Lookup(RunContext& run, const Value& map, const Value& key) {
  if (map.kind == ValueKind::kMap) {
    const Value* found = FindKey(map, key);
    return found != nullptr ? std::optional(*found) : std::nullopt;
  }
  if (map.kind == ValueKind::kDomain) {
    if (key.kind != ValueKind::kString) return std::nullopt;
    return ReadEntry(run, map.capacity, map.view(), key.view());
  }
  // Kubernetes answers an unknown domain with an empty map.
  Value domain = Value::Text(ValueKind::kDomain, key.kind == ValueKind::kString ? key.view() : std::string_view());
  domain.capacity = map.capacity;
  return domain;
}

Value Keys(RunContext& run, const Value& map) {
  if (map.kind == ValueKind::kDomains) return DomainKeys(run, map.capacity);
  if (map.kind == ValueKind::kDomain) return EntryKeys(run, map.capacity, map.view());
  Value* keys = run.arena.Values(map.size);
  for (std::size_t i = 0; i < map.size; ++i) keys[i] = map.items[2 * i];
  return Value::List(keys, map.size);
}

}  // namespace kumiko::cel
