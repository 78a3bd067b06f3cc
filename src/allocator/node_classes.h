// Groups nodes that a decision cannot tell apart: the same devices as far as the expressions in play read them, in the
// same state of use (spec engine-decisions E10). A decision is made once for each group.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allocator/inventory.h"
#include "allocator/state.h"
#include "base/flat_map.h"

namespace kumiko::allocator {

// The attributes that tell devices apart in one decision; nullopt: all of them.
using KeysInPlay = std::optional<std::vector<cel::AttributeKey>>;

// Equal ids: same shape and same use.
struct NodeClassId {
  std::uint32_t shape = 0;
  std::uint32_t use = 0;
  auto operator<=>(const NodeClassId&) const = default;
};

// Remembers the answer for each node until the node's slices or allocations change.
class NodeClasses {
 public:
  NodeClassId ClassOf(const Inventory& inventory, const State& state, const std::string& node, const KeysInPlay& keys);

 private:
  struct Known {
    std::uint64_t view = 0;
    std::uint64_t version = 0;
    std::uint32_t id = 0;
  };
  using ByNode = StringFlatMap<Known>;

  std::uint32_t Intern(std::string text);

  std::map<std::string, ByNode> shapes_;  // by keys in play
  ByNode uses_;
  StringFlatMap<std::uint32_t> ids_;
};

}  // namespace kumiko::allocator
