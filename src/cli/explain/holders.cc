#include "cli/explain/holders.h"

#include <fmt/format.h>

#include "api/core/pod_annotations.h"

namespace kumiko::cli {
namespace {

std::optional<Time> DeclaredEnd(const localcluster::ClusterModel& model, const std::string& namespace_,
                                const std::string& name) {
  const auto pod = model.pods().Find(namespace_, name);
  if (pod == nullptr || !pod->status.start_time) return std::nullopt;
  const auto declared = pod->metadata.annotations.find(api::kRunForAnnotation);
  if (declared == pod->metadata.annotations.end()) return std::nullopt;
  const Result<Duration> run_time = api::ParseRunTime(declared->second);
  if (!run_time) return std::nullopt;
  return *pod->status.start_time + *run_time;
}

std::string NameOf(const api::ResourceClaim& claim) {
  const auto& users = claim.status.reserved_for;
  if (users.empty()) return "claim " + api::QualifiedName(claim.metadata);
  const std::string first = claim.metadata.namespace_ + "/" + users.front().name;
  return users.size() == 1 ? first : fmt::format("{} and {} more", first, users.size() - 1);
}

}  // namespace

Holders::Holders(const localcluster::ClusterModel& model) {
  std::map<std::string, Holder> by_name;
  for (const auto& [key, claim] : model.claims().objects()) {
    if (!claim->status.allocation) continue;
    Holder& holder = by_name[NameOf(*claim)];
    for (const auto& result : claim->status.allocation->devices.results) {
      if (!result.admin_access.value_or(false)) holder.devices.push_back({result.driver, result.pool, result.device});
    }
    const auto& users = claim->status.reserved_for;
    if (users.size() == 1) holder.ends = DeclaredEnd(model, key.namespace_, users.front().name);
  }
  for (auto& [name, holder] : by_name) {
    holder.name = name;
    for (const auto& device : holder.devices) of_device_[device] = holders_.size();
    holders_.push_back(std::move(holder));
  }
}

const Holder* Holders::Of(const allocator::DeviceId& device) const {
  const auto found = of_device_.find(device);
  return found == of_device_.end() ? nullptr : &holders_[found->second];
}

}  // namespace kumiko::cli
