#include "gpu/geometry.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/text.h"

namespace kumiko::gpu {
namespace {

std::int64_t MediaEngines(const Engines& engines) {
  return engines.decoders + engines.encoders + engines.jpeg_engines + engines.ofa_engines;
}

auto SizeKey(const Profile& profile) {
  return std::tuple(profile.slots(), profile.compute_slices, MediaEngines(profile.engines), profile.gi_profile_id);
}

// (profile, placement) pairs of an empty board that stay possible beside `placement`.
int OpenBeside(const std::vector<Profile>& profiles, const Placement& placement) {
  int open = 0;
  for (const Profile& profile : profiles) {
    open += static_cast<int>(
        std::ranges::count_if(profile.placements, [&](const Placement& other) { return !other.Overlaps(placement); }));
  }
  return open;
}

// A running sum of what instances take from the counters of their board.
struct Taken {
  Engines engines;
  std::int64_t memory_bytes = 0;

  Taken Plus(const Profile& profile) const {
    Taken sum = *this;
    sum.memory_bytes += profile.memory_bytes;
    sum.engines.multiprocessors += profile.engines.multiprocessors;
    sum.engines.copy_engines += profile.engines.copy_engines;
    sum.engines.decoders += profile.engines.decoders;
    sum.engines.encoders += profile.engines.encoders;
    sum.engines.jpeg_engines += profile.engines.jpeg_engines;
    sum.engines.ofa_engines += profile.engines.ofa_engines;
    return sum;
  }
  bool Within(const BoardMaximum& maximum) const {
    return memory_bytes <= maximum.memory_bytes && engines.multiprocessors <= maximum.engines.multiprocessors &&
           engines.copy_engines <= maximum.engines.copy_engines && engines.decoders <= maximum.engines.decoders &&
           engines.encoders <= maximum.engines.encoders && engines.jpeg_engines <= maximum.engines.jpeg_engines &&
           engines.ofa_engines <= maximum.engines.ofa_engines;
  }
};

// What instances may take together. A number that some profile of the board does not tell sets no limit: the memory
// slots alone then decide.
BoardMaximum LimitsOf(const std::vector<Profile>& profiles) {
  constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
  BoardMaximum limits = MaximumOf(profiles);
  for (const Profile& profile : profiles) {
    for (const std::string& field : profile.missing_fields) {
      if (field == "memoryMiB") limits.memory_bytes = kUnlimited;
      if (field == "multiprocessors") limits.engines.multiprocessors = kUnlimited;
      if (field == "copyEngines") limits.engines.copy_engines = kUnlimited;
      if (field == "decoders") limits.engines.decoders = kUnlimited;
      if (field == "encoders") limits.engines.encoders = kUnlimited;
      if (field == "jpegEngines") limits.engines.jpeg_engines = kUnlimited;
      if (field == "ofaEngines") limits.engines.ofa_engines = kUnlimited;
    }
  }
  return limits;
}

// Depth-first search over placements in order of preference; boards are so small that it ends at once.
class StaticSearch {
 public:
  StaticSearch(const std::vector<Profile>& all, std::vector<const Profile*> wanted)
      : all_(all), wanted_(std::move(wanted)), limits_(LimitsOf(all)), placements_(wanted_.size()) {
    for (const Slot& slot : SlotsByPreference(all_)) slots_.push_back(slot);
  }

  bool Run() { return Place(0, Taken{}); }
  const std::vector<Placement>& placements() const { return placements_; }

 private:
  bool Place(std::size_t index, const Taken& taken) {
    if (index == wanted_.size()) return true;
    const Profile& profile = *wanted_[index];
    if (std::count(wanted_.begin(), wanted_.end(), &profile) > profile.max_instances) return false;
    const Taken sum = taken.Plus(profile);
    if (!sum.Within(limits_)) return false;
    for (const Slot& slot : slots_) {
      if (slot.profile->name != profile.name) continue;
      const bool free = std::none_of(placements_.begin(), placements_.begin() + static_cast<std::ptrdiff_t>(index),
                                     [&](const Placement& used) { return used.Overlaps(slot.placement); });
      if (!free) continue;
      placements_[index] = slot.placement;
      if (Place(index + 1, sum)) return true;
    }
    return false;
  }

  const std::vector<Profile>& all_;
  std::vector<const Profile*> wanted_;
  BoardMaximum limits_;
  std::vector<Placement> placements_;
  std::vector<Slot> slots_;
};

}  // namespace

BoardMaximum MaximumOf(const std::vector<Profile>& profiles) {
  BoardMaximum maximum;
  for (const Profile& profile : profiles) {
    maximum.memory_bytes = std::max(maximum.memory_bytes, profile.memory_bytes);
    Engines& engines = maximum.engines;
    engines.multiprocessors = std::max(engines.multiprocessors, profile.engines.multiprocessors);
    engines.copy_engines = std::max(engines.copy_engines, profile.engines.copy_engines);
    engines.decoders = std::max(engines.decoders, profile.engines.decoders);
    engines.encoders = std::max(engines.encoders, profile.engines.encoders);
    engines.jpeg_engines = std::max(engines.jpeg_engines, profile.engines.jpeg_engines);
    engines.ofa_engines = std::max(engines.ofa_engines, profile.engines.ofa_engines);
    for (const Placement& placement : profile.placements) maximum.slots = std::max(maximum.slots, placement.size);
  }
  return maximum;
}

std::vector<Slot> SlotsByPreference(const std::vector<Profile>& profiles) {
  std::vector<const Profile*> by_size;
  for (const Profile& profile : profiles) by_size.push_back(&profile);
  std::ranges::stable_sort(by_size, {}, [](const Profile* profile) { return SizeKey(*profile); });
  std::vector<Slot> slots;
  for (const Profile* profile : by_size) {
    std::vector<Placement> placements = profile->placements;
    std::ranges::stable_sort(placements, {}, [&](const Placement& placement) {
      return std::tuple(-OpenBeside(profiles, placement), placement.start);
    });
    for (const Placement& placement : placements) slots.push_back({profile, placement});
  }
  return slots;
}

Result<std::vector<PlacedProfile>> PlaceStatic(const Model& model, const std::vector<std::string>& profile_names) {
  std::vector<Profile> wanted;
  for (const std::string& name : profile_names) {
    KU_TRY(wanted.emplace_back(), UsableProfile(model, name));
  }
  // Numbers of profiles that were not asked for may be unknown; their places count all the same.
  std::vector<Profile> all = model.board == nullptr ? std::vector<Profile>{} : model.board->profiles;
  for (const Profile& profile : wanted) {
    std::ranges::replace_if(all, [&](const Profile& row) { return row.name == profile.name; }, profile);
  }

  // Large ones first: they have the fewest places. `order` leads back to the caller's order.
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t index) { return SizeKey(wanted[index]); });
  std::vector<const Profile*> sorted;
  for (const std::size_t index : order) {
    sorted.push_back(&*std::ranges::find(all, wanted[index].name, &Profile::name));
  }
  StaticSearch search(all, std::move(sorted));
  if (!search.Run()) {
    return Fail(Code::kInvalidArgument, "profiles {} do not fit on one {} together", Join(profile_names, ", "),
                model.product_name);
  }
  std::vector<PlacedProfile> placed(wanted.size());
  for (std::size_t i = 0; i < order.size(); ++i) placed[order[i]] = {wanted[order[i]], search.placements()[i]};
  return placed;
}

}  // namespace kumiko::gpu
