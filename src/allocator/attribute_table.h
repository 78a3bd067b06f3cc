// Every attribute value that any device has, once: equal numbers mean equal name, type and value. A cluster of a
// million devices keeps four bytes for each of their attributes, and constraints compare integers.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource/types.h"
#include "base/flat_map.h"
#include "cel/device_view.h"

namespace kumiko::allocator {

// A (domain, id) as a number.
using AttributeNameId = std::uint32_t;
// An attribute with its value as a number.
using AttributeId = std::uint32_t;
inline constexpr AttributeId kNoAttribute = 0xffff'ffff;

// The value as a slice writes it.
api::DeviceAttribute ToApi(const cel::AttributeValue& value);

class AttributeTable {
 public:
  AttributeTable() = default;
  AttributeTable(const AttributeTable&) = delete;
  AttributeTable& operator=(const AttributeTable&) = delete;

  // "domain/id"; a name without a domain belongs to `driver`.
  AttributeNameId InternName(std::string_view written, std::string_view driver);
  // Nullopt when no device ever had such an attribute.
  std::optional<AttributeNameId> FindName(std::string_view domain, std::string_view id) const;
  const cel::AttributeName& Name(AttributeNameId id) const { return names_[id]; }
  std::size_t name_count() const { return names_.size(); }
  // How many different values the attribute ever had.
  std::uint32_t ValueCount(AttributeNameId name) const { return name < value_counts_.size() ? value_counts_[name] : 0; }

  AttributeId Intern(AttributeNameId name, const api::DeviceAttribute& value);
  // Whether `id` stands for this value.
  bool Is(AttributeId id, const api::DeviceAttribute& value) const;
  const cel::SharedAttribute& At(AttributeId id) const { return entries_[id].attribute; }
  AttributeNameId NameOf(AttributeId id) const { return entries_[id].name; }
  // Whether the value is of a known type; one that is not has no value.
  bool HasValue(AttributeId id) const { return !entries_[id].empty; }
  // What makes every expression on a device with this attribute fail: "attribute x: unsupported attribute value", a
  // version that is none. Empty for all others.
  std::string_view ErrorOf(AttributeId id) const;
  // Whether any value ever had such an error.
  bool any_errors() const { return !errors_.empty(); }

 private:
  struct Entry {
    cel::SharedAttribute attribute;
    AttributeNameId name = 0;
    bool empty = false;
    std::int32_t error = -1;  // index into errors_
  };
  struct Hash;
  struct Equal;
  struct Probe;

  struct IdHash {
    using is_transparent = void;
    using is_avalanching = void;
    const AttributeTable* table;
    std::size_t operator()(AttributeId id) const;
    std::size_t operator()(const Probe& probe) const;
  };
  struct IdEqual {
    using is_transparent = void;
    const AttributeTable* table;
    bool operator()(AttributeId a, AttributeId b) const { return a == b; }
    bool operator()(const Probe& probe, AttributeId id) const;
    bool operator()(AttributeId id, const Probe& probe) const { return (*this)(probe, id); }
  };

  StringFlatMap<AttributeNameId> name_ids_;  // by "domain/id"
  std::deque<cel::AttributeName> names_;
  std::vector<std::uint32_t> value_counts_;  // by name
  std::deque<Entry> entries_;
  std::deque<std::string> errors_;
  FlatSet<AttributeId, IdHash, IdEqual> ids_{0, IdHash{this}, IdEqual{this}};
};

}  // namespace kumiko::allocator
