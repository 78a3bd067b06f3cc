#include "api/kind_table.h"

#include <algorithm>
#include <cctype>

#include "api/group.h"

namespace kumiko::api {

namespace {

constexpr std::string_view kApps = "apps";
constexpr std::string_view kAdmissionRegistration = "admissionregistration.k8s.io";
constexpr std::string_view kNetworking = "networking.k8s.io";
constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
constexpr std::string_view kResource = "resource.k8s.io";

constexpr GroupVersion kResourceV1Beta1{kResource, "v1beta1"};
constexpr GroupVersion kResourceV1Beta2{kResource, "v1beta2"};
constexpr GroupVersion kResourceV1Alpha3{kResource, "v1alpha3"};

SubresourceInfo StatusOf(std::string_view kind) {
  return {.name = "status", .kind = kind, .verbs = "get,patch,update"};
}

SubresourceInfo Scale() {
  return {.name = "scale", .kind = "Scale", .verbs = "get,patch,update", .of = {"autoscaling", "v1"}};
}

// Kinds whose strategy in Kubernetes starts metadata.generation at 1; the others have none.
constexpr std::string_view kCountGenerations[] = {
    "CronJob",
    "CustomResourceDefinition",
    "DaemonSet",
    "Deployment",
    "DeviceClass",
    "DeviceTaintRule",
    "EndpointSlice",
    "Ingress",
    "IngressClass",
    "Job",
    "NetworkPolicy",
    "MutatingWebhookConfiguration",
    "Pod",
    "PodDisruptionBudget",
    "PriorityClass",
    "ReplicaSet",
    "ResourceSlice",
    "StatefulSet",
    "ValidatingWebhookConfiguration",
};

KindInfo Complete(KindInfo info) {
  info.singular = info.kind;
  std::ranges::transform(info.singular, info.singular.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  info.has_status = info.FindSubresource("status") != nullptr;
  info.counts_generations = std::ranges::find(kCountGenerations, info.kind) != std::end(kCountGenerations);
  return info;
}

template <class T, void (*kValidate)(const T&, FieldErrors&)>
std::vector<FieldError> ValidateAs(const Json& object) {
  const Result<T> decoded = Decode<T>(object);
  if (!decoded) return CheckFields<T>(object);
  FieldErrors errors;
  kValidate(*decoded, errors);
  return errors.Take();
}

template <void (*kValidate)(const Json&, FieldErrors&)>
std::vector<FieldError> ValidateTree(const Json& object) {
  FieldErrors errors;
  kValidate(object, errors);
  return errors.Take();
}

// A kind with a struct.
template <class T, void (*kValidate)(const T&, FieldErrors&)>
KindEntry Typed(KindInfo info) {
  return {Complete(std::move(info)), &CheckFields<T>, &ValidateAs<T, kValidate>};
}

// A kind with a struct that holds part of it, and rules about all of it.
template <class T, void (*kValidate)(const Json&, FieldErrors&)>
KindEntry Typed(KindInfo info) {
  return {Complete(std::move(info)), &CheckFields<T>, &ValidateTree<kValidate>};
}

// A kind that stays a tree: its fields are those of its schema.
template <void (*kValidate)(const Json&, FieldErrors&) = ValidateNamed>
KindEntry Tree(KindInfo info) {
  return {Complete(std::move(info)), nullptr, &ValidateTree<kValidate>};
}

// A kind that is kept for whoever reads it, and nothing else.
template <void (*kValidate)(const Json&, FieldErrors&) = ValidateNamed>
KindEntry Inert(KindInfo info) {
  info.inert = true;
  return Tree<kValidate>(std::move(info));
}

std::vector<KindEntry> CoreKinds() {
  return {
      Tree<ValidateConfigMap>(
          {.version = "v1", .kind = "ConfigMap", .plural = "configmaps", .namespaced = true, .short_names = {"cm"}}),
      Inert({.version = "v1", .kind = "Endpoints", .plural = "endpoints", .namespaced = true, .short_names = {"ep"}}),
      Typed<Event, ValidateEvent>({.version = "v1",
                                   .kind = "Event",
                                   .plural = "events",
                                   .namespaced = true,
                                   .short_names = {"ev"},
                                   .served_as = {kEventsV1}}),
      Inert({.version = "v1",
             .kind = "LimitRange",
             .plural = "limitranges",
             .namespaced = true,
             .short_names = {"limits"}}),
      Typed<Namespace, ValidateNamespace>(
          {.version = "v1",
           .kind = "Namespace",
           .plural = "namespaces",
           .short_names = {"ns"},
           .subresources = {{.name = "finalize", .kind = "Namespace", .verbs = "update"}, StatusOf("Namespace")},
           .verbs = "create,delete,get,list,patch,update,watch"}),
      Typed<Node, ValidateNode>({.version = "v1",
                                 .kind = "Node",
                                 .plural = "nodes",
                                 .short_names = {"no"},
                                 .subresources = {StatusOf("Node")}}),
      Inert({.version = "v1",
             .kind = "PersistentVolume",
             .plural = "persistentvolumes",
             .short_names = {"pv"},
             .subresources = {StatusOf("PersistentVolume")}}),
      Inert({.version = "v1",
             .kind = "PersistentVolumeClaim",
             .plural = "persistentvolumeclaims",
             .namespaced = true,
             .short_names = {"pvc"},
             .subresources = {StatusOf("PersistentVolumeClaim")}}),
      Typed<Pod, ValidatePod>(
          {.version = "v1",
           .kind = "Pod",
           .plural = "pods",
           .namespaced = true,
           .short_names = {"po"},
           .categories = {"all"},
           .subresources = {{.name = "attach", .kind = "PodAttachOptions", .verbs = "create,get"},
                            {.name = "binding", .kind = "Binding", .verbs = "create"},
                            {.name = "eviction", .kind = "Eviction", .verbs = "create", .of = {"policy", "v1"}},
                            {.name = "exec", .kind = "PodExecOptions", .verbs = "create,get"},
                            {.name = "log", .kind = "Pod", .verbs = "get"},
                            {.name = "portforward", .kind = "PodPortForwardOptions", .verbs = "create,get"},
                            StatusOf("Pod")}}),
      Inert({.version = "v1",
             .kind = "ResourceQuota",
             .plural = "resourcequotas",
             .namespaced = true,
             .short_names = {"quota"},
             .subresources = {StatusOf("ResourceQuota")}}),
      Tree<ValidateSecret>({.version = "v1", .kind = "Secret", .plural = "secrets", .namespaced = true}),
      Tree<ValidateService>({.version = "v1",
                             .kind = "Service",
                             .plural = "services",
                             .namespaced = true,
                             .short_names = {"svc"},
                             .categories = {"all"},
                             .subresources = {StatusOf("Service")}}),
      Tree({.version = "v1",
            .kind = "ServiceAccount",
            .plural = "serviceaccounts",
            .namespaced = true,
            .short_names = {"sa"},
            .subresources =
                {{.name = "token", .kind = "TokenRequest", .verbs = "create", .of = {"authentication.k8s.io", "v1"}}}}),
  };
}

std::vector<KindEntry> WorkloadKinds() {
  return {
      Tree<ValidateControllerRevision>({.group = kApps,
                                        .version = "v1",
                                        .kind = "ControllerRevision",
                                        .plural = "controllerrevisions",
                                        .namespaced = true}),
      Tree<ValidateDaemonSet>({.group = kApps,
                               .version = "v1",
                               .kind = "DaemonSet",
                               .plural = "daemonsets",
                               .namespaced = true,
                               .short_names = {"ds"},
                               .categories = {"all"},
                               .subresources = {StatusOf("DaemonSet")}}),
      Typed<Deployment, ValidateDeployment>({.group = kApps,
                                             .version = "v1",
                                             .kind = "Deployment",
                                             .plural = "deployments",
                                             .namespaced = true,
                                             .short_names = {"deploy"},
                                             .categories = {"all"},
                                             .subresources = {Scale(), StatusOf("Deployment")}}),
      Typed<ReplicaSet, ValidateReplicaSet>({.group = kApps,
                                             .version = "v1",
                                             .kind = "ReplicaSet",
                                             .plural = "replicasets",
                                             .namespaced = true,
                                             .short_names = {"rs"},
                                             .categories = {"all"},
                                             .subresources = {Scale(), StatusOf("ReplicaSet")}}),
      Tree<ValidateStatefulSet>({.group = kApps,
                                 .version = "v1",
                                 .kind = "StatefulSet",
                                 .plural = "statefulsets",
                                 .namespaced = true,
                                 .short_names = {"sts"},
                                 .categories = {"all"},
                                 .subresources = {Scale(), StatusOf("StatefulSet")}}),
      Tree<ValidateCronJob>({.group = "batch",
                             .version = "v1",
                             .kind = "CronJob",
                             .plural = "cronjobs",
                             .namespaced = true,
                             .short_names = {"cj"},
                             .categories = {"all"},
                             .subresources = {StatusOf("CronJob")}}),
      Typed<Job, ValidateJob>({.group = "batch",
                               .version = "v1",
                               .kind = "Job",
                               .plural = "jobs",
                               .namespaced = true,
                               .categories = {"all"},
                               .subresources = {StatusOf("Job")}}),
  };
}

std::vector<KindEntry> ResourceKinds() {
  return {
      Typed<DeviceClass, ValidateDeviceClass>({.group = kResource,
                                               .version = "v1",
                                               .kind = "DeviceClass",
                                               .plural = "deviceclasses",
                                               .served_as = {kResourceV1Beta2, kResourceV1Beta1}}),
      Typed<DeviceTaintRule, ValidateDeviceTaintRule>({.group = kResource,
                                                       .version = "v1",
                                                       .kind = "DeviceTaintRule",
                                                       .plural = "devicetaintrules",
                                                       .subresources = {StatusOf("DeviceTaintRule")},
                                                       .served_as = {kResourceV1Beta2, kResourceV1Alpha3}}),
      Typed<ResourceClaim, ValidateResourceClaim>({.group = kResource,
                                                   .version = "v1",
                                                   .kind = "ResourceClaim",
                                                   .plural = "resourceclaims",
                                                   .namespaced = true,
                                                   .subresources = {StatusOf("ResourceClaim")},
                                                   .served_as = {kResourceV1Beta2, kResourceV1Beta1}}),
      Typed<ResourceClaimTemplate, ValidateResourceClaimTemplate>({.group = kResource,
                                                                   .version = "v1",
                                                                   .kind = "ResourceClaimTemplate",
                                                                   .plural = "resourceclaimtemplates",
                                                                   .namespaced = true,
                                                                   .served_as = {kResourceV1Beta2, kResourceV1Beta1}}),
      Typed<ResourceSlice, ValidateResourceSlice>({.group = kResource,
                                                   .version = "v1",
                                                   .kind = "ResourceSlice",
                                                   .plural = "resourceslices",
                                                   .served_as = {kResourceV1Beta2, kResourceV1Beta1}}),
  };
}

std::vector<KindEntry> OtherKinds() {
  return {
      Inert({.group = kAdmissionRegistration,
             .version = "v1",
             .kind = "MutatingWebhookConfiguration",
             .plural = "mutatingwebhookconfigurations",
             .categories = {"api-extensions"}}),
      Inert({.group = kAdmissionRegistration,
             .version = "v1",
             .kind = "ValidatingWebhookConfiguration",
             .plural = "validatingwebhookconfigurations",
             .categories = {"api-extensions"}}),
      Tree({.group = "apiextensions.k8s.io",
            .version = "v1",
            .kind = "CustomResourceDefinition",
            .plural = "customresourcedefinitions",
            .short_names = {"crd", "crds"},
            .categories = {"api-extensions"},
            .subresources = {StatusOf("CustomResourceDefinition")}}),
      Tree<ValidateLease>(
          {.group = "coordination.k8s.io", .version = "v1", .kind = "Lease", .plural = "leases", .namespaced = true}),
      Inert({.group = "discovery.k8s.io",
             .version = "v1",
             .kind = "EndpointSlice",
             .plural = "endpointslices",
             .namespaced = true}),
      Inert({.group = kNetworking,
             .version = "v1",
             .kind = "Ingress",
             .plural = "ingresses",
             .namespaced = true,
             .short_names = {"ing"},
             .subresources = {StatusOf("Ingress")}}),
      Inert({.group = kNetworking, .version = "v1", .kind = "IngressClass", .plural = "ingressclasses"}),
      Inert({.group = kNetworking,
             .version = "v1",
             .kind = "NetworkPolicy",
             .plural = "networkpolicies",
             .namespaced = true,
             .short_names = {"netpol"}}),
      Tree<ValidatePodDisruptionBudget>({.group = "policy",
                                         .version = "v1",
                                         .kind = "PodDisruptionBudget",
                                         .plural = "poddisruptionbudgets",
                                         .namespaced = true,
                                         .short_names = {"pdb"},
                                         .subresources = {StatusOf("PodDisruptionBudget")}}),
      Inert<ValidateRole>({.group = kRbac, .version = "v1", .kind = "ClusterRole", .plural = "clusterroles"}),
      Inert<ValidateRoleBinding>(
          {.group = kRbac, .version = "v1", .kind = "ClusterRoleBinding", .plural = "clusterrolebindings"}),
      Inert<ValidateRole>({.group = kRbac, .version = "v1", .kind = "Role", .plural = "roles", .namespaced = true}),
      Inert<ValidateRoleBinding>(
          {.group = kRbac, .version = "v1", .kind = "RoleBinding", .plural = "rolebindings", .namespaced = true}),
      Tree<ValidatePriorityClass>({.group = "scheduling.k8s.io",
                                   .version = "v1",
                                   .kind = "PriorityClass",
                                   .plural = "priorityclasses",
                                   .short_names = {"pc"}}),
      Inert<ValidateStorageClass>({.group = "storage.k8s.io",
                                   .version = "v1",
                                   .kind = "StorageClass",
                                   .plural = "storageclasses",
                                   .short_names = {"sc"}}),
  };
}

KindInfo Review(std::string_view group, std::string_view kind, std::string_view plural) {
  return Complete({.group = group, .version = "v1", .kind = kind, .plural = plural, .verbs = "create"});
}

}  // namespace

const std::vector<KindEntry>& KindTable() {
  static const std::vector<KindEntry> table = [] {
    std::vector<KindEntry> all;
    for (std::vector<KindEntry> part : {CoreKinds(), WorkloadKinds(), ResourceKinds(), OtherKinds()}) {
      std::ranges::move(part, std::back_inserter(all));
    }
    std::ranges::sort(all, {}, [](const KindEntry& entry) { return std::pair(entry.info.group, entry.info.kind); });
    return all;
  }();
  return table;
}

std::span<const KindInfo> ReviewKinds() {
  constexpr std::string_view kAuthentication = "authentication.k8s.io";
  constexpr std::string_view kAuthorization = "authorization.k8s.io";
  static const std::vector<KindInfo> kinds = {
      Review(kAuthentication, "SelfSubjectReview", "selfsubjectreviews"),
      Review(kAuthentication, "TokenReview", "tokenreviews"),
      Review(kAuthorization, "SelfSubjectAccessReview", "selfsubjectaccessreviews"),
      Review(kAuthorization, "SelfSubjectRulesReview", "selfsubjectrulesreviews"),
      Review(kAuthorization, "SubjectAccessReview", "subjectaccessreviews"),
  };
  return kinds;
}

std::span<const GroupInfo> AllGroups() {
  static const std::vector<GroupInfo> groups = {
      {"", {"v1"}},
      {kApps, {"v1"}},
      {kEventsV1.group, {kEventsV1.version}},
      {"authentication.k8s.io", {"v1"}},
      {"authorization.k8s.io", {"v1"}},
      {"batch", {"v1"}},
      {kNetworking, {"v1"}},
      {"policy", {"v1"}},
      {kRbac, {"v1"}},
      {"storage.k8s.io", {"v1"}},
      {kAdmissionRegistration, {"v1"}},
      {"apiextensions.k8s.io", {"v1"}},
      {"scheduling.k8s.io", {"v1"}},
      {"coordination.k8s.io", {"v1"}},
      {"discovery.k8s.io", {"v1"}},
      {kResource, {"v1", "v1beta2", "v1beta1", "v1alpha3"}},
  };
  return groups;
}

}  // namespace kumiko::api
