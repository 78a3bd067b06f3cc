// A published slice in the form that decisions read: what slices of many nodes have in common (names of devices, keys,
// capacities, counters, taints) is one shared SliceShape; a slice of its own has only its attribute values.
//
//   ResourceSlice n1 ─┐                       SliceShape (once)
//   ResourceSlice n2 ─┼─► StoredSlice ──────► devices: gpu-0, gpu-0-mig-1g-0, ...
//   ResourceSlice n3 ─┘     values: uuid,     keys, capacity, consumption, taints
//                           bus id, ...
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "allocator/attribute_table.h"
#include "allocator/name_table.h"
#include "api/resource/types.h"
#include "cel/device_view.h"

namespace kumiko::allocator {

// Counter values in thousandths of a unit; consumption finer than that counts as a whole thousandth.
using Amount = std::int64_t;
// As people write it: whole units with binary suffixes.
Quantity ToQuantity(Amount amount);

// Part of a flat array.
struct Range {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t size() const { return end - begin; }
};

struct SliceShape {
  struct Attribute {
    NameId written = 0;  // as in the slice
    AttributeNameId name = 0;
  };
  struct Capacity {
    std::string name;  // as in the slice; requests must write it the same way
    Quantity value;
    std::optional<api::CapacityRequestPolicy> policy;
  };
  // Part of a counter of the pool.
  struct Consumption {
    NameId set = 0;
    NameId counter = 0;
    Amount amount = 0;
  };
  // That a device draws from a counter set, and with which compatibility groups.
  struct Draw {
    NameId set = 0;
    std::vector<NameId> groups;
  };
  struct Counter {
    NameId set = 0;
    NameId name = 0;
    Amount declared = 0;
  };
  // What few devices have.
  struct Extras {
    std::vector<std::string> binding_conditions;
    std::vector<std::string> binding_failure_conditions;
    std::optional<std::string> node_name;
    std::optional<bool> all_nodes;
    std::optional<api::NodeSelector> node_selector;
    bool binds_to_node = false;
    bool operator==(const Extras&) const = default;
  };
  struct Device {
    NameId name = 0;
    Range attributes;
    Range capacities;
    Range consumption;
    Range draws;  // by counter set
    Range taints;
    std::int32_t extras = -1;
    bool allow_multiple_allocations = false;
  };

  NameId driver = 0;
  std::string driver_name;
  std::vector<Device> devices;
  std::vector<Attribute> attributes;
  std::vector<Capacity> capacities;
  std::vector<cel::DeviceCapacity> readable_capacities;  // the same for expressions, sorted and unique in each device
  std::vector<Range> readable;                           // by device, into readable_capacities
  std::vector<Consumption> consumption;
  std::vector<Draw> draws;
  std::vector<api::DeviceTaint> taints;
  std::vector<Extras> extras;
  std::vector<NameId> counter_sets;  // that the slice declares, as often as it does
  std::vector<Counter> counters;     // of these sets
  std::vector<std::string> skip_node_operations;
  bool has_binding_conditions = false;
  bool has_compatibility_groups = false;
  std::uint32_t serial = 0;  // dense, unique for the inventory's life

  const Extras* ExtrasOf(const Device& device) const {
    return device.extras < 0 ? nullptr : &extras[static_cast<std::size_t>(device.extras)];
  }
};

// A (driver, pool name) as a number.
using PoolId = std::uint32_t;

struct StoredSlice {
  std::string name;
  PoolId pool = 0;
  std::int64_t generation = 0;
  std::int64_t slice_count = 0;
  // Where it is used; the first that is set decides.
  std::optional<std::string> node_name;
  bool all_nodes = false;
  bool per_device_node_selection = false;
  bool has_per_device_field = false;  // written, be it false
  std::optional<api::NodeSelector> node_selector;

  std::shared_ptr<const SliceShape> shape;
  std::vector<AttributeId> values;  // parallel to shape->attributes
};

// One published device. Borrows.
struct DeviceRef {
  const StoredSlice* slice = nullptr;
  std::uint32_t ordinal = 0;  // in the slice

  const SliceShape& shape() const { return *slice->shape; }
  const SliceShape::Device& device() const { return shape().devices[ordinal]; }
  std::span<const AttributeId> attributes() const {
    const auto range = device().attributes;
    return std::span(slice->values).subspan(range.begin, range.size());
  }
  std::span<const SliceShape::Capacity> capacities() const {
    const auto range = device().capacities;
    return std::span(shape().capacities).subspan(range.begin, range.size());
  }
  std::span<const SliceShape::Consumption> consumption() const {
    const auto range = device().consumption;
    return std::span(shape().consumption).subspan(range.begin, range.size());
  }
  std::span<const api::DeviceTaint> taints() const {
    const auto range = device().taints;
    return std::span(shape().taints).subspan(range.begin, range.size());
  }
  // kNoAttribute when the device lacks it.
  AttributeId Attribute(AttributeNameId name) const;
};

// Reads slices. Remembers shapes as long as a slice uses them, and guesses that the next slice looks like the last.
class SliceReader {
 public:
  SliceReader(NameTable& names, AttributeTable& attributes) : names_(&names), attributes_(&attributes) {}

  // All but name and pool, which the caller knows.
  void Read(const api::ResourceSlice& slice, StoredSlice& stored);

 private:
  // A shape and the values of the last slice that had it.
  struct Known {
    std::weak_ptr<const SliceShape> shape;
    std::vector<AttributeId> values;
  };

  // Fills `values` on the way.
  std::shared_ptr<const SliceShape> FindShape(const api::ResourceSlice& slice, std::vector<AttributeId>& values);
  std::shared_ptr<SliceShape> BuildShape(const api::ResourceSlice& slice);
  void ReadValues(const api::ResourceSlice& slice, const SliceShape& shape, std::vector<AttributeId>& values);
  // Whether the slice has this shape; if so, `values` are its values, most often those of the last slice that had it.
  bool HasShape(const api::ResourceSlice& slice, const SliceShape& shape, const std::vector<AttributeId>& last,
                std::vector<AttributeId>& values);
  bool HasDevice(const api::Device& device, const SliceShape& shape, const SliceShape::Device& known) const;
  bool HasAttributes(const api::Device& device, const SliceShape& shape, const SliceShape::Device& known,
                     const std::vector<AttributeId>& last, std::vector<AttributeId>& values);

  NameTable* names_;
  AttributeTable* attributes_;
  FlatMap<std::uint64_t, std::vector<std::shared_ptr<Known>>> shapes_;  // by a key of what is quick to read
  std::shared_ptr<Known> last_;
  std::uint32_t next_serial_ = 0;
};

}  // namespace kumiko::allocator
