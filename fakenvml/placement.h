// What may stand on a board together: the rules of MIG. Pure functions of a board and its state.
//
// GPU instance ids follow from the place, as on hardware: a board's memory slices form a tree, and an instance's id is
// the number of its node, counted from the root.
//
//   7g                       0
//   4g at 0, 3g    1                    2
//   two slices   3     4             5     6
//   one slice   7 8   9 10         11 12  13
#pragma once

#include <cstdint>
#include <optional>

#include "fakenvml/state.h"
#include "gpu/nvml_abi.h"

namespace kumiko::fakenvml {

// Null when the board has no such profile.
const ProfileRow* FindProfileById(const Board& board, std::uint32_t profile_id);
const ProfileRow* FindProfileByIndex(const Board& board, std::uint32_t profile_index);

// The id of an instance of `size` memory slices at `start`.
std::uint32_t InstanceId(const Board& board, std::uint32_t start, std::uint32_t size);

// NVML_SUCCESS when an instance of the profile can be made at `start` now; NVML_ERROR_INVALID_ARGUMENT when the board
// has no such placement; NVML_ERROR_INSUFFICIENT_RESOURCES when slices, engines or the profile's number are used up.
nvmlReturn_t CheckPlacement(const Board& board, const GpuState& state, const ProfileRow& profile, std::uint32_t start);
// The first placement that is free.
std::optional<std::uint32_t> FindPlacement(const Board& board, const GpuState& state, const ProfileRow& profile);
// How many more instances of the profile would fit, were all free room given to them.
unsigned RemainingCapacity(const Board& board, const GpuState& state, const ProfileRow& profile);

// Compute instances of a GPU instance: profile i has kComputeSlices[i] slices. Null when the instance is too small.
struct ComputeProfile {
  std::uint32_t id = 0;
  std::uint32_t slices = 0;
  std::uint32_t max_instances = 0;
  std::uint32_t multiprocessors = 0;
};
std::optional<ComputeProfile> FindComputeProfile(const ProfileRow& gpu_profile, std::uint32_t profile_index);
// Where the next compute instance of so many slices goes; none when there is no room.
std::optional<std::uint32_t> FindComputePlacement(const ProfileRow& gpu_profile, const GpuInstance& instance,
                                                  std::uint32_t slices);

// MIG devices (compute instances) of the board in the order of their indices.
struct MigSlot {
  std::uint32_t gpu_instance = 0;
  std::uint32_t compute_instance = 0;
};
std::optional<MigSlot> NthMigDevice(const GpuState& state, unsigned index);

}  // namespace kumiko::fakenvml
