// Emptying namespaces that are being deleted.
#include <memory>
#include <string>
#include <vector>

#include "api/core/types.h"
#include "api/kinds.h"
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/step_result.h"
#include "localcluster/definitions.h"

namespace kumiko::localcluster {
namespace {

class NamespaceController {
 public:
  explicit NamespaceController(kube::ApiClient& api) : api_(api), namespaces_(api) {}

  Result<bool> Step() {
    KU_TRY_OK(namespaces_.Sync());
    StepResult result("namespaces");
    for (const auto& [key, object] : namespaces_.objects()) {
      if (object->metadata.deletion_timestamp) KU_TRY_OK(Empty(key, result));
    }
    return result.changed();
  }

 private:
  Status Empty(const kube::ObjectKey& key, StepResult& result) {
    bool empty = true;
    KU_TRY(const std::vector<std::string> kinds, NamespacedKinds());
    for (const std::string& kind : kinds) {
      KU_TRY(const kube::ObjectList list, api_.List({kind, key.name, ""}));
      for (const kube::Object& object : list.items) {
        empty = false;
        if (FindPath(object.outline(), {"metadata", "deletionTimestamp"}) != nullptr) continue;
        result.Note(api_.Delete(kube::KeyOf(object.outline()), {}));
      }
    }
    if (!empty) return {};
    const Json patch = JsonObject{{"spec", JsonObject{{"finalizers", nullptr}}}};
    result.Note(api_.Patch(key, patch, kube::Subresource::kNone));
    return {};
  }

  Result<std::vector<std::string>> NamespacedKinds() {
    std::vector<std::string> kinds;
    for (const api::KindInfo& kind : api::AllKinds()) {
      if (kind.namespaced) kinds.emplace_back(kind.kind);
    }
    KU_TRY(const kube::ObjectList definitions, api_.List({"CustomResourceDefinition", "", ""}));
    for (const kube::Object& object : definitions.items) {
      const Json& definition = object.outline();
      if (StringAt(definition, {"spec", "scope"}) == "Namespaced") kinds.push_back(KindDefinedBy(definition));
    }
    return kinds;
  }

  kube::ApiClient& api_;
  kube::Informer<api::Namespace> namespaces_;
};

}  // namespace

Controller MakeNamespaceController(kube::ApiClient& api) {
  auto controller = std::make_shared<NamespaceController>(api);
  return {"namespaces", [controller] { return controller->Step(); }, {}};
}

}  // namespace kumiko::localcluster
