#include "localcluster/cluster_model.h"

#include <memory>
#include <optional>

namespace kumiko::localcluster {
namespace {

// Hands each changed object, or null when it is gone, to `take`; returns whether there was any.
template <class T, class Take>
Result<bool> Follow(kube::Informer<T>& informer, const Take& take) {
  KU_TRY(const std::vector<kube::ObjectKey> changed, informer.Sync());
  for (const kube::ObjectKey& key : changed) {
    const auto found = informer.objects().find(key);
    take(key, found == informer.objects().end() ? nullptr : found->second.get());
  }
  return !changed.empty();
}

}  // namespace

ClusterModel::ClusterModel(kube::ApiClient& api, const allocator::Features& features, Slices slices)
    : inventory_(features),
      pods_(api),
      claims_(api),
      templates_(api),
      nodes_(api),
      slices_(api, api::ResourceSlice::kKind),
      keeping_(slices),
      classes_(api),
      taint_rules_(api) {}

// One slice after the other: thousands of nodes have more of them than memory should hold at once.
Result<bool> ClusterModel::SyncSlices() {
  KU_TRY(const std::vector<kube::TreeInformer::Change> changes, slices_.Sync());
  for (const auto& [key, object] : changes) {
    if (object == nullptr) {
      inventory_.RemoveSlice(key.name);
      kept_slices_.erase(key);
      continue;
    }
    KU_TRY(auto slice, api::Decode<api::ResourceSlice>(*object.tree()), "{} {}", key.kind, key.name);
    inventory_.UpsertSlice(slice);
    if (keeping_ == Slices::kKept) kept_slices_[key] = std::make_shared<const api::ResourceSlice>(std::move(slice));
  }
  return !changes.empty();
}

Result<bool> ClusterModel::SyncPublished() {
  KU_TRY(const bool slices, SyncSlices());
  KU_TRY(const bool nodes, Follow(nodes_, [&](const kube::ObjectKey& key, const api::Node* node) {
           node == nullptr ? inventory_.RemoveNode(key.name) : inventory_.UpsertNode(*node);
         }));
  KU_TRY(const bool classes, Follow(classes_, [&](const kube::ObjectKey& key, const api::DeviceClass* device_class) {
           device_class == nullptr ? inventory_.RemoveClass(key.name) : inventory_.UpsertClass(*device_class);
         }));
  const Result<bool> rules = Follow(taint_rules_, [&](const kube::ObjectKey& key, const api::DeviceTaintRule* rule) {
    rule == nullptr ? inventory_.RemoveTaintRule(key.name) : inventory_.UpsertTaintRule(*rule);
  });
  // Off by default, unlike the other kinds of their group.
  if (!rules && rules.error().code != Code::kNotFound) return tl::unexpected<Error>(rules.error());
  return slices || nodes || classes || rules.value_or(false);
}

// Returns whether devices were given back.
bool ClusterModel::Account(const kube::ObjectKey& key) {
  const auto found = claims_.objects().find(key);
  const auto known = accounted_.find(key);
  const std::optional<api::AllocationResult>* now =
      found == claims_.objects().end() ? nullptr : &found->second->status.allocation;
  const bool has = now != nullptr && now->has_value();
  const std::string uid = has ? found->second->metadata.uid : "";
  // The API server never changes an allocation in place.
  if (known != accounted_.end() && has && known->second.first == uid) return false;
  const bool gave_back = known != accounted_.end();
  if (gave_back) {
    state_.Remove(known->second.second);
    accounted_.erase(known);
  }
  if (has) {
    state_.Add(**now);
    accounted_[key] = {uid, **now};
  }
  return gave_back;
}

Result<ClusterModel::Changes> ClusterModel::Sync() {
  Changes changes;
  KU_TRY(changes.published, SyncPublished());
  KU_TRY(const auto changed_claims, claims_.Sync());
  for (const kube::ObjectKey& key : changed_claims) changes.freed = Account(key) || changes.freed;
  KU_TRY(const auto changed_templates, templates_.Sync());
  KU_TRY(changes.pods, pods_.Sync());
  for (const kube::ObjectKey& key : changes.pods) {
    const auto pod = pods_.objects().find(key);
    const api::Pod* now = pod == pods_.objects().end() ? nullptr : pod->second.get();
    changes.freed = uses_.Update(key.namespace_ + "/" + key.name, now) || changes.freed;
  }
  state_.Commit();
  changes.any = changes.published || !changed_claims.empty() || !changed_templates.empty() || !changes.pods.empty();
  return changes;
}

std::optional<Error> ClusterModel::Trouble() const {
  for (std::optional<Error> trouble : {pods_.trouble(), claims_.trouble(), templates_.trouble(), nodes_.trouble(),
                                       slices_.trouble(), classes_.trouble()}) {
    if (trouble) return trouble;
  }
  return std::nullopt;
}

}  // namespace kumiko::localcluster
