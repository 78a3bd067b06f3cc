#include "localcluster/controllers/pod_ownership.h"

#include "api/kinds.h"
#include "kube/retry.h"
#include "localcluster/object_tree.h"

namespace kumiko::localcluster {

Status Adopt(kube::ApiClient& api, const kube::ObjectKey& object, const kube::ObjectKey& owner,
             const std::string& owner_uid) {
  const Json reference = JsonObject{{"apiVersion", api::FindKind(owner.kind)->ApiVersion()},
                                    {"kind", owner.kind},
                                    {"name", owner.name},
                                    {"uid", owner_uid},
                                    {"controller", true},
                                    {"blockOwnerDeletion", true}};
  KU_TRY_OK(kube::UpdateWithRetry(api, object, kube::Subresource::kNone, [&](Json& tree) -> Result<bool> {
    Json& list = MetadataOf(tree)["ownerReferences"];
    if (!list.is_array()) list = JsonArray();
    for (const Json& other : list.get_array()) {
      const Json* controller = Find(other, "controller");
      if (controller != nullptr && controller->is_bool() && controller->get_bool()) return false;
    }
    list.get_array().push_back(reference);
    return true;
  }));
  return {};
}

Status Release(kube::ApiClient& api, const kube::ObjectKey& object, const std::string& owner_uid) {
  KU_TRY_OK(kube::UpdateWithRetry(api, object, kube::Subresource::kNone, [&](Json& tree) -> Result<bool> {
    Json* list = MetadataOf(tree).if_contains("ownerReferences");
    if (list == nullptr || !list->is_array()) return false;
    JsonArray left;
    for (const Json& other : list->get_array()) {
      if (StringAt(other, {"uid"}) != owner_uid) left.push_back(other);
    }
    const bool changed = left.size() != list->get_array().size();
    if (left.empty()) {
      MetadataOf(tree).erase("ownerReferences");
    } else {
      *list = std::move(left);
    }
    return changed;
  }));
  return {};
}

}  // namespace kumiko::localcluster
