#include "localcluster/node/pod_addresses.h"

#include <fmt/core.h>

#include "base/text.h"

namespace kumiko::localcluster {

std::string PodAddressPool::Give(const std::string& pod_uid) {
  auto known = given_.find(pod_uid);
  if (known == given_.end()) {
    if (taken_.size() + 2 >= kSize) return "";
    while (taken_.contains(next_)) next_ = next_ + 1 < kSize ? next_ + 1 : 2;
    taken_.insert(next_);
    known = given_.emplace(pod_uid, next_).first;
    next_ = next_ + 1 < kSize ? next_ + 1 : 2;
  }
  const std::uint32_t host = known->second;
  return fmt::format("10.{}.{}.{}", 244 + (host >> 16), host >> 8 & 0xff, host & 0xff);
}

void PodAddressPool::Keep(const std::string& pod_uid, const std::string& address) {
  const auto parts = Split(address, '.');
  if (parts.size() != 4) return;
  std::uint32_t host = 0;
  for (std::size_t i = 1; i < 4; ++i) {
    host = host << 8 | static_cast<std::uint32_t>(ParseInt64(parts[i]).value_or(0) & 0xff);
  }
  host -= 244U << 16;
  if (host < kSize && taken_.insert(host).second) given_.emplace(pod_uid, host);
}

void PodAddressPool::TakeBack(const std::string& pod_uid) {
  const auto known = given_.find(pod_uid);
  if (known == given_.end()) return;
  taken_.erase(known->second);
  given_.erase(known);
}

}  // namespace kumiko::localcluster
