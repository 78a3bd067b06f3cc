#include "fakenvml/placement.h"

#include <algorithm>
#include <array>

namespace kumiko::fakenvml {
namespace {

// Slices of compute instance profiles by NVML's index; 7 and 8 repeat 0 and 4.
constexpr std::array<std::uint32_t, 7> kComputeSlices = {1, 2, 3, 4, 7, 8, 6};

// Which parts an instance can be divided into: one, two and four slices where they fit, three of seven, or all of it
// (vendor MIG guide, listings of compute instance profiles).
bool IsComputeSize(std::uint32_t slices, std::uint32_t all) {
  return slices == all || (slices < all && (slices <= 2 || slices == 4 || (slices == 3 && all == 7)));
}

bool Overlap(std::uint32_t a_start, std::uint32_t a_size, std::uint32_t b_start, std::uint32_t b_size) {
  return a_start < b_start + b_size && b_start < a_start + a_size;
}

// Everything of which a board has only so much, in one array, so that adding up and comparing are loops.
using Resources = std::array<std::uint32_t, 7>;
Resources ResourcesOf(const ProfileRow& profile) {
  return {profile.compute_slices, profile.multiprocessors, profile.copy_engines, profile.decoders,
          profile.encoders,       profile.jpeg_engines,    profile.ofa_engines};
}

// A board has what the largest of its profiles has.
Resources ResourcesOf(const Board& board) {
  Resources most{};
  for (std::uint32_t row = 0; row < std::min(board.profile_count, kMaxProfiles); ++row) {
    const Resources profile = ResourcesOf(board.profiles[row]);
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], profile[i]);
  }
  most[0] = board.compute_slices;
  return most;
}

bool IsPlacement(const ProfileRow& profile, std::uint32_t start) {
  const auto* end = profile.placement_starts + std::min(profile.placement_count, kMaxPlacements);
  return std::find(profile.placement_starts, end, start) != end;
}

}  // namespace

const ProfileRow* FindProfileById(const Board& board, std::uint32_t profile_id) {
  for (std::uint32_t row = 0; row < board.profile_count; ++row) {
    if (board.profiles[row].id == profile_id) return &board.profiles[row];
  }
  return nullptr;
}

const ProfileRow* FindProfileByIndex(const Board& board, std::uint32_t profile_index) {
  for (std::uint32_t row = 0; row < board.profile_count; ++row) {
    if (board.profiles[row].index == profile_index) return &board.profiles[row];
  }
  return nullptr;
}

std::uint32_t InstanceId(const Board& board, std::uint32_t start, std::uint32_t size) {
  return board.memory_slices / size - 1 + start / size;
}

nvmlReturn_t CheckPlacement(const Board& board, const GpuState& state, const ProfileRow& profile, std::uint32_t start) {
  if (!IsPlacement(profile, start)) return NVML_ERROR_INVALID_ARGUMENT;
  Resources sum = ResourcesOf(profile);
  std::uint32_t of_profile = 1;
  for (const GpuInstance& instance : state.instances) {
    if (instance.serial == 0) continue;
    if (Overlap(start, profile.placement_size, instance.start, instance.size)) return NVML_ERROR_INSUFFICIENT_RESOURCES;
    const ProfileRow& other = board.profiles[instance.profile % kMaxProfiles];
    if (other.id == profile.id) ++of_profile;
    const Resources used = ResourcesOf(other);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += used[i];
  }
  const Resources most = ResourcesOf(board);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (sum[i] > most[i]) return NVML_ERROR_INSUFFICIENT_RESOURCES;
  }
  return of_profile > profile.max_instances ? NVML_ERROR_INSUFFICIENT_RESOURCES : NVML_SUCCESS;
}

std::optional<std::uint32_t> FindPlacement(const Board& board, const GpuState& state, const ProfileRow& profile) {
  for (std::uint32_t i = 0; i < std::min(profile.placement_count, kMaxPlacements); ++i) {
    const std::uint32_t start = profile.placement_starts[i];
    if (CheckPlacement(board, state, profile, start) == NVML_SUCCESS) return start;
  }
  return std::nullopt;
}

unsigned RemainingCapacity(const Board& board, const GpuState& state, const ProfileRow& profile) {
  GpuState filled = state;
  unsigned count = 0;
  while (const auto start = FindPlacement(board, filled, profile)) {
    GpuInstance& instance = filled.instances[InstanceId(board, *start, profile.placement_size) % kMaxInstances];
    instance = {};
    instance.serial = 1;
    instance.profile = static_cast<std::uint32_t>(&profile - board.profiles);
    instance.start = *start;
    instance.size = profile.placement_size;
    ++count;
  }
  return count;
}

std::optional<ComputeProfile> FindComputeProfile(const ProfileRow& gpu_profile, std::uint32_t profile_index) {
  if (profile_index >= kComputeSlices.size()) return std::nullopt;
  const std::uint32_t slices = kComputeSlices[profile_index];
  const std::uint32_t all = gpu_profile.compute_slices;
  if (!IsComputeSize(slices, all)) return std::nullopt;
  ComputeProfile profile;
  profile.id = profile_index;
  profile.slices = slices;
  profile.max_instances = all / slices;
  // Multiprocessors come in pairs.
  profile.multiprocessors =
      slices == all ? gpu_profile.multiprocessors : gpu_profile.multiprocessors * slices / all / 2 * 2;
  return profile;
}

std::optional<std::uint32_t> FindComputePlacement(const ProfileRow& gpu_profile, const GpuInstance& instance,
                                                  std::uint32_t slices) {
  for (std::uint32_t start = 0; start + slices <= gpu_profile.compute_slices; ++start) {
    const bool free = std::ranges::none_of(instance.compute, [&](const ComputeInstance& other) {
      return other.serial != 0 && Overlap(start, slices, other.start, other.slices);
    });
    if (free) return start;
  }
  return std::nullopt;
}

std::optional<MigSlot> NthMigDevice(const GpuState& state, unsigned index) {
  for (std::uint32_t gi = 0; gi < kMaxInstances; ++gi) {
    if (state.instances[gi].serial == 0) continue;
    for (std::uint32_t ci = 0; ci < kMaxComputeInstances; ++ci) {
      if (state.instances[gi].compute[ci].serial == 0) continue;
      if (index-- == 0) return MigSlot{gi, ci};
    }
  }
  return std::nullopt;
}

}  // namespace kumiko::fakenvml
