#include "localcluster/pod_claims.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/suggest.h"

namespace kumiko::localcluster {
namespace {

PodClaims Blocked(std::string reason) {
  return {PodClaims::State::kBlocked, std::move(reason), {}};
}
PodClaims Waiting() {
  return {PodClaims::State::kWaiting, "", {}};
}

std::string DidYouMean(const std::string& word, const std::vector<std::string>& names) {
  const std::optional<std::string> nearest = Suggest(word, names);
  return nearest ? fmt::format("; did you mean \"{}\"?", *nearest) : "";
}

template <class T>
std::vector<std::string> NamesIn(const kube::Informer<T>& informer, const std::string& in) {
  std::vector<std::string> names;
  for (const auto& [key, object] : informer.objects()) {
    if (key.namespace_ == in) names.push_back(key.name);
  }
  return names;
}

}  // namespace

std::optional<std::string> MissingClass(const api::ResourceClaim& claim, const allocator::Inventory& inventory) {
  for (const api::DeviceRequest& request : claim.spec.devices.requests) {
    std::vector<const api::DeviceSubRequest*> parts;
    if (request.exactly) parts.push_back(&*request.exactly);
    for (const api::DeviceSubRequest& part : request.first_available) parts.push_back(&part);
    for (const api::DeviceSubRequest* part : parts) {
      if (inventory.FindClass(part->device_class_name) != nullptr) continue;
      return fmt::format("claim {}: request {}: device class \"{}\" does not exist{}", claim.metadata.name,
                         request.name, part->device_class_name,
                         DidYouMean(part->device_class_name, inventory.ClassNames()));
    }
  }
  return std::nullopt;
}

PodClaims FindClaims(const api::Pod& pod, const ClusterModel& model) {
  const auto& claims = model.claims();
  const auto& templates = model.templates();
  PodClaims found;
  const std::string& in = pod.metadata.namespace_;
  for (const api::PodResourceClaim& entry : pod.spec.resource_claims) {
    std::string name = entry.resource_claim_name.value_or("");
    if (entry.resource_claim_template_name) {
      const auto& statuses = pod.status.resource_claim_statuses;
      const auto status = std::find_if(statuses.begin(), statuses.end(),
                                       [&](const api::PodResourceClaimStatus& s) { return s.name == entry.name; });
      if (status == statuses.end()) {
        const std::string& wanted = *entry.resource_claim_template_name;
        if (templates.Find(in, wanted) != nullptr) return Waiting();
        return Blocked(fmt::format("resource claim template \"{}\" does not exist in namespace {}{}", wanted, in,
                                   DidYouMean(wanted, NamesIn(templates, in))));
      }
      if (!status->resource_claim_name) continue;
      name = *status->resource_claim_name;
    }
    const std::shared_ptr<const api::ResourceClaim> claim = claims.Find(in, name);
    if (claim == nullptr) {
      if (entry.resource_claim_template_name) return Waiting();
      return Blocked(fmt::format("resource claim \"{}\" does not exist in namespace {}{}", name, in,
                                 DidYouMean(name, NamesIn(claims, in))));
    }
    if (claim->metadata.deletion_timestamp) {
      return Blocked(fmt::format("resource claim \"{}\" is being deleted", name));
    }
    const api::OwnerReference* owner = api::ControllerOf(claim->metadata);
    if (entry.resource_claim_template_name && (owner == nullptr || owner->uid != pod.metadata.uid)) {
      return Blocked(fmt::format("resource claim \"{}\" was not made for this pod", name));
    }
    const auto& consumers = claim->status.reserved_for;
    const bool reserved = std::any_of(consumers.begin(), consumers.end(),
                                      [&](const auto& consumer) { return consumer.uid == pod.metadata.uid; });
    if (!reserved && consumers.size() >= api::kMaxReservedFor) {
      return Blocked(fmt::format("resource claim \"{}\" is in use by {} pods, the most that may share one claim", name,
                                 consumers.size()));
    }
    if (!claim->status.allocation) {
      if (std::optional<std::string> missing = MissingClass(*claim, model.inventory()))
        return Blocked(std::move(*missing));
    }
    if (std::find(found.claims.begin(), found.claims.end(), claim) == found.claims.end()) found.claims.push_back(claim);
  }
  return found;
}

}  // namespace kumiko::localcluster
