// What keeps controllers from making pods without end: how many pods one step and one owner may have made, and how long
// an owner waits before it replaces pods that have ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "api/core/types.h"
#include "base/clock.h"

namespace kumiko::localcluster {

inline constexpr std::int64_t kMostPodsPerStep = 500;
inline constexpr std::int64_t kMostPodsPerOwner = 10'000;

// `wanted`, or the limit; the first time that an owner is held back, a warning names it.
class OwnerLimit {
 public:
  std::int64_t Cap(std::string_view kind, const api::ObjectMeta& owner, std::int64_t wanted);

 private:
  std::set<std::string> warned_;  // uids
};

// Per owner: after a pod has ended, none is made in its place for 10 s, after the next for twice as long, up to 5 min.
// An owner whose pods have not ended for 10 min begins anew.
class ReplaceDelay {
 public:
  // Takes in a pod of the owner that has ended; the same pod counts once.
  void Ended(const std::string& owner_uid, const std::string& pod_uid, Time now);
  // How many of the owner's pods may not be replaced yet.
  std::int64_t Waiting(const std::string& owner_uid, Time now) const;
  // When the next may be.
  std::optional<Time> NextWake(Time now) const;
  // Drops all others.
  void KeepOnly(const std::set<std::string>& owner_uids);

 private:
  struct Owner {
    std::set<std::string> seen;
    Duration delay = Duration::zero();
    Time until;
    std::int64_t waiting = 0;
  };
  std::map<std::string, Owner> owners_;
};

}  // namespace kumiko::localcluster
