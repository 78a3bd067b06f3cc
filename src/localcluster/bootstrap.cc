#include "localcluster/bootstrap.h"

#include <cstdint>
#include <vector>

namespace kumiko::localcluster {
namespace {

Json NamespaceTree(const char* name) {
  return JsonObject{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", JsonObject{{"name", name}}}};
}

Json PriorityClassTree(const char* name, std::int64_t value, const char* description) {
  return JsonObject{{"apiVersion", "scheduling.k8s.io/v1"},
                    {"kind", "PriorityClass"},
                    {"metadata", JsonObject{{"name", name}}},
                    {"value", value},
                    {"description", description},
                    {"preemptionPolicy", "PreemptLowerPriority"}};
}

Json KubernetesService() {
  const Json port = JsonObject{{"name", "https"}, {"port", 443}, {"protocol", "TCP"}, {"targetPort", 6443}};
  return JsonObject{
      {"apiVersion", "v1"},
      {"kind", "Service"},
      {"metadata", JsonObject{{"name", "kubernetes"},
                              {"namespace", "default"},
                              {"labels", JsonObject{{"component", "apiserver"}, {"provider", "kubernetes"}}}}},
      {"spec", JsonObject{{"type", "ClusterIP"},
                          {"clusterIP", "10.96.0.1"},
                          {"clusterIPs", JsonArray{"10.96.0.1"}},
                          {"ipFamilies", JsonArray{"IPv4"}},
                          {"ipFamilyPolicy", "SingleStack"},
                          {"sessionAffinity", "None"},
                          {"ports", JsonArray{port}}}}};
}

}  // namespace

Status Bootstrap(kube::ApiClient& api) {
  const std::vector<Json> objects = {
      NamespaceTree("kube-public"), NamespaceTree("kube-node-lease"),
      PriorityClassTree("system-cluster-critical", 2'000'000'000,
                        "Used for system critical pods that must run in the cluster, but can be moved to another node "
                        "if necessary."),
      PriorityClassTree("system-node-critical", 2'000'001'000,
                        "Used for system critical pods that must not be moved from their current node."),
      KubernetesService()};
  for (const Json& object : objects) {
    const auto created = api.Create(object);
    if (!created && created.error().code != Code::kAlreadyExists) return tl::unexpected<Error>(created.error());
  }
  return {};
}

}  // namespace kumiko::localcluster
