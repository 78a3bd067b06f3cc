// The claim controller (spec dra-allocator §6).
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "api/resource/types.h"
#include "kube/retry.h"
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/owned_objects.h"
#include "localcluster/controllers/work_list.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

using kube::Subresource;

// Beyond this many characters, pod and entry name are shortened in proportion, so that the suffix still fits.
constexpr std::size_t kMaxGeneratedBase = 57;

std::string ClaimNameBase(const std::string& pod, const std::string& entry) {
  const std::size_t available = kMaxGeneratedBase - 2;
  const std::size_t length = pod.size() + entry.size();
  if (length <= available) return pod + "-" + entry + "-";
  const std::size_t entry_length = std::max<std::size_t>(1, available * entry.size() / length);
  return pod.substr(0, available - entry_length) + "-" + entry.substr(0, entry_length) + "-";
}

// The pod will not use its claims (again).
bool IsDone(const api::Pod& pod) {
  return api::IsFinished(pod) || (pod.metadata.deletion_timestamp && pod.spec.node_name.empty());
}

class ClaimController {
 public:
  explicit ClaimController(Workloads& workloads)
      : api_(workloads.api),
        pods_(workloads.pods),
        pod_feed_(workloads.pods.AddReader()),
        claims_(workloads.api),
        claim_feed_(claims_.AddReader()),
        templates_(workloads.api) {}

  Result<bool> Step() {
    KU_TRY_OK(Sync());
    return work_.Run("claims", Time(), [this](const kube::ObjectKey& key, StepResult& result) {
      if (key.kind == api::Pod::kKind) {
        if (const auto pod = pods_.Find(key)) MakeClaims(*pod, result);
      } else if (const auto claim = claims_.Find(key)) {
        ReleaseClaim(*claim, result);
        DeleteWhenDone(*claim, result);
      }
    });
  }

 private:
  Status Sync() {
    KU_TRY(const auto claim_changes, claims_.Read(claim_feed_));
    for (const auto& change : claim_changes) {
      if (change.before) Index(*change.before, change.key, false);
      if (change.after) {
        Index(*change.after, change.key, true);
        work_.Add(change.key);
      }
      // A pod whose claim has gone gets another.
      const auto& claim = change.after ? change.after : change.before;
      if (const api::OwnerReference* owner = api::ControllerOf(claim->metadata)) {
        work_.Add({api::Pod::kKind, change.key.namespace_, owner->name});
      }
    }
    KU_TRY(const auto pod_changes, pods_.Read(pod_feed_));
    for (const PodIndex::Change& change : pod_changes) {
      const api::Pod& pod = change.after ? *change.after : *change.before;
      if (pod.spec.resource_claims.empty()) continue;
      if (change.after) work_.Add(change.key);
      const auto used = claims_of_.find(pod.metadata.uid);
      if (used == claims_of_.end()) continue;
      for (const kube::ObjectKey& key : used->second) work_.Add(key);
    }
    KU_TRY(const auto templates, templates_.Sync());
    for (const kube::ObjectKey& key : templates) {
      const auto& pods = pods_.objects();
      for (auto at = pods.lower_bound({api::Pod::kKind, key.namespace_, ""}); at != pods.end(); ++at) {
        if (at->first.namespace_ != key.namespace_) break;
        if (!at->second->spec.resource_claims.empty()) work_.Add(at->first);
      }
    }
    return {};
  }

