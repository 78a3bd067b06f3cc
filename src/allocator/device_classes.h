// Which devices and which situations a search cannot tell apart. Devices of one class are asked the same questions with
// the same answers; boards of one class have the same devices and the same free counters. A situation that led nowhere
// is not searched again in any arrangement that differs only by swapping such devices or boards.
#pragma once

#include <cstdint>
#include <vector>

#include "allocator/constraint.h"
#include "allocator/device_match.h"
#include "allocator/in_flight.h"
#include "allocator/request_plan.h"

namespace kumiko::allocator {

// Wide enough that two situations of one search never meet by chance.
struct SituationKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const SituationKey&) const = default;
};
struct SituationKeyHash {
  using is_avalanching = void;
  std::size_t operator()(const SituationKey& key) const { return key.low; }
};

class DeviceClasses {
 public:
  // Looks at every device of the node; `start` is the state before the first pick.
  DeviceClasses(const InFlight& start, const Plan& plan, DeviceMatches& matches, const Features& features);

  // Equal keys: a search that failed with one candidate fails with the other.
  SituationKey CandidateKey(const InFlight& in_flight, std::uint32_t device) const;
  // Equal keys: from here on the same succeeds. `constraints` are those of the current claim.
  SituationKey RequestKey(const InFlight& in_flight, std::uint32_t claim, std::uint32_t request, std::size_t chosen,
                          const std::vector<ConstraintState>& constraints) const;

 private:
  SituationKey BoardKey(const InFlight& in_flight, std::uint32_t board, std::uint32_t from_position,
                        bool& changed) const;
  std::uint64_t PickKey(const Pick& pick) const;

  const Plan* plan_;
  std::vector<std::uint64_t> class_of_device_;
  std::vector<SituationKey> class_of_board_;
  std::vector<std::uint32_t> first_position_;  // by claim: number of its first request over all claims
  std::vector<std::uint32_t> last_use_;        // by device: one past the last request that could take it
  bool has_admin_ = false;
  bool groups_matter_ = false;
};

}  // namespace kumiko::allocator
