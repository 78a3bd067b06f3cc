// What every namespace has from the start. Source: pkg/controller/serviceaccount and
// pkg/controller/certificates/rootcacertpublisher of Kubernetes 1.37.
#include <memory>
#include <string>
#include <utility>

#include "api/core/types.h"
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/work_list.h"

namespace kumiko::localcluster {
namespace {

constexpr const char* kAccount = "default";
constexpr const char* kRootCertificate = "kube-root-ca.crt";
constexpr const char* kDescription =
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes "
    "clusters.";

class NamespaceContentsController {
 public:
  explicit NamespaceContentsController(Workloads& workloads)
      : api_(workloads.api),
        clock_(workloads.clock),
        root_certificate_(workloads.root_certificate),
        namespaces_(workloads.api),
        accounts_(workloads.api, "ServiceAccount"),
        config_maps_(workloads.api, "ConfigMap") {}

  Result<bool> Step() {
    KU_TRY(const auto changed, namespaces_.Sync());
    for (const kube::ObjectKey& key : changed) work_.Add(key);
    KU_TRY(const auto accounts, accounts_.Sync());
    for (const auto& change : accounts) {
      if (change.key.name == kAccount && change.object == nullptr) work_.Add(NamespaceKey(change.key));
    }
    KU_TRY(const auto config_maps, config_maps_.Sync());
    for (const auto& change : config_maps) {
      if (change.key.name == kRootCertificate) work_.Add(NamespaceKey(change.key));
    }
    if (published_ != root_certificate_) {
      published_ = root_certificate_;
      for (const auto& [key, object] : namespaces_.objects()) work_.Add(key);
    }
    return work_.Run("namespacecontents", clock_.Now(), [this](const kube::ObjectKey& key, StepResult& result) {
      const auto found = namespaces_.Find("", key.name);
      if (found == nullptr || found->metadata.deletion_timestamp) return;
      Make(JsonObject{{"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", Named(kAccount, key.name)}},
           result);
      PublishCertificate(key.name, result);
    });
  }

 private:
  static kube::ObjectKey NamespaceKey(const kube::ObjectKey& key) {
    return {api::Namespace::kKind, "", key.namespace_};
  }

  static JsonObject Named(const char* name, const std::string& in) {
    return JsonObject{{"name", name}, {"namespace", in}};
  }

  void Make(const Json& object, StepResult& result) {
    const auto created = api_.Create(object);
    if (created || created.error().Retryable()) result.Note(created);
  }

  void PublishCertificate(const std::string& in, StepResult& result) {
    const kube::ObjectKey key{"ConfigMap", in, kRootCertificate};
    const auto present = api_.Get(key);
    if (!present) {
      JsonObject metadata = Named(kRootCertificate, in);
      metadata["annotations"] = JsonObject{{"kubernetes.io/description", kDescription}};
      Make(JsonObject{{"apiVersion", "v1"},
                      {"kind", "ConfigMap"},
                      {"metadata", std::move(metadata)},
                      {"data", JsonObject{{"ca.crt", root_certificate_}}}},
           result);
    } else if (StringAt(**present, {"data", "ca.crt"}) != root_certificate_) {
      const Json patch = JsonObject{{"data", JsonObject{{"ca.crt", root_certificate_}}}};
      result.Note(api_.Patch(key, patch, kube::Subresource::kNone));
    }
  }

  kube::ApiClient& api_;
  const Clock& clock_;
  const std::string& root_certificate_;
  std::string published_;
  kube::Informer<api::Namespace> namespaces_;
  kube::TreeInformer accounts_;
  kube::TreeInformer config_maps_;
  WorkList work_;
};

}  // namespace

Controller MakeNamespaceContentsController(Workloads& workloads) {
  auto controller = std::make_shared<NamespaceContentsController>(workloads);
  return {"namespacecontents", [controller] { return controller->Step(); }, {}};
}

}  // namespace kumiko::localcluster