  // Which claims concern which pod: those made for it and those reserved for it.
  void Index(const api::ResourceClaim& claim, const kube::ObjectKey& key, bool there) {
    const auto index = [&](const std::string& uid) {
      if (there) {
        claims_of_[uid].insert(key);
        return;
      }
      const auto found = claims_of_.find(uid);
      if (found == claims_of_.end()) return;
      found->second.erase(key);
      if (found->second.empty()) claims_of_.erase(found);
    };
    for (const auto& consumer : claim.status.reserved_for) index(consumer.uid);
    const api::OwnerReference* owner = api::ControllerOf(claim.metadata);
    if (owner == nullptr) return;
    index(owner->uid);
    const auto entry = claim.metadata.annotations.find(api::kPodClaimNameAnnotation);
    if (entry == claim.metadata.annotations.end()) return;
    const std::pair made_for(owner->uid, entry->second);
    if (there && !claim.metadata.deletion_timestamp) {
      owned_[made_for] = claim.metadata.name;
    } else if (const auto known = owned_.find(made_for);
               known != owned_.end() && known->second == claim.metadata.name) {
      owned_.erase(known);
    }
  }

  void MakeClaims(const api::Pod& pod, StepResult& result) {
    if (pod.metadata.deletion_timestamp || api::IsFinished(pod)) return;
    JsonArray statuses;
    bool changed = false;
    for (const api::PodResourceClaim& entry : pod.spec.resource_claims) {
      if (!entry.resource_claim_template_name) continue;
      const auto listed =
          std::find_if(pod.status.resource_claim_statuses.begin(), pod.status.resource_claim_statuses.end(),
                       [&](const api::PodResourceClaimStatus& s) { return s.name == entry.name; });
      const auto existing = owned_.find({pod.metadata.uid, entry.name});
      std::string name;
      if (existing != owned_.end()) {
        name = existing->second;
      } else {
        name = MakeClaim(pod, entry, result);
        if (name.empty()) continue;
      }
      changed |= listed == pod.status.resource_claim_statuses.end() || listed->resource_claim_name != name;
      statuses.push_back(JsonObject{{"name", entry.name}, {"resourceClaimName", name}});
    }
    if (!changed) return;
    result.Note(kube::UpdateWithRetry(api_, kube::KeyOf(pod), Subresource::kStatus, [&](Json& object) {
      return Result<bool>(SetStatus(object, "resourceClaimStatuses", statuses));
    }));
  }

  // The name of the new claim; empty when it cannot be made, which the scheduler's message then explains.
  std::string MakeClaim(const api::Pod& pod, const api::PodResourceClaim& entry, StepResult& result) {
    const std::string& in = pod.metadata.namespace_;
    const std::string& template_name = *entry.resource_claim_template_name;
    if (templates_.Find(in, template_name) == nullptr) return "";
    const auto claim_template = api_.Get({api::ResourceClaimTemplate::kKind, in, template_name});
    const auto owner = api_.Get(kube::KeyOf(pod));
    if (!claim_template || !owner) return "";
    JsonObject metadata;
    if (const Json* given = FindPath(**claim_template, {"spec", "metadata"}); given != nullptr && given->is_object()) {
      metadata = given->get_object();
    }
    metadata["generateName"] = ClaimNameBase(pod.metadata.name, entry.name);
    metadata["namespace"] = in;
    metadata["ownerReferences"] = JsonArray{OwnerReferenceTo(**owner)};
    Json& annotations = metadata["annotations"];
    if (!annotations.is_object()) annotations = JsonObject();
    annotations.get_object()[api::kPodClaimNameAnnotation] = entry.name;
    JsonObject claim{{"apiVersion", api::ResourceClaim::kApiVersion}, {"kind", api::ResourceClaim::kKind}};
    claim["metadata"] = std::move(metadata);
    if (const Json* spec = FindPath(**claim_template, {"spec", "spec"})) claim["spec"] = *spec;
    const auto created = api_.Create(claim);
    if (!result.Note(created)) return "";
    std::string name(StringAt(**created, {"metadata", "name"}));
    owned_[{pod.metadata.uid, entry.name}] = name;
    return name;
  }

  bool StaysReserved(const std::string& in, const api::ResourceClaimConsumerReference& consumer) const {
    if (consumer.resource != "pods" || !consumer.api_group.empty()) return true;
    const auto pod = pods_.Find({api::Pod::kKind, in, consumer.name});
    return pod != nullptr && pod->metadata.uid == consumer.uid && !IsDone(*pod);
  }

