// A CustomResourceDefinition that is being deleted takes its objects along.
#include "localcluster/definitions.h"

#include <map>
#include <memory>
#include <string>

#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/step_result.h"

namespace kumiko::localcluster {
namespace {

class DefinitionController {
 public:
  explicit DefinitionController(kube::ApiClient& api) : api_(api), definitions_(api, "CustomResourceDefinition") {}

  Result<bool> Step() {
    KU_TRY(const std::vector<kube::TreeInformer::Change> changes, definitions_.Sync());
    for (const kube::TreeInformer::Change& change : changes) {
      const bool ends =
          change.object != nullptr && FindPath(change.object.outline(), {"metadata", "deletionTimestamp"}) != nullptr;
      if (ends) {
        ending_[change.key] = change.object.tree();
      } else {
        ending_.erase(change.key);
      }
    }
    StepResult result("definitions");
    for (const auto& [key, definition] : ending_) KU_TRY_OK(Empty(key, *definition, result));
    return result.changed();
  }

 private:
  Status Empty(const kube::ObjectKey& key, const Json& definition, StepResult& result) {
    KU_TRY(const kube::ObjectList objects, api_.List({KindDefinedBy(definition), "", ""}));
    for (const kube::Object& object : objects.items) {
      if (FindPath(object.outline(), {"metadata", "deletionTimestamp"}) == nullptr) {
        result.Note(api_.Delete(kube::KeyOf(object.outline()), {}));
      }
    }
    if (!objects.items.empty()) return {};
    JsonArray rest;
    if (const Json* finalizers = FindPath(definition, {"metadata", "finalizers"}); finalizers != nullptr) {
      for (const Json& finalizer : finalizers->as_array()) {
        if (finalizer != Json(kDefinitionFinalizer)) rest.push_back(finalizer);
      }
    }
    const Json patch{{"metadata", {{"finalizers", std::move(rest)}}}};
    result.Note(api_.Patch(key, patch, kube::Subresource::kNone));
    return {};
  }

  kube::ApiClient& api_;
  kube::TreeInformer definitions_;
  std::map<kube::ObjectKey, std::shared_ptr<const Json>> ending_;
};

}  // namespace

Controller MakeDefinitionController(kube::ApiClient& api) {
  auto controller = std::make_shared<DefinitionController>(api);
  return {"definitions", [controller] { return controller->Step(); }, {}};
}

}  // namespace kumiko::localcluster
