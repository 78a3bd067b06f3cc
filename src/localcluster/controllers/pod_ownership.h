// Which pods belong to a workload: adopting those without a controller that its selector matches, releasing those that
// it no longer matches. Source: pkg/controller/controller_ref_manager.go of Kubernetes 1.37.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "api/meta/object_meta.h"
#include "kube/api_client.h"
#include "localcluster/controllers/owned_index.h"
#include "localcluster/controllers/pod_state.h"
#include "localcluster/controllers/step_result.h"
#include "localcluster/controllers/work_list.h"

namespace kumiko::localcluster {

// Writes the controller reference to `owner` (its key, apiVersion and uid) into an object that has none.
Status Adopt(kube::ApiClient& api, const kube::ObjectKey& object, const kube::ObjectKey& owner,
             const std::string& owner_uid);
// Takes the reference to `owner_uid` out.
Status Release(kube::ApiClient& api, const kube::ObjectKey& object, const std::string& owner_uid);

template <class T>
const api::LabelSelector& SelectorOf(const T& owner) {
  static const api::LabelSelector kNothing;
  if constexpr (requires { owner.spec.selector.value(); }) {
    return owner.spec.selector ? *owner.spec.selector : kNothing;
  } else if constexpr (requires { owner.spec.selector; }) {
    return owner.spec.selector;
  } else {
    return kNothing;  // goes by owner references alone
  }
}
// One that is not given; controllers take it to match nothing.
inline bool IsEmpty(const api::LabelSelector& selector) {
  return selector.match_labels.empty() && selector.match_expressions.empty();
}

// The workloads of kind T with the objects of kind U that they control (pods of ReplicaSets, ReplicaSets of
// Deployments). Owned by the stepping thread.
template <class T, class U>
class Ownership {
 public:
  Ownership(OwnedIndex<T>& owners, OwnedIndex<U>& owned)
      : owners_(owners), owned_(owned), owner_feed_(owners.AddReader()), owned_feed_(owned.AddReader()) {}

  // Takes in what changed; owners that must be looked at are put on `work`. Calls `on_gone` with the uid of owners that
  // are gone.
  template <class OnGone>
  Status Sync(WorkList& work, OnGone on_gone) {
    KU_TRY(const auto owner_changes, owners_.Read(owner_feed_));
    KU_TRY(const auto owned_changes, owned_.Read(owned_feed_));
    for (const auto& change : owner_changes) {
      if (change.after == nullptr || (change.before && change.before->metadata.uid != change.after->metadata.uid)) {
        if (change.before) on_gone(change.before->metadata.uid);
      }
      if (change.after == nullptr) {
        by_namespace_[change.key.namespace_].erase(change.key);
        orphans_.erase(change.key);
        continue;
      }
      work.Add(change.key);
      if (change.before == nullptr) {
        by_namespace_[change.key.namespace_].insert(change.key);
        FindOrphansFor(*change.after, change.key);
      }
    }
    for (const auto& change : owned_changes) {
      if (change.before) MarkOwner(*change.before, work);
      if (change.after) MarkOwner(*change.after, work);
      if (change.after && IsOrphan(*change.after)) OfferOrphan(*change.after, change.key, work);
    }
    return {};
  }
  Status Sync(WorkList& work) {
    return Sync(work, [](const std::string&) {});
  }

  std::shared_ptr<const T> Find(const kube::ObjectKey& key) const { return owners_.Find(key); }
  const typename OwnedIndex<T>::Objects& owners() const { return owners_.objects(); }

  // What `owner` controls, in the order of names, after adopting and releasing. An owner that is being deleted does
  // neither.
  std::vector<std::shared_ptr<const U>> Claim(const T& owner, const kube::ObjectKey& key, StepResult& result) {
    const api::LabelSelector& selector = SelectorOf(owner);
    const bool deleting = owner.metadata.deletion_timestamp.has_value();
    std::vector<std::shared_ptr<const U>> claimed;
    for (const auto& [object_key, object] : owned_.OwnedBy(owner.metadata.uid)) {
      if (object_key.namespace_ != key.namespace_) continue;
      if (IsEmpty(selector) || api::Matches(selector, object->metadata.labels)) {
        claimed.push_back(object);
      } else if (!deleting && !object->metadata.deletion_timestamp) {
        result.Note(Release(owners_.api(), object_key, owner.metadata.uid));
      }
    }
    if (deleting) return claimed;
    const auto offered = orphans_.extract(key);
    if (offered.empty()) return claimed;
    for (const kube::ObjectKey& object_key : offered.mapped()) {
      const auto object = owned_.Find(object_key);
      if (object == nullptr || !IsOrphan(*object) || !api::Matches(selector, object->metadata.labels)) continue;
      if (result.Note(Adopt(owners_.api(), object_key, key, owner.metadata.uid))) claimed.push_back(object);
    }
    return claimed;
  }

 private:
  static bool IsOrphan(const U& object) {
    return api::ControllerOf(object.metadata) == nullptr && !object.metadata.deletion_timestamp;
  }

  void MarkOwner(const U& object, WorkList& work) {
    const api::OwnerReference* owner = api::ControllerOf(object.metadata);
    if (owner == nullptr || owner->kind != T::kKind) return;
    const kube::ObjectKey key{T::kKind, object.metadata.namespace_, owner->name};
    if (const auto found = owners_.Find(key); found && found->metadata.uid == owner->uid) work.Add(key);
  }

  void OfferOrphan(const U& object, const kube::ObjectKey& object_key, WorkList& work) {
    const auto candidates = by_namespace_.find(object_key.namespace_);
    if (candidates == by_namespace_.end()) return;
    for (const kube::ObjectKey& key : candidates->second) {
      const api::LabelSelector& selector = SelectorOf(*owners_.Find(key));
      if (IsEmpty(selector) || !api::Matches(selector, object.metadata.labels)) continue;
      orphans_[key].insert(object_key);
      work.Add(key);
    }
  }

  // Orphans that were there before the owner was.
  void FindOrphansFor(const T& owner, const kube::ObjectKey& key) {
    const api::LabelSelector& selector = SelectorOf(owner);
    if (IsEmpty(selector)) return;
    const auto& objects = owned_.objects();
    for (auto at = objects.lower_bound({U::kKind, key.namespace_, ""}); at != objects.end(); ++at) {
      if (at->first.namespace_ != key.namespace_) break;
      if (IsOrphan(*at->second) && api::Matches(selector, at->second->metadata.labels)) orphans_[key].insert(at->first);
    }
  }

  OwnedIndex<T>& owners_;
  OwnedIndex<U>& owned_;
  std::size_t owner_feed_;
  std::size_t owned_feed_;
  std::map<std::string, std::set<kube::ObjectKey>> by_namespace_;
  std::map<kube::ObjectKey, std::set<kube::ObjectKey>> orphans_;  // by the owner that may adopt them
};

}  // namespace kumiko::localcluster
