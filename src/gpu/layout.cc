#include "gpu/layout.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace kumiko::gpu {
namespace {

// The slot number of "memory-slice-3" or "memorySlice3".
std::optional<int> SlotNumber(std::string_view name) {
  for (const std::string_view prefix : {"memory-slice-", "memorySlice"}) {
    if (!name.starts_with(prefix)) continue;
    const auto number = ParseInt64(name.substr(prefix.size()));
    if (number && *number >= 0 && *number < 1024) return static_cast<int>(*number);
  }
  return std::nullopt;
}

// From the lowest to the highest slot number among the keys.
template <class Map>
void Widen(std::optional<SlotRange>& range, const Map& map) {
  for (const auto& [name, value] : map) {
    const auto slot = SlotNumber(name);
    if (!slot) continue;
    if (!range) {
      range = SlotRange{*slot, 1, 0};
      continue;
    }
    const int start = std::min(range->start, *slot);
    const int end = std::max(range->start + range->size, *slot + 1);
    range = SlotRange{start, end - start, 0};
  }
}

std::int64_t CapacityOf(const api::Device& device, const std::string& name) {
  const auto found = device.capacity.find(name);
  return found == device.capacity.end() ? 0 : found->second.value.Value();
}

std::optional<int> SlotsOfCounterSet(const std::string& name, const std::vector<api::ResourceSlice>& slices) {
  for (const api::ResourceSlice& slice : slices) {
    for (const api::CounterSet& set : slice.spec.shared_counters) {
      if (set.name != name) continue;
      std::optional<SlotRange> range;
      Widen(range, set.counters);
      if (range) return range->start + range->size;
    }
  }
  return std::nullopt;
}

int SlotsOfSiblings(const std::string& board, const std::vector<api::ResourceSlice>& slices) {
  int end = 0;
  for (const api::ResourceSlice& slice : slices) {
    for (const api::Device& device : slice.spec.devices) {
      if (BoardOf(device.name) != board) continue;
      if (const auto range = SlotsOf(device)) end = std::max(end, range->start + range->size);
    }
  }
  for (const int size : {4, 8, 12}) {
    if (end <= size) return size;
  }
  return end;
}

}  // namespace

std::string BoardOf(const std::string& device_name) {
  const std::size_t part = device_name.find("-mig-");
  return part == std::string::npos ? device_name : device_name.substr(0, part);
}

std::optional<SlotRange> SlotsOf(const api::Device& device) {
  std::optional<SlotRange> range;
  for (const api::DeviceCounterConsumption& consumption : device.consumes_counters) {
    Widen(range, consumption.counters);
  }
  if (!range) Widen(range, device.capacity);
  return range;
}

DeviceShape ShapeOf(const api::Device& device, const std::vector<api::ResourceSlice>& slices) {
  DeviceShape shape;
  shape.board = BoardOf(device.name);
  if (const auto profile = device.attributes.find("profile"); profile != device.attributes.end()) {
    shape.profile = profile->second.string_value.value_or("");
  }
  shape.memory_bytes = CapacityOf(device, "memory");
  shape.multiprocessors = CapacityOf(device, "multiprocessors");
  shape.shared = device.allow_multiple_allocations.value_or(false);
  shape.slots = SlotsOf(device);
  if (shape.slots) {
    std::optional<int> total;
    for (const api::DeviceCounterConsumption& consumption : device.consumes_counters) {
      if (!total) total = SlotsOfCounterSet(consumption.counter_set, slices);
    }
    shape.slots->total = total ? *total : SlotsOfSiblings(shape.board, slices);
  }
  return shape;
}

}  // namespace kumiko::gpu
