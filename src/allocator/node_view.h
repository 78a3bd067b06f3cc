// What one node can reach: the pools relevant for it with their devices, flat, indexed and in the order of first-fit
// (spec dra-allocator §2.3). Built by Inventory, immutable afterwards; everything borrows from the inventory's slices.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "allocator/device_id.h"
#include "api/resource/types.h"
#include "cel/device_view.h"

namespace kumiko::allocator {

// Counter values in thousandths of a unit; consumption finer than that counts as a whole thousandth.
using Amount = std::int64_t;

// A dense number for every DeviceId that the inventory ever saw; stays the same when a device is published again.
using DeviceIndex = std::uint32_t;

// What selectors see of a published device, resolved once per slice version.
struct DeviceContent {
  std::string driver;
  std::vector<cel::DeviceAttribute> attributes;
  std::vector<cel::DeviceCapacity> capacity;
  bool allow_multiple_allocations = false;
  // A dense number of this content; unique for the inventory's life.
  std::uint32_t serial = 0;

  cel::DeviceView View() const {
    return {.driver = driver,
            .attributes = attributes,
            .capacity = capacity,
            .allow_multiple_allocations = allow_multiple_allocations};
  }
};

struct Consumption {
  std::uint32_t counter = 0;  // index into PoolView::counters
  Amount amount = 0;
};

struct ViewDevice {
  DeviceIndex index = 0;
  std::uint32_t pool = 0;   // index into NodeView::pools
  std::uint32_t board = 0;  // index into NodeView::boards
  const api::Device* device = nullptr;
  const api::ResourceSlice* slice = nullptr;
  const DeviceContent* content = nullptr;
  std::vector<Consumption> consumes;            // sorted by counter, each once
  std::vector<const api::DeviceTaint*> taints;  // its own, then those of taint rules by rule name
  bool on_node = true;                          // false: of this pool, but for other nodes; only its counters matter
};

struct PoolCounter {
  std::string set;
  std::string name;
  Amount declared = 0;
};

struct PoolView {
  std::string driver;
  std::string name;
  std::int64_t generation = 0;
  bool incomplete = false;  // being updated: gives no devices
  bool invalid = false;     // contradicts itself: gives no devices
  std::string invalid_reason;
  std::vector<PoolCounter> counters;   // sorted by (set, name)
  std::vector<std::uint32_t> devices;  // indices into NodeView::devices, of this pool, for this node or not
};

// Devices that compete for the same counters; a device without counters is a board of its own.
struct BoardView {
  std::uint32_t pool = 0;
  std::vector<std::uint32_t> devices;   // indices into NodeView::devices, in first-fit order
  std::vector<std::uint32_t> counters;  // indices into the pool's counters
};

struct NodeView {
  std::string node;
  std::uint64_t serial = 0;  // another one each time the view is built; never 0
  std::vector<PoolView> pools;
  std::vector<ViewDevice> devices;  // in first-fit order; those of other nodes (on_node false) at the end
  std::vector<BoardView> boards;
  bool any_invalid = false;
  std::string error;  // a malformed node selector in a slice: fatal for decisions about this node
};

}  // namespace kumiko::allocator
