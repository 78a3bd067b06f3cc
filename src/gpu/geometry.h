// Where partitions go on a board: orders of preference and the layout of a static cut. Pure functions over the tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/boards.h"

namespace kumiko::gpu {

// A profile at one of its placements.
struct Slot {
  const Profile* profile = nullptr;
  Placement placement;
};

// What a whole board has, as the largest of each number over its profiles (spec node-driver §1.7). `slots` is the
// largest placement.
struct BoardMaximum {
  Engines engines;
  std::int64_t memory_bytes = 0;
  int slots = 0;
};
BoardMaximum MaximumOf(const std::vector<Profile>& profiles);

// Every (profile, placement) of `profiles`, smallest profile first (by memory slots, compute slices, engines, id), and
// of one profile the placement first that leaves most (profile, placement) pairs of an empty board open: a 3g at 4
// before 0, since a 4g fits at 0 only. `profiles` must outlive the answer.
std::vector<Slot> SlotsByPreference(const std::vector<Profile>& profiles);

// Places the named profiles on an empty board of `model`, all of them, so that as much as possible stays open. The
// answer is in the order of `profile_names`. Fails with kInvalidArgument when one is unknown or they do not fit at
// once.
struct PlacedProfile {
  Profile profile;
  Placement placement;
};
Result<std::vector<PlacedProfile>> PlaceStatic(const Model& model, const std::vector<std::string>& profile_names);

}  // namespace kumiko::gpu
