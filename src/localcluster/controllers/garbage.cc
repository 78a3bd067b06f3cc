// Garbage collection by owner references.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/kinds.h"
#include "kube/retry.h"
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/work_list.h"
#include "localcluster/definitions.h"
#include "localcluster/object_tree.h"

namespace kumiko::localcluster {
namespace {

struct Owner {
  std::string uid;
  kube::ObjectKey key;
};

// What matters of an object here.
struct Entry {
  std::string uid;
  std::vector<Owner> owners;
  std::vector<std::string> blocking;  // those of them whose foreground deletion waits for this object
  bool deleting = false;
  bool foreground = false;
  bool orphan = false;
};

// Where the owner of an object in this namespace stands; one of a custom kind may stand in no namespace, too.
kube::ObjectKey OwnerKey(const Json& reference, const std::string& namespace_) {
  std::string kind(StringAt(reference, {"kind"}));
  const std::string_view version = StringAt(reference, {"apiVersion"});
  const std::string_view group = version.substr(0, version.find('/') == std::string_view::npos ? 0 : version.find('/'));
  const api::KindInfo* info = api::FindKind(kind);
  const bool built_in = info != nullptr && info->group == group;
  if (!built_in) kind += "." + std::string(group);
  return {kind, built_in && !info->namespaced ? "" : namespace_, std::string(StringAt(reference, {"name"}))};
}

Entry Read(const kube::ObjectKey& key, const Json& object) {
  Entry entry;
  entry.uid = StringAt(object, {"metadata", "uid"});
  entry.deleting = FindPath(object, {"metadata", "deletionTimestamp"}) != nullptr;
  if (const Json* owners = FindPath(object, {"metadata", "ownerReferences"}); owners != nullptr && owners->is_array()) {
    for (const Json& owner : owners->get_array()) {
      entry.owners.push_back({std::string(StringAt(owner, {"uid"})), OwnerKey(owner, key.namespace_)});
      const Json* blocks = Find(owner, "blockOwnerDeletion");
      if (blocks != nullptr && blocks->is_bool() && blocks->get_bool())
        entry.blocking.push_back(entry.owners.back().uid);
    }
  }
  if (const Json* list = FindPath(object, {"metadata", "finalizers"}); list != nullptr && list->is_array()) {
    for (const Json& finalizer : list->get_array()) {
      if (!finalizer.is_string()) continue;
      entry.foreground |= std::string_view(finalizer.get_string()) == kForegroundFinalizer;
      entry.orphan |= std::string_view(finalizer.get_string()) == kOrphanFinalizer;
    }
  }
  return entry;
}

// Keeps the items of the metadata list `name` for which `keep` holds; drops the list when none is left.
kube::Change KeepInList(std::string_view name, std::function<bool(const Json&)> keep) {
  return [name, keep = std::move(keep)](Json& object) -> Result<bool> {
    JsonObject& metadata = MetadataOf(object);
    Json* list = metadata.if_contains(name);
    if (list == nullptr || !list->is_array()) return false;
    JsonArray left;
    for (const Json& item : list->get_array()) {
      if (keep(item)) left.push_back(item);
    }
    if (left.size() == list->get_array().size()) return false;
    if (left.empty()) {
      metadata.erase(name);
    } else {
      *list = std::move(left);
    }
    return true;
  };
}

class GarbageCollector {
 public:
  explicit GarbageCollector(kube::ApiClient& api) : api_(api), definitions_(api, "CustomResourceDefinition") {
    for (const api::KindInfo& kind : api::AllKinds())
      informers_.try_emplace(std::string(kind.kind), api, std::string(kind.kind));
  }

  Result<bool> Step() {
    KU_TRY_OK(SyncDefinitions());
    for (auto& [kind, informer] : informers_) {
      const auto changes = informer.Sync();
      // The definition of a custom kind may have gone a moment ago.
      if (!changes && changes.error().code == Code::kNotFound) continue;
      if (!changes) return tl::unexpected<Error>(changes.error());
      for (const kube::TreeInformer::Change& change : *changes) TakeIn(change);
    }
    return work_.Run("garbage", Time(), [this](const kube::ObjectKey& key, StepResult& result) {
      const auto found = entries_.find(key);
      if (found == entries_.end()) return;
      const Entry& entry = found->second;
      if (!entry.owners.empty() && !entry.deleting) CollectDependent(key, entry, result);
      if (entry.deleting && entry.orphan) Orphan(key, entry, DependentsOf(entry.uid), result);
      if (entry.deleting && entry.foreground) FinishForeground(key, entry, DependentsOf(entry.uid), result);
    });
  }

 private:
  // Objects of custom kinds own and are owned like others.
  Status SyncDefinitions() {
    KU_TRY(const auto changes, definitions_.Sync());
    for (const kube::TreeInformer::Change& change : changes) {
      if (change.object != nullptr) {
        const std::string kind = KindDefinedBy(change.object.outline());
        defined_[change.key.name] = kind;
        informers_.try_emplace(kind, api_, kind);
      } else if (const auto gone = defined_.find(change.key.name); gone != defined_.end()) {
        informers_.erase(gone->second);
        defined_.erase(gone);
      }
    }
    return {};
  }

