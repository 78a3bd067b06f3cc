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
#include "localcluster/controllers/step_result.h"
#include "localcluster/object_tree.h"

namespace kumiko::localcluster {
namespace {

// What matters of an object here.
struct Entry {
  std::string uid;
  std::vector<std::string> owners;    // uids
  std::vector<std::string> blocking;  // those of them whose foreground deletion waits for this object
  bool deleting = false;
  bool foreground = false;
  bool orphan = false;
};

Entry Read(const Json& object) {
  Entry entry;
  entry.uid = StringAt(object, {"metadata", "uid"});
  entry.deleting = FindPath(object, {"metadata", "deletionTimestamp"}) != nullptr;
  if (const Json* owners = FindPath(object, {"metadata", "ownerReferences"}); owners != nullptr && owners->is_array()) {
    for (const Json& owner : owners->get_array()) {
      entry.owners.emplace_back(StringAt(owner, {"uid"}));
      const Json* blocks = Find(owner, "blockOwnerDeletion");
      if (blocks != nullptr && blocks->is_bool() && blocks->get_bool()) entry.blocking.push_back(entry.owners.back());
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
  explicit GarbageCollector(kube::ApiClient& api) : api_(api) {
    for (const api::KindInfo& kind : api::AllKinds()) informers_.emplace_back(api, std::string(kind.kind));
  }

  Result<bool> Step() {
    bool any = again_;
    for (kube::TreeInformer& informer : informers_) {
      KU_TRY(const auto changes, informer.Sync());
      for (const kube::TreeInformer::Change& change : changes) {
        any = true;
        if (change.object == nullptr) {
          entries_.erase(change.key);
        } else {
          entries_[change.key] = Read(*change.object);
        }
      }
    }
    if (!any) return false;
    StepResult result("garbage");
    std::map<std::string, std::vector<kube::ObjectKey>> dependents;
    std::set<std::string> uids;
    std::set<std::string> foreground;
    for (const auto& [key, entry] : entries_) {
      uids.insert(entry.uid);
      if (entry.deleting && entry.foreground) foreground.insert(entry.uid);
      for (const std::string& owner : entry.owners) dependents[owner].push_back(key);
    }
    for (const auto& [key, entry] : entries_) {
      if (!entry.owners.empty() && !entry.deleting) CollectDependent(key, entry, uids, foreground, result);
      if (entry.deleting && entry.orphan) Orphan(key, entry, dependents[entry.uid], result);
      if (entry.deleting && entry.foreground) FinishForeground(key, entry, dependents[entry.uid], result);
    }
    again_ = result.again();
    return result.changed();
  }

 private:
  void CollectDependent(const kube::ObjectKey& key, const Entry& entry, const std::set<std::string>& uids,
                        const std::set<std::string>& foreground, StepResult& result) {
    bool has_owner = false;
    bool waited_for = false;
    for (const std::string& owner : entry.owners) {
      if (foreground.contains(owner)) {
        waited_for = true;
      } else if (uids.contains(owner)) {
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

  void Orphan(const kube::ObjectKey& key, const Entry& entry, const std::vector<kube::ObjectKey>& dependents,
              StepResult& result) {
    for (const kube::ObjectKey& dependent : dependents) {
      result.Note(kube::UpdateWithRetry(
          api_, dependent, kube::Subresource::kNone,
          KeepInList("ownerReferences", [&](const Json& owner) { return StringAt(owner, {"uid"}) != entry.uid; })));
    }
    DropFinalizer(key, kOrphanFinalizer, result);
  }

  void FinishForeground(const kube::ObjectKey& key, const Entry& entry, const std::vector<kube::ObjectKey>& dependents,
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
  std::vector<kube::TreeInformer> informers_;
  std::map<kube::ObjectKey, Entry> entries_;
  bool again_ = false;
};

}  // namespace

Controller MakeGarbageCollector(kube::ApiClient& api) {
  auto controller = std::make_shared<GarbageCollector>(api);
  return {"garbage", [controller] { return controller->Step(); }, {}};
}

}  // namespace kumiko::localcluster
