// Names of drivers, pools, devices and counters as dense numbers, so that the rest compares and hashes integers.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/flat_map.h"

namespace kumiko::allocator {

using NameId = std::uint32_t;

class NameTable {
 public:
  NameTable() = default;
  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;

  NameId Intern(std::string_view text);
  std::optional<NameId> Find(std::string_view text) const;
  // Good as long as the table.
  const std::string& Text(NameId id) const { return texts_[id]; }

 private:
  std::deque<std::string> texts_;
  FlatMap<std::string_view, NameId, StringHash, std::equal_to<>> ids_;
};

}  // namespace kumiko::allocator
