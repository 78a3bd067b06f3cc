#include "localcluster/controllers/pod_limits.h"

#include <algorithm>

#include "base/log.h"

namespace kumiko::localcluster {
namespace {

constexpr Duration kFirstDelay = std::chrono::seconds(10);
constexpr Duration kLongestDelay = std::chrono::minutes(5);
constexpr Duration kForgottenAfter = std::chrono::minutes(10);

}  // namespace

std::int64_t OwnerLimit::Cap(std::string_view kind, const api::ObjectMeta& owner, std::int64_t wanted) {
  if (wanted <= kMostPodsPerOwner) return wanted;
  if (warned_.insert(owner.uid).second) {
    Log(LogLevel::kWarning, "the local cluster makes no more pods for this object",
        {{"kind", kind},
         {"object", owner.namespace_ + "/" + owner.name},
         {"wanted", wanted},
         {"limit", kMostPodsPerOwner}});
  }
  return kMostPodsPerOwner;
}

void ReplaceDelay::Ended(const std::string& owner_uid, const std::string& pod_uid, Time now) {
  Owner& owner = owners_[owner_uid];
  if (!owner.seen.insert(pod_uid).second) return;
  if (now >= owner.until) {
    const bool anew = owner.delay == Duration::zero() || now - owner.until >= kForgottenAfter;
    owner.delay = anew ? kFirstDelay : std::min(owner.delay * 2, kLongestDelay);
    owner.until = now + owner.delay;
    owner.waiting = 0;
  }
  ++owner.waiting;
}

std::int64_t ReplaceDelay::Waiting(const std::string& owner_uid, Time now) const {
  const auto found = owners_.find(owner_uid);
  return found == owners_.end() || now >= found->second.until ? 0 : found->second.waiting;
}

std::optional<Time> ReplaceDelay::NextWake(Time now) const {
  std::optional<Time> earliest;
  for (const auto& [uid, owner] : owners_) {
    if (owner.until > now && (!earliest || owner.until < *earliest)) earliest = owner.until;
  }
  return earliest;
}

void ReplaceDelay::KeepOnly(const std::set<std::string>& owner_uids) {
  std::erase_if(owners_, [&](const auto& entry) { return !owner_uids.contains(entry.first); });
}

}  // namespace kumiko::localcluster
