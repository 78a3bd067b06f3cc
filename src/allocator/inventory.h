// What exists: slices, nodes, taint rules and device classes, with the indexes that decisions need. Upserting one
// object drops only the views it touches; views are rebuilt when next asked for.
//
// One thread at a time, also for const calls: they fill caches.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/device_id.h"
#include "allocator/node_view.h"
#include "allocator/verdict_cache.h"
#include "api/core/types.h"
#include "api/resource/types.h"
#include "base/result.h"
#include "cel/expression.h"

namespace kumiko::cel {
class ExpressionCache;
}

namespace kumiko::allocator {

class Inventory {
 public:
  Inventory();
  // Compiles into `expressions`, which is borrowed and outlives the inventory: inventories one after the other need not
  // compile the same texts again.
  explicit Inventory(cel::ExpressionCache& expressions);
  ~Inventory();
  Inventory(const Inventory&) = delete;
  Inventory& operator=(const Inventory&) = delete;

  // The same name again replaces the slice. Devices keep their DeviceIndex.
  void UpsertSlice(std::shared_ptr<const api::ResourceSlice> slice);
  void RemoveSlice(const std::string& name);

  // Name, labels and declared features matter. Without a node object, a node's labels count as empty.
  void UpsertNode(const api::Node& node);
  void RemoveNode(const std::string& name);

  void UpsertTaintRule(const api::DeviceTaintRule& rule);
  void RemoveTaintRule(const std::string& name);

  void UpsertClass(const api::DeviceClass& device_class);
  void RemoveClass(const std::string& name);
  // Null when no such class exists. Valid until the class changes.
  const api::DeviceClass* FindClass(const std::string& name) const;
  // In name order.
  std::vector<std::string> ClassNames() const;

  // The published device of the highest generation of its pool, or null. For reports.
  const api::Device* FindDevice(const DeviceId& id) const;
  const api::ResourceSlice* FindSliceOf(const DeviceId& id) const;
  // Every published device of current pool generations, in (driver, pool, slice name, position) order.
  std::vector<DeviceId> Devices() const;
  std::vector<std::string> NodeNames() const;

  // The view of one node. Valid until the next change of the inventory.
  const NodeView& ViewOf(const std::string& node) const;

  // A dense number for `id`, made on first use, and back.
  DeviceIndex IndexOf(const DeviceId& id) const;
  // A dense number for the (driver, pool) of a device.
  std::uint32_t PoolIndexOf(DeviceIndex index) const;
  const DeviceId& IdOf(DeviceIndex index) const;
  std::size_t IndexCount() const;

  // Compiled once per text. Fails with kInvalidArgument as cel::Expression::Compile.
  Result<cel::Expression> Compile(std::string_view expression) const;
  // The answer of a compiled expression about a device, from a cache; good until the next call.
  const Verdict& Evaluate(const cel::Expression& expression, const DeviceContent& content) const;
  // Empties that cache; compiled expressions and views stay. For measuring what evaluating takes.
  void ForgetVerdicts();

  // Grows with every change; decisions cached elsewhere compare it.
  std::uint64_t version() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kumiko::allocator
