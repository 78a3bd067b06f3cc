// What one node can reach: the pools relevant for it with their devices, flat, indexed and in the order of first-fit
// (spec dra-allocator §2.3). Nodes with the same devices in the same order share one NodeLayout; a NodeView adds which
// slices they come from. Immutable; both borrow from the inventory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allocator/slice_shape.h"
#include "base/flat_map.h"

namespace kumiko::allocator {

struct NodeLayout {
  // `counter` is an index into `counters`.
  struct Consumption {
    std::uint32_t counter = 0;
    Amount amount = 0;
  };
  struct Device {
    std::uint32_t slice = 0;    // index into NodeView::slices
    std::uint32_t ordinal = 0;  // in the slice
    std::uint32_t pool = 0;
    std::uint32_t board = 0;
    NameId name = 0;
    Range consumption;
    bool draws = false;   // from a counter set, be it of no counter
    bool on_node = true;  // false: of this pool, but for other nodes; only its counters and selector errors matter
    bool allow_multiple_allocations = false;
    bool has_capacity = false;
    bool tainted = false;  // by itself or a rule
    bool skips_node_operations = false;
  };
  struct Counter {
    NameId set = 0;
    NameId name = 0;
    Amount declared = 0;
    std::uint32_t pool = 0;
  };
  struct Pool {
    NameId driver = 0;
    bool incomplete = false;  // being updated: gives no devices
    bool invalid = false;     // contradicts itself: gives no devices
    std::string invalid_reason;
    Range counters;
  };
  // Devices that compete for the same counters; a device without counters is a board of its own.
  struct Board {
    std::uint32_t pool = 0;
    std::vector<std::uint32_t> devices;   // in first-fit order
    std::vector<std::uint32_t> counters;  // ascending
  };

  std::uint32_t serial = 0;  // dense, unique for the inventory's life
  std::vector<Pool> pools;
  std::vector<Device> devices;   // of slices that reach the node in first-fit order, then those of other slices
  std::uint32_t candidates = 0;  // how many stand before the others
  // Devices that draw from counters under the name of an earlier one of their pool. Where both reach the node the pool
  // is invalid; for other nodes both draw as soon as the name is allocated.
  std::vector<std::uint32_t> twins;
  std::vector<Counter> counters;  // by pool, then (set, name)
  std::vector<Consumption> consumption;
  std::vector<Board> boards;
  bool any_invalid = false;
  // By device; empty when no rule adds a taint to any of them.
  std::vector<std::vector<const api::DeviceTaint*>> rule_taints;
  std::vector<std::shared_ptr<const SliceShape>> shapes;  // keeps what the devices borrow

  std::span<const Consumption> ConsumptionOf(std::uint32_t device) const {
    const auto range = devices[device].consumption;
    return std::span(consumption).subspan(range.begin, range.size());
  }
  // The device of this name in the pool, for the node or not; nullopt when it is not published.
  std::optional<std::uint32_t> FindDevice(std::uint32_t pool, NameId name) const;

 private:
  mutable FlatMap<std::uint64_t, std::uint32_t> by_name_;  // filled when first asked
};

struct NodeView {
  // Devices of one slice that are published for this node and not used, for explanations.
  struct Unused {
    const StoredSlice* slice = nullptr;
    std::vector<std::uint32_t> devices;  // ordinals in the slice
    bool feature_off = false;            // the slice needs a feature that is off; else its pool may not be used
  };

  std::string node;
  std::uint64_t serial = 0;  // another one each time the view is built; never 0
  std::shared_ptr<const NodeLayout> layout;
  std::vector<PoolId> pools;               // parallel to layout->pools
  std::vector<const StoredSlice*> slices;  // which the devices come from
  std::vector<Unused> unused;
  bool optional_node_operations = false;  // the node declares DRAOptionalNodeOperations
  std::string error;                      // a malformed node selector in a slice: fatal for decisions about this node

  DeviceRef Device(std::uint32_t device) const {
    const auto& entry = layout->devices[device];
    return {slices[entry.slice], entry.ordinal};
  }
};

}  // namespace kumiko::allocator
