#include "cli/boards.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>
#include <utility>

#include "gpu/counters_left.h"

namespace kumiko::cli {
namespace {

// "gpu-10" behind "gpu-9".
std::tuple<std::string, int> Order(const std::string& board) {
  const std::size_t digits = board.find_last_not_of("0123456789") + 1;
  int number = 0;
  std::from_chars(board.data() + digits, board.data() + board.size(), number);
  return {board.substr(0, digits), number};
}

std::string TextOf(const api::Device& device, const char* attribute) {
  const auto found = device.attributes.find(attribute);
  return found == device.attributes.end() ? "" : found->second.string_value.value_or("");
}

std::string TextOf(const api::DeviceTaint& taint) {
  return taint.key + (taint.value.empty() ? "" : "=" + taint.value);
}

bool Selects(const api::DeviceTaintSelector& selector, const std::string& driver, const std::string& pool,
             const std::string& device) {
  return (!selector.driver || *selector.driver == driver) && (!selector.pool || *selector.pool == pool) &&
         (!selector.device || *selector.device == device);
}

// The first taint that keeps claims off the device.
std::string TaintOf(const api::Device& device, const api::ResourceSlice& slice,
                    const localcluster::ClusterModel& model) {
  const auto keeps_off = [](const api::DeviceTaint& taint) { return taint.effect != "None"; };
  for (const api::DeviceTaint& taint : device.taints) {
    if (keeps_off(taint)) return TextOf(taint);
  }
  for (const auto& [name, rule] : model.inventory().TaintRules()) {
    const bool selected = !rule.spec.device_selector ||
                          Selects(*rule.spec.device_selector, slice.spec.driver, slice.spec.pool.name, device.name);
    if (selected && keeps_off(rule.spec.taint)) return TextOf(rule.spec.taint);
  }
  return "";
}

void Mark(const gpu::SlotRange& range, std::vector<bool>& slots) {
  for (int slot = std::max(0, range.start); slot < range.start + range.size; ++slot) {
    if (static_cast<std::size_t>(slot) < slots.size()) slots[static_cast<std::size_t>(slot)] = true;
  }
}

// How many slots each counter set has; sets without are left out.
std::map<std::string, int> SlotsOfSets(const std::vector<const api::ResourceSlice*>& slices) {
  std::map<std::string, int> slots;
  for (const auto* slice : slices) {
    for (const api::CounterSet& set : slice->spec.shared_counters) {
      api::Device all;
      all.consumes_counters.push_back({.counter_set = set.name, .counters = set.counters, .compatibility_groups = {}});
      if (const auto range = gpu::SlotsOf(all)) slots[set.name] = range->start + range->size;
    }
  }
  return slots;
}

// Without counters, the boards that exist have 4, 8 or 12 slots.
int RoundedUp(int slots) {
  for (const int size : {4, 8, 12}) {
    if (slots <= size) return size;
  }
  return slots;
}

struct Building {
  Board board;
  int highest_slot = 0;
};

}  // namespace

int Board::AllocatedMilli() const {
  int milli = 0;
  for (const BoardPart& part : held) {
    milli += slots == 0 || part.profile.empty() || !part.slots ? 1000 : part.slots->size * 1000 / slots;
  }
  return std::min(milli, 1000);
}

int Board::FreeSlots() const {
  if (slots == 0) return held.empty() && taint.empty() ? 1 : 0;
  return taint.empty() ? static_cast<int>(std::count(taken.begin(), taken.end(), false)) : 0;
}

report::Strip Board::Strip() const {
  if (!taint.empty()) {
    return {.slots = 1, .parts = {{.start = 0, .size = 1, .state = report::PartState::kUnhealthy, .labels = {taint}}}};
  }
  for (const BoardPart& part : held) {
    if (!part.profile.empty() && slots > 0) continue;
    const std::string holder = part.holder == nullptr ? "" : part.holder->name;
    return {.slots = 1, .parts = {{.start = 0, .size = 1, .state = report::PartState::kWhole, .labels = {holder}}}};
  }
  report::Strip strip{.slots = std::max(slots, 1), .parts = {}};
  for (const BoardPart& part : held) {
    if (!part.slots) continue;
    strip.parts.push_back({.start = part.slots->start,
                           .size = part.slots->size,
                           .state = report::PartState::kPart,
                           .labels = report::ProfileLabels(part.profile)});
  }
  for (std::size_t slot = 0; slot < taken.size(); ++slot) {
    if (taken[slot] || reachable[slot]) continue;
    strip.parts.push_back(
        {.start = static_cast<int>(slot), .size = 1, .state = report::PartState::kUnreachable, .labels = {}});
  }
  std::sort(strip.parts.begin(), strip.parts.end(),
            [](const report::StripPart& a, const report::StripPart& b) { return a.start < b.start; });
  return strip;
}

NodeSlices SlicesByNode(const localcluster::ClusterModel& model) {
  std::map<std::pair<std::string, std::string>, std::int64_t> newest;
  for (const auto& [key, slice] : model.slices()) {
    auto& generation = newest[{slice->spec.driver, slice->spec.pool.name}];
    generation = std::max(generation, slice->spec.pool.generation);
  }
  NodeSlices slices;
  for (const auto& [key, slice] : model.slices()) {
    if (slice->spec.pool.generation != newest[{slice->spec.driver, slice->spec.pool.name}]) continue;
    slices[slice->spec.node_name.value_or("")].push_back(slice.get());
  }
  return slices;
}

std::vector<Board> BoardsOf(const std::string& node, const std::vector<const api::ResourceSlice*>& slices,
                            const Holders& holders, const localcluster::ClusterModel& model) {
  const std::map<std::string, int> slots_of_sets = SlotsOfSets(slices);
  gpu::CountersLeft left;
  for (const auto* slice : slices) left.Publish(*slice);
  std::map<std::tuple<std::string, int>, Building> boards;
  std::vector<std::pair<const api::Device*, Building*>> free;
  for (const auto* slice : slices) {
    for (const api::Device& device : slice->spec.devices) {
      // What has no memory is no GPU: network cards, channels.
      if (!device.capacity.contains("memory")) continue;
      const std::string name = gpu::BoardOf(device.name);
      Building& building = boards[Order(name)];
      Board& board = building.board;
      board.node = node;
      board.name = name;
      if (board.model.empty()) board.model = TextOf(device, "productName");
      const std::string profile = TextOf(device, "profile");
      if (profile.empty()) board.whole = &device;
      if (board.taint.empty() && (profile.empty() || board.whole == nullptr)) {
        board.taint = TaintOf(device, *slice, model);
      }
      board.devices.push_back(&device);
      const auto range = gpu::SlotsOf(device);
      if (range) {
        building.highest_slot = std::max(building.highest_slot, range->start + range->size);
        for (const auto& consumption : device.consumes_counters) {
          const auto found = slots_of_sets.find(consumption.counter_set);
          if (found != slots_of_sets.end()) board.slots = found->second;
        }
      }
      const allocator::DeviceId id{slice->spec.driver, slice->spec.pool.name, device.name};
      if (const Holder* holder = holders.Of(id)) {
        board.held.push_back({.id = id, .profile = profile, .slots = range, .holder = holder});
        left.Take(device);
      } else {
        free.emplace_back(&device, &building);
      }
    }
  }
  std::vector<Board> result;
  for (auto& [order, building] : boards) {
    Board& board = building.board;
    if (board.slots == 0 && building.highest_slot > 0) board.slots = RoundedUp(building.highest_slot);
    board.taken.assign(static_cast<std::size_t>(board.slots), false);
    board.reachable = board.taken;
    for (const BoardPart& part : board.held) {
      if (part.slots) Mark(*part.slots, board.taken);
    }
  }
  for (const auto& [device, building] : free) {
    const auto range = gpu::SlotsOf(*device);
    if (range && left.Fits(*device)) Mark(*range, building->board.reachable);
  }
  for (auto& [order, building] : boards) result.push_back(std::move(building.board));
  return result;
}

}  // namespace kumiko::cli
