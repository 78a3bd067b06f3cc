// What exists: slices, nodes, taint rules and device classes, with the indexes that decisions need. Upserting one
// object drops only the views it touches; views are rebuilt when next asked for.
//
// One thread at a time, also for const calls: they fill caches.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/attribute_table.h"
#include "allocator/device_id.h"
#include "allocator/features.h"
#include "allocator/name_table.h"
#include "allocator/node_layout.h"
#include "api/core/types.h"
#include "api/resource/types.h"
#include "base/result.h"
#include "cel/expression.h"
#include "cel/expression_cache.h"

namespace kumiko::allocator {

// A selector's answer about one device: a bool, or the text of the run-time error.
struct Verdict {
  enum class Kind : std::uint8_t { kFalse, kTrue, kError };
  Kind kind = Kind::kFalse;
  std::string error;
};

// A dense number for every node name that the inventory ever met.
using NodeIndex = std::uint32_t;

class Inventory {
 public:
  // Compiled expressions may be shared with other inventories.
  explicit Inventory(const Features& features = DefaultFeatures(kNewestRelease),
                     std::shared_ptr<cel::ExpressionCache> expressions = nullptr);
  ~Inventory();
  Inventory(const Inventory&) = delete;
  Inventory& operator=(const Inventory&) = delete;

  const Features& features() const;

  // The same name again replaces the slice. Nothing of `slice` is kept.
  void UpsertSlice(const api::ResourceSlice& slice);
  void UpsertSlice(const std::shared_ptr<const api::ResourceSlice>& slice) { UpsertSlice(*slice); }
  void RemoveSlice(const std::string& name);

  // Name, labels and declared features matter. Without a node object, a node's labels count as empty.
  void UpsertNode(const api::Node& node);
  void RemoveNode(const std::string& name);

  void UpsertTaintRule(const api::DeviceTaintRule& rule);
  void RemoveTaintRule(const std::string& name);
  // By name.
  const std::map<std::string, api::DeviceTaintRule>& TaintRules() const;

  void UpsertClass(const api::DeviceClass& device_class);
  void RemoveClass(const std::string& name);
  // Null when no such class exists. Valid until the class changes.
  const api::DeviceClass* FindClass(const std::string& name) const;
  // In name order.
  std::vector<std::string> ClassNames() const;

  // The published device of the highest generation of its pool; slice is null when there is none. For reports.
  DeviceRef FindDevice(const DeviceId& id) const;
  // Every published device of current pool generations, in (driver, pool, slice name, position) order.
  std::vector<DeviceId> Devices() const;
  // Published devices of current pool generations, at most so many: as examples.
  std::vector<DeviceRef> SomeDevices(std::size_t most) const;
  // Nodes with an object or a slice of their own, in name order.
  std::vector<std::string> NodeNames() const;

  NodeIndex NodeIndexOf(const std::string& node) const;
  const std::string& NodeName(NodeIndex node) const;
  // Every NodeIndex is smaller.
  std::size_t node_count() const;
  // The view of one node. Valid until the next change of the inventory.
  const NodeView& ViewOf(NodeIndex node) const;
  const NodeView& ViewOf(const std::string& node) const { return ViewOf(NodeIndexOf(node)); }
  // Nodes whose view was dropped by change number `from` and later ones, in that order, each maybe more than once;
  // nullopt when that is not known any more and every view may differ. `changes()` counts them.
  std::optional<std::span<const NodeIndex>> DroppedSince(std::uint64_t from) const;
  std::uint64_t changes() const;

  PoolId PoolOf(std::string_view driver, std::string_view pool) const;
  NameId PoolName(PoolId pool) const;
  NameId PoolDriver(PoolId pool) const;
  DeviceId IdOf(const NodeView& view, std::uint32_t device) const;

  NameTable& names() const;
  AttributeTable& attributes() const;

  // Compiled once per text. Fails with kInvalidArgument as cel::Expression::Compile.
  Result<cel::Expression> Compile(std::string_view expression) const;
  Result<cel::Expression> CompileDerivedAttribute(std::string_view expression) const;
  Verdict Evaluate(const cel::Expression& expression, const DeviceRef& device) const;
  // Fails with kInvalidArgument: the run-time error.
  Result<AttributeId> EvaluateAttribute(const cel::Expression& expression, AttributeNameId name,
                                        const DeviceRef& device) const;
  // What expressions see of a device; good until the next call. A device that no expression can read: `error` says why.
  struct Readable {
    cel::DeviceView view;
    std::string error;
  };
  Readable Read(const DeviceRef& device) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kumiko::allocator