  void ReleaseClaim(const api::ResourceClaim& claim, StepResult& result) {
    const auto& consumers = claim.status.reserved_for;
    std::set<std::string> gone;
    for (const auto& consumer : consumers) {
      if (!StaysReserved(claim.metadata.namespace_, consumer)) gone.insert(consumer.uid);
    }
    const bool unused = gone.size() == consumers.size();
    const bool deleting = claim.metadata.deletion_timestamp.has_value();
    const auto& finalizers = claim.metadata.finalizers;
    const bool held = std::find(finalizers.begin(), finalizers.end(), api::kClaimFinalizer) != finalizers.end();
    // Only the step from used to unused gives devices back, or the claim's deletion: a claim that was allocated and
    // not yet reserved stays so.
    if (gone.empty() && !(deleting && unused && held)) return;
    const kube::ObjectKey key = kube::KeyOf(claim);
    const bool written = result.Note(kube::UpdateWithRetry(api_, key, Subresource::kStatus, [&](Json& object) {
      JsonArray left;
      if (const Json* list = FindPath(object, {"status", "reservedFor"}); list != nullptr && list->is_array()) {
        for (const Json& consumer : list->get_array()) {
          if (!gone.contains(std::string(StringAt(consumer, {"uid"})))) left.push_back(consumer);
        }
      }
      JsonObject& status = StatusOf(object);
      if (left.empty()) {
        status.erase("reservedFor");
        status.erase("allocation");
        status.erase("devices");
      } else {
        status["reservedFor"] = std::move(left);
      }
      return Result<bool>(true);
    }));
    if (!written || !unused) return;
    result.Note(kube::UpdateWithRetry(api_, key, Subresource::kNone, [](Json& object) -> Result<bool> {
      if (FindPath(object, {"status", "allocation"}) != nullptr) return false;
      Json& list = object.at("metadata").as_object()["finalizers"];
      if (!list.is_array()) return false;
      JsonArray left;
      for (const Json& item : list.get_array()) {
        if (item != api::kClaimFinalizer) left.push_back(item);
      }
      if (left.empty()) {
        object.at("metadata").as_object().erase("finalizers");
      } else {
        list = std::move(left);
      }
      return true;
    }));
  }

  void DeleteWhenDone(const api::ResourceClaim& claim, StepResult& result) {
    if (claim.metadata.deletion_timestamp || !claim.metadata.annotations.contains(api::kPodClaimNameAnnotation)) return;
    const api::OwnerReference* owner = api::ControllerOf(claim.metadata);
    if (owner == nullptr || owner->kind != api::Pod::kKind) return;
    const auto pod = pods_.Find({api::Pod::kKind, claim.metadata.namespace_, owner->name});
    if (pod == nullptr || pod->metadata.uid != owner->uid || !IsDone(*pod)) return;
    kube::DeleteOptions options;
    options.uid = claim.metadata.uid;
    result.Note(api_.Delete(kube::KeyOf(claim), options));
  }

  kube::ApiClient& api_;
  PodIndex& pods_;
  std::size_t pod_feed_;
  OwnedIndex<api::ResourceClaim> claims_;
  std::size_t claim_feed_;
  kube::Informer<api::ResourceClaimTemplate> templates_;
  std::map<std::pair<std::string, std::string>, std::string> owned_;  // (pod uid, entry) → claim name
  std::map<std::string, std::set<kube::ObjectKey>> claims_of_;        // by pod uid
  WorkList work_;
};

}  // namespace

Controller MakeClaimController(Workloads& workloads) {
  auto controller = std::make_shared<ClaimController>(workloads);
  return {"claims", [controller] { return controller->Step(); }, {}};
}

}  // namespace kumiko::localcluster
