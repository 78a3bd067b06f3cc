// Which address each pod has: the next free one of 10.244.0.0/14, the network that clusters commonly give to pods.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace kumiko::localcluster {

// Owned by the stepping thread.
class PodAddressPool {
 public:
  // The address of the pod with this uid, given when it has none; empty when all are taken.
  std::string Give(const std::string& pod_uid);
  // Notes that the pod has this address already.
  void Keep(const std::string& pod_uid, const std::string& address);
  void TakeBack(const std::string& pod_uid);

 private:
  static constexpr std::uint32_t kSize = 1U << 18;

  std::map<std::string, std::uint32_t> given_;
  std::set<std::uint32_t> taken_;
  std::uint32_t next_ = 2;
};

}  // namespace kumiko::localcluster