  // What the change concerns is looked at: the object, those it owns, and those that may wait for it.
  void TakeIn(const kube::TreeInformer::Change& change) {
    if (const auto known = entries_.find(change.key); known != entries_.end()) {
      const Entry& before = known->second;
      for (const Owner& owner : before.owners) {
        MarkObject(owner.uid);
        const auto dependents = dependents_.find(owner.uid);
        if (dependents == dependents_.end()) continue;
        dependents->second.erase(change.key);
        if (dependents->second.empty()) dependents_.erase(dependents);
      }
      MarkDependents(before.uid);
      keys_.erase(before.uid);
      entries_.erase(known);
    }
    if (change.object == nullptr) return;
    const Entry& entry = entries_[change.key] = Read(change.key, change.object.outline());
    keys_[entry.uid] = change.key;
    for (const Owner& owner : entry.owners) {
      dependents_[owner.uid].insert(change.key);
      MarkObject(owner.uid);
    }
    if (entry.deleting || !entry.owners.empty()) work_.Add(change.key);
    if (entry.deleting) MarkDependents(entry.uid);
  }

  void MarkObject(const std::string& uid) {
    if (const auto found = keys_.find(uid); found != keys_.end() && entries_.at(found->second).deleting) {
      work_.Add(found->second);
    }
  }
  void MarkDependents(const std::string& uid) {
    const auto found = dependents_.find(uid);
    if (found == dependents_.end()) return;
    for (const kube::ObjectKey& key : found->second) work_.Add(key);
  }
  const std::set<kube::ObjectKey>& DependentsOf(const std::string& uid) const {
    static const std::set<kube::ObjectKey> kNone;
    const auto found = dependents_.find(uid);
    return found == dependents_.end() ? kNone : found->second;
  }

  void CollectDependent(const kube::ObjectKey& key, const Entry& entry, StepResult& result) {
    bool has_owner = false;
    bool waited_for = false;
    for (const Owner& reference : entry.owners) {
      const auto owner = keys_.find(reference.uid);
      if (owner == keys_.end()) {
        has_owner |= MayExist(reference);
        continue;
      }
      const Entry& above = entries_.at(owner->second);
      if (above.deleting && above.foreground) {
        waited_for = true;
      } else {
        has_owner = true;
      }
    }
    if (has_owner) return;
    kube::DeleteOptions options;
    options.uid = entry.uid;
    // What is waited for is itself deleted in the foreground, so that its owner outlives all that is below.
    if (waited_for) options.propagation = kube::Propagation::kForeground;
    result.Note(api_.Delete(key, options));
  }

  // An owner that was not seen may have been made a moment ago, or be of a kind that is not looked at here.
  bool MayExist(const Owner& owner) const {
    if (!informers_.contains(owner.key.kind)) return true;
    const auto is_there = [&](const kube::ObjectKey& key) {
      const auto found = api_.Get(key);
      return found && StringAt(**found, {"metadata", "uid"}) == owner.uid;
    };
    return is_there(owner.key) || is_there({owner.key.kind, "", owner.key.name});
  }

  void Orphan(const kube::ObjectKey& key, const Entry& entry, const std::set<kube::ObjectKey>& dependents,
              StepResult& result) {
    for (const kube::ObjectKey& dependent : dependents) {
      result.Note(kube::UpdateWithRetry(
          api_, dependent, kube::Subresource::kNone,
          KeepInList("ownerReferences", [&](const Json& owner) { return StringAt(owner, {"uid"}) != entry.uid; })));
    }
    DropFinalizer(key, kOrphanFinalizer, result);
  }

  void FinishForeground(const kube::ObjectKey& key, const Entry& entry, const std::set<kube::ObjectKey>& dependents,
                        StepResult& result) {
    const bool waits = std::any_of(dependents.begin(), dependents.end(), [&](const kube::ObjectKey& dependent) {
      const std::vector<std::string>& blocking = entries_.at(dependent).blocking;
      return std::find(blocking.begin(), blocking.end(), entry.uid) != blocking.end();
    });
    if (!waits) DropFinalizer(key, kForegroundFinalizer, result);
  }

  void DropFinalizer(const kube::ObjectKey& key, std::string_view finalizer, StepResult& result) {
    result.Note(kube::UpdateWithRetry(api_, key, kube::Subresource::kNone,
                                      KeepInList("finalizers", [finalizer](const Json& item) {
                                        return !item.is_string() || std::string_view(item.get_string()) != finalizer;
                                      })));
  }

  kube::ApiClient& api_;
  kube::TreeInformer definitions_;
  std::map<std::string, std::string> defined_;           // the kind that a CustomResourceDefinition defines
  std::map<std::string, kube::TreeInformer> informers_;  // by kind
  std::map<kube::ObjectKey, Entry> entries_;
  std::map<std::string, kube::ObjectKey> keys_;                  // by uid
  std::map<std::string, std::set<kube::ObjectKey>> dependents_;  // by the uid of the owner
  WorkList work_;
};

}  // namespace

Controller MakeGarbageCollector(kube::ApiClient& api) {
  auto controller = std::make_shared<GarbageCollector>(api);
  return {"garbage", [controller] { return controller->Step(); }, {}};
}

}  // namespace kumiko::localcluster
