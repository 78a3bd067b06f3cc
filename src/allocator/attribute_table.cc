#include "allocator/attribute_table.h"

#include <algorithm>
#include <utility>

#include "cel/semver.h"

namespace kumiko::allocator {

// A value looked for, before it has a number.
struct AttributeTable::Probe {
  AttributeNameId name;
  const api::DeviceAttribute& value;
};

namespace {

enum class Type : std::uint8_t { kNone, kInt, kBool, kString, kVersion, kInts, kBools, kStrings, kVersions };

// Lists come first, as the reference reads them.
Type TypeOf(const api::DeviceAttribute& value) {
  if (value.int_values && !value.int_values->empty()) return Type::kInts;
  if (value.bool_values && !value.bool_values->empty()) return Type::kBools;
  if (value.string_values && !value.string_values->empty()) return Type::kStrings;
  if (value.version_values && !value.version_values->empty()) return Type::kVersions;
  if (value.int_value) return Type::kInt;
  if (value.bool_value) return Type::kBool;
  if (value.string_value) return Type::kString;
  if (value.version_value) return Type::kVersion;
  return Type::kNone;
}

std::size_t Mix(std::size_t a, std::size_t b) {
  a ^= b + 0x9e37'79b9'7f4a'7c15 + (a << 6) + (a >> 2);
  a *= 0xff51'afd7'ed55'8ccd;
  return a ^ (a >> 32);
}

std::size_t HashOf(std::int64_t value) {
  return static_cast<std::size_t>(value) * 0x9e37'79b9'7f4a'7c15;
}
std::size_t HashOf(bool value) {
  return value ? 3 : 5;
}
std::size_t HashOf(const std::string& value) {
  return StringHash()(value);
}
std::size_t HashOf(const cel::Version& value) {
  return StringHash()(value.text) + 1;
}
template <class Item>
std::size_t HashOf(const std::vector<Item>& list) {
  std::size_t hash = list.size();
  for (const auto& item : list) hash = Mix(hash, HashOf(static_cast<const Item&>(item)));
  return hash;
}

std::size_t HashOf(AttributeNameId name, const api::DeviceAttribute& value) {
  const std::size_t seed = name * 0x1000'0001b3;
  switch (TypeOf(value)) {
    case Type::kNone:
      return Mix(seed, 1);
    case Type::kInt:
      return Mix(seed, HashOf(*value.int_value));
    case Type::kBool:
      return Mix(seed, HashOf(*value.bool_value));
    case Type::kString:
      return Mix(seed, HashOf(*value.string_value));
    case Type::kVersion:
      return Mix(seed, StringHash()(*value.version_value) + 1);
    case Type::kInts:
      return Mix(seed, HashOf(*value.int_values));
    case Type::kBools:
      return Mix(seed, HashOf(*value.bool_values));
    case Type::kStrings:
      return Mix(seed, HashOf(*value.string_values));
    case Type::kVersions: {
      std::size_t hash = value.version_values->size();
      for (const auto& text : *value.version_values) hash = Mix(hash, StringHash()(text) + 1);
      return Mix(seed, hash);
    }
  }
  return 0;
}

bool SameValue(const cel::AttributeValue& known, bool empty, const api::DeviceAttribute& value) {
  const auto type = TypeOf(value);
  if (type == Type::kNone || empty) return empty && type == Type::kNone;
  switch (type) {
    case Type::kNone:
      return false;
    case Type::kInt: {
      const auto* held = std::get_if<std::int64_t>(&known);
      return held && *held == *value.int_value;
    }
    case Type::kBool: {
      const auto* held = std::get_if<bool>(&known);
      return held && *held == *value.bool_value;
    }
    case Type::kString: {
      const auto* held = std::get_if<std::string>(&known);
      return held && *held == *value.string_value;
    }
    case Type::kVersion: {
      const auto* held = std::get_if<cel::Version>(&known);
      return held && held->text == *value.version_value;
    }
    case Type::kInts: {
      const auto* held = std::get_if<std::vector<std::int64_t>>(&known);
      return held && *held == *value.int_values;
    }
    case Type::kBools: {
      const auto* held = std::get_if<std::vector<bool>>(&known);
      return held && *held == *value.bool_values;
    }
    case Type::kStrings: {
      const auto* held = std::get_if<std::vector<std::string>>(&known);
      return held && *held == *value.string_values;
    }
    case Type::kVersions: {
      const auto* held = std::get_if<std::vector<cel::Version>>(&known);
      return held && std::equal(held->begin(), held->end(), value.version_values->begin(), value.version_values->end(),
                                [](const auto& a, const auto& b) { return a.text == b; });
    }
  }
  return false;
}

cel::AttributeValue ValueOf(const api::DeviceAttribute& value) {
  switch (TypeOf(value)) {
    case Type::kNone:
      return std::int64_t{0};
    case Type::kInt:
      return *value.int_value;
    case Type::kBool:
      return *value.bool_value;
    case Type::kString:
      return *value.string_value;
    case Type::kVersion:
      return cel::Version{*value.version_value};
    case Type::kInts:
      return *value.int_values;
    case Type::kBools:
      return *value.bool_values;
    case Type::kStrings:
      return *value.string_values;
    case Type::kVersions: {
      std::vector<cel::Version> versions;
      for (const auto& text : *value.version_values) versions.push_back({text});
      return versions;
    }
  }
  return std::int64_t{0};
}

// Why the value cannot be given to an expression; empty when it can.
std::string Unreadable(const api::DeviceAttribute& value) {
  const auto check = [](const std::string& text) -> std::string {
    const auto parsed = cel::Semver::Parse(text);
    return parsed ? "" : "parse semantic version: " + parsed.error().message;
  };
  const auto type = TypeOf(value);
  if (type == Type::kNone) return "unsupported attribute value";
  if (type == Type::kVersion) return check(*value.version_value);
  if (type == Type::kVersions) {
    for (const auto& text : *value.version_values) {
      if (auto error = check(text); !error.empty()) return error;
    }
  }
  return "";
}

}  // namespace

api::DeviceAttribute ToApi(const cel::AttributeValue& value) {
  struct Visitor {
    api::DeviceAttribute result;
    void operator()(std::int64_t v) { result.int_value = v; }
    void operator()(bool v) { result.bool_value = v; }
    void operator()(const std::string& v) { result.string_value = v; }
    void operator()(const cel::Version& v) { result.version_value = v.text; }
    void operator()(const std::vector<std::int64_t>& v) { result.int_values = v; }
    void operator()(const std::vector<bool>& v) { result.bool_values = v; }
    void operator()(const std::vector<std::string>& v) { result.string_values = v; }
    void operator()(const std::vector<cel::Version>& v) {
      result.version_values.emplace();
      for (const auto& version : v) result.version_values->push_back(version.text);
    }
  } visitor;
  std::visit(visitor, value);
  return visitor.result;
}

std::size_t AttributeTable::IdHash::operator()(AttributeId id) const {
  const auto& entry = table->entries_[id];
  const std::size_t seed = entry.name * 0x1000'0001b3;
  if (entry.empty) return Mix(seed, 1);
  return Mix(seed, std::visit([](const auto& held) { return HashOf(held); }, entry.attribute.value));
}

std::size_t AttributeTable::IdHash::operator()(const Probe& probe) const {
  return HashOf(probe.name, probe.value);
}

bool AttributeTable::IdEqual::operator()(const Probe& probe, AttributeId id) const {
  const auto& entry = table->entries_[id];
  return entry.name == probe.name && SameValue(entry.attribute.value, entry.empty, probe.value);
}

AttributeNameId AttributeTable::InternName(std::string_view written, std::string_view driver) {
  std::string full;
  if (written.find('/') == std::string_view::npos) {
    full.reserve(driver.size() + 1 + written.size());
    full.append(driver).append("/").append(written);
    written = full;
  }
  if (const auto found = name_ids_.find(written); found != name_ids_.end()) return found->second;
  const auto id = static_cast<AttributeNameId>(names_.size());
  const auto slash = written.find('/');
  names_.push_back({std::string(written.substr(0, slash)), std::string(written.substr(slash + 1))});
  name_ids_.emplace(std::string(written), id);
  return id;
}

std::optional<AttributeNameId> AttributeTable::FindName(std::string_view domain, std::string_view id) const {
  std::string full(domain);
  full.append("/").append(id);
  const auto found = name_ids_.find(full);
  return found == name_ids_.end() ? std::nullopt : std::optional(found->second);
}

AttributeId AttributeTable::Intern(AttributeNameId name, const api::DeviceAttribute& value) {
  const Probe probe{name, value};
  if (const auto found = ids_.find(probe); found != ids_.end()) return *found;
  const auto id = static_cast<AttributeId>(entries_.size());
  Entry entry;
  entry.attribute = {&names_[name], ValueOf(value)};
  entry.name = name;
  entry.empty = TypeOf(value) == Type::kNone;
  if (auto error = Unreadable(value); !error.empty()) {
    entry.error = static_cast<std::int32_t>(errors_.size());
    errors_.push_back(std::move(error));
  }
  entries_.push_back(std::move(entry));
  ids_.insert(id);
  if (value_counts_.size() <= name) value_counts_.resize(name + std::size_t{1}, 0);
  ++value_counts_[name];
  return id;
}

bool AttributeTable::Is(AttributeId id, const api::DeviceAttribute& value) const {
  return SameValue(entries_[id].attribute.value, entries_[id].empty, value);
}

std::string_view AttributeTable::ErrorOf(AttributeId id) const {
  const auto error = entries_[id].error;
  return error < 0 ? std::string_view() : std::string_view(errors_[static_cast<std::size_t>(error)]);
}

}  // namespace kumiko::allocator
