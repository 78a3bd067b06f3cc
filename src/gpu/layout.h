// What a published device occupies of its board: how reports draw strips. Reads slices only, so it works for any board
// that publishes memory slices as counters or capacities.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/resource/types.h"

namespace kumiko::gpu {

// Memory slots start .. start+size-1 of the board's `total`.
struct SlotRange {
  int start = 0;
  int size = 0;
  int total = 0;
  bool operator==(const SlotRange&) const = default;
};

struct DeviceShape {
  std::string board;    // "gpu-0": the whole GPU that the device is or is a part of
  std::string profile;  // "3g.40gb"; empty for a whole GPU
  std::optional<SlotRange> slots;
  std::int64_t memory_bytes = 0;  // 0 when the device publishes none
  std::int64_t multiprocessors = 0;
  bool shared = false;  // several claims may hold it
};

// `slices` is the device's pool: its counter sets tell how many slots the board has. Without counters (plain layout) a
// partition's total is found from the slots of its siblings and rounded up to the boards that exist (4, 8, 12); a whole
// GPU without counters has no slots. `device` must come from `slices`.
DeviceShape ShapeOf(const api::Device& device, const std::vector<api::ResourceSlice>& slices);

// The memory slots that the device names, without the board's total (0 there); none for a whole GPU in plain layout.
std::optional<SlotRange> SlotsOf(const api::Device& device);

// "gpu-3" for "gpu-3" and "gpu-3-mig-1g10gb-19-4"; the name itself when it is of another form.
std::string BoardOf(const std::string& device_name);

}  // namespace kumiko::gpu
