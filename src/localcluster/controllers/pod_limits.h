// What keeps controllers from making pods without end: how many pods one step and one owner may have made.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "api/meta/object_meta.h"

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

}  // namespace kumiko::localcluster
