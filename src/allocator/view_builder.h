// Builds the NodeView of a node: which pools it reaches, in which order, whether they are complete and free of
// contradictions (spec dra-allocator §2.3), and which devices share counters.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "allocator/features.h"
#include "allocator/node_layout.h"
#include "api/core/types.h"
#include "api/resource/types.h"
#include "base/flat_map.h"

namespace kumiko::allocator {

// Everything that a view is built from. Borrowed.
struct ViewInput {
  const Features* features = nullptr;
  const std::string* node = nullptr;
  const api::StringMap* labels = nullptr;                               // of the node
  bool optional_node_operations = false;                                // the node declares DRAOptionalNodeOperations
  const std::vector<const StoredSlice*>* own = nullptr;                 // with nodeName = node; null: none
  const std::vector<const StoredSlice*>* shared = nullptr;              // all others
  const std::vector<std::vector<const StoredSlice*>>* pools = nullptr;  // every slice of the cluster by PoolId
  const std::vector<NameId>* pool_names = nullptr;                      // by PoolId
  const NameTable* names = nullptr;
  const std::map<std::string, api::DeviceTaintRule>* taint_rules = nullptr;
};

// Remembers layouts as long as a view uses them.
class ViewBuilder {
 public:
  NodeView Build(const ViewInput& input);
  // Rules changed: layouts made before are not given out again.
  void ForgetLayouts() { layouts_.clear(); }

 private:
  using Key = std::vector<std::uint64_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  FlatMap<Key, std::weak_ptr<const NodeLayout>, KeyHash> layouts_;
  std::size_t purge_at_ = 1024;
  std::uint32_t next_serial_ = 0;
  std::uint64_t next_view_ = 0;
};

}  // namespace kumiko::allocator
