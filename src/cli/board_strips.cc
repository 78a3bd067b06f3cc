#include "cli/board_strips.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "gpu/counters_left.h"
#include "kube/typed.h"

namespace kumiko::cli {
namespace {

std::vector<const api::Device*> DevicesOf(const std::vector<api::ResourceSlice>& pool, const std::string& board) {
  std::vector<const api::Device*> devices;
  for (const api::ResourceSlice& slice : pool) {
    for (const api::Device& device : slice.spec.devices) {
      if (gpu::BoardOf(device.name) == board) devices.push_back(&device);
    }
  }
  return devices;
}

// One part for each run of free slots of equal reach.
void AddFree(const std::vector<bool>& taken, const std::vector<bool>& reachable, report::Strip& strip) {
  for (std::size_t slot = 0; slot < taken.size();) {
    if (taken[slot]) {
      ++slot;
      continue;
    }
    std::size_t end = slot + 1;
    while (end < taken.size() && !taken[end] && reachable[end] == reachable[slot]) ++end;
    strip.parts.push_back({.start = static_cast<int>(slot),
                           .size = static_cast<int>(end - slot),
                           .state = reachable[slot] ? report::PartState::kFree : report::PartState::kUnreachable,
                           .labels = {}});
    slot = end;
  }
}

void Mark(const gpu::SlotRange& range, std::vector<bool>& slots) {
  for (int slot = range.start; slot < range.start + range.size; ++slot) {
    if (slot >= 0 && static_cast<std::size_t>(slot) < slots.size()) slots[static_cast<std::size_t>(slot)] = true;
  }
}

report::Strip WholeStrip(const std::vector<HeldDevice>& held) {
  report::Strip strip{.slots = 1, .parts = {}};
  if (held.empty()) return strip;
  std::vector<std::string> labels = {Join(held.front().pods, " ")};
  if (held.front().pods.size() > 1) {
    labels.push_back(held.front().pods.front() + " +" + std::to_string(held.front().pods.size() - 1));
  }
  strip.parts.push_back({.start = 0, .size = 1, .state = report::PartState::kWhole, .labels = std::move(labels)});
  return strip;
}

}  // namespace

Result<BoardStrips> BoardStrips::Read(kube::ApiClient& api) {
  BoardStrips strips;
  KU_TRY(auto slices, kube::List<api::ResourceSlice>(api));
  for (api::ResourceSlice& slice : slices) strips.pools_[slice.spec.pool.name].push_back(std::move(slice));
  return strips;
}

report::Strip BoardStrips::Of(const std::string& node, const std::string& board,
                              const std::vector<HeldDevice>& held) const {
  const auto pool = pools_.find(node);
  const bool whole =
      std::any_of(held.begin(), held.end(), [](const HeldDevice& device) { return device.shape.profile.empty(); });
  if (pool == pools_.end() || whole) return WholeStrip(held);
  const std::vector<const api::Device*> devices = DevicesOf(pool->second, board);
  int slots = 0;
  for (const api::Device* device : devices) {
    const auto range = gpu::ShapeOf(*device, pool->second).slots;
    if (range) slots = std::max(slots, range->total);
  }
  if (slots == 0) return WholeStrip(held);

  report::Strip strip{.slots = slots, .parts = {}};
  std::vector<bool> taken(static_cast<std::size_t>(slots), false);
  std::vector<bool> reachable(static_cast<std::size_t>(slots), false);
  gpu::CountersLeft left;
  for (const api::ResourceSlice& slice : pool->second) left.Publish(slice);
  std::set<std::string> held_names;
  for (const HeldDevice& device : held) {
    held_names.insert(device.id.device);
    if (!device.shape.slots) continue;
    Mark(*device.shape.slots, taken);
    strip.parts.push_back({.start = device.shape.slots->start,
                           .size = device.shape.slots->size,
                           .state = report::PartState::kPart,
                           .labels = report::ProfileLabels(device.shape.profile)});
  }
  for (const api::Device* device : devices) {
    if (held_names.contains(device->name)) left.Take(*device);
  }
  for (const api::Device* device : devices) {
    const auto range = gpu::ShapeOf(*device, pool->second).slots;
    if (range && !held_names.contains(device->name) && left.Fits(*device)) Mark(*range, reachable);
  }
  AddFree(taken, reachable, strip);
  std::sort(strip.parts.begin(), strip.parts.end(),
            [](const report::StripPart& a, const report::StripPart& b) { return a.start < b.start; });
  return strip;
}

}  // namespace kumiko::cli
