#include "api/defaults.h"

#include <string>
#include <utility>

#include "base/text.h"

namespace kumiko::api {

std::span<const ConstantDefault> ConstantDefaults() {
  static constexpr ConstantDefault kRows[] = {
      {"AzureDiskVolumeSource", "cachingMode", R"("ReadWrite")"},
      {"AzureDiskVolumeSource", "fsType", R"("ext4")"},
      {"AzureDiskVolumeSource", "kind", R"("Shared")"},
      {"AzureDiskVolumeSource", "readOnly", "false"},
      {"ConfigMapVolumeSource", "defaultMode", "420"},
      {"Container", "terminationMessagePath", R"("/dev/termination-log")"},
      {"Container", "terminationMessagePolicy", R"("File")"},
      {"ContainerPort", "protocol", R"("TCP")"},
      {"DownwardAPIVolumeSource", "defaultMode", "420"},
      {"EndpointPort", "protocol", R"("TCP")"},
      {"EphemeralContainer", "terminationMessagePath", R"("/dev/termination-log")"},
      {"EphemeralContainer", "terminationMessagePolicy", R"("File")"},
      {"GRPCAction", "service", R"("")"},
      {"HTTPGetAction", "path", R"("/")"},
      {"HTTPGetAction", "scheme", R"("HTTP")"},
      {"HostPathVolumeSource", "type", R"("")"},
      {"ISCSIPersistentVolumeSource", "iscsiInterface", R"("default")"},
      {"ISCSIVolumeSource", "iscsiInterface", R"("default")"},
      {"NamespaceStatus", "phase", R"("Active")"},
      {"ObjectFieldSelector", "apiVersion", R"("v1")"},
      {"PersistentVolumeClaimSpec", "volumeMode", R"("Filesystem")"},
      {"PersistentVolumeClaimStatus", "phase", R"("Pending")"},
      {"PersistentVolumeSpec", "persistentVolumeReclaimPolicy", R"("Retain")"},
      {"PersistentVolumeSpec", "volumeMode", R"("Filesystem")"},
      {"PersistentVolumeStatus", "phase", R"("Pending")"},
      {"PodSpec", "dnsPolicy", R"("ClusterFirst")"},
      {"PodSpec", "restartPolicy", R"("Always")"},
      {"PodSpec", "schedulerName", R"("default-scheduler")"},
      {"PodSpec", "securityContext", "{}"},
      {"PodSpec", "terminationGracePeriodSeconds", "30"},
      {"PodStatus", "phase", R"("Pending")"},
      {"Probe", "failureThreshold", "3"},
      {"Probe", "periodSeconds", "10"},
      {"Probe", "successThreshold", "1"},
      {"Probe", "timeoutSeconds", "1"},
      {"ProjectedVolumeSource", "defaultMode", "420"},
      {"RBDPersistentVolumeSource", "keyring", R"("/etc/ceph/keyring")"},
      {"RBDPersistentVolumeSource", "pool", R"("rbd")"},
      {"RBDPersistentVolumeSource", "user", R"("admin")"},
      {"RBDVolumeSource", "keyring", R"("/etc/ceph/keyring")"},
      {"RBDVolumeSource", "pool", R"("rbd")"},
      {"RBDVolumeSource", "user", R"("admin")"},
      {"ScaleIOPersistentVolumeSource", "fsType", R"("xfs")"},
      {"ScaleIOPersistentVolumeSource", "storageMode", R"("ThinProvisioned")"},
      {"ScaleIOVolumeSource", "fsType", R"("xfs")"},
      {"ScaleIOVolumeSource", "storageMode", R"("ThinProvisioned")"},
      {"Secret", "type", R"("Opaque")"},
      {"SecretVolumeSource", "defaultMode", "420"},
      {"ServiceAccountTokenProjection", "expirationSeconds", "3600"},
      {"ServicePort", "protocol", R"("TCP")"},
      {"ServiceSpec", "sessionAffinity", R"("None")"},
      {"ServiceSpec", "type", R"("ClusterIP")"},

      {"apps.DaemonSetSpec", "revisionHistoryLimit", "10"},
      {"apps.DeploymentSpec", "progressDeadlineSeconds", "600"},
      {"apps.DeploymentSpec", "replicas", "1"},
      {"apps.DeploymentSpec", "revisionHistoryLimit", "10"},
      {"apps.ReplicaSetSpec", "replicas", "1"},
      {"apps.RollingUpdateDaemonSet", "maxSurge", "0"},
      {"apps.RollingUpdateDaemonSet", "maxUnavailable", "1"},
      {"apps.RollingUpdateDeployment", "maxSurge", R"("25%")"},
      {"apps.RollingUpdateDeployment", "maxUnavailable", R"("25%")"},
      {"apps.RollingUpdateStatefulSetStrategy", "maxUnavailable", "1"},
      {"apps.RollingUpdateStatefulSetStrategy", "partition", "0"},
      {"apps.StatefulSetPersistentVolumeClaimRetentionPolicy", "whenDeleted", R"("Retain")"},
      {"apps.StatefulSetPersistentVolumeClaimRetentionPolicy", "whenScaled", R"("Retain")"},
      {"apps.StatefulSetSpec", "persistentVolumeClaimRetentionPolicy", "{}"},
      {"apps.StatefulSetSpec", "podManagementPolicy", R"("OrderedReady")"},
      {"apps.StatefulSetSpec", "replicas", "1"},
      {"apps.StatefulSetSpec", "revisionHistoryLimit", "10"},

      {"batch.CronJobSpec", "concurrencyPolicy", R"("Allow")"},
      {"batch.CronJobSpec", "failedJobsHistoryLimit", "1"},
      {"batch.CronJobSpec", "successfulJobsHistoryLimit", "3"},
      {"batch.CronJobSpec", "suspend", "false"},
      {"batch.PodFailurePolicyOnPodConditionsPattern", "status", R"("True")"},

      {"resource.DeviceToleration", "operator", R"("Equal")"},
      {"scheduling.PriorityClass", "preemptionPolicy", R"("PreemptLowerPriority")"},

      {"admissionregistration.MutatingWebhook", "failurePolicy", R"("Fail")"},
      {"admissionregistration.MutatingWebhook", "matchPolicy", R"("Equivalent")"},
      {"admissionregistration.MutatingWebhook", "namespaceSelector", "{}"},
      {"admissionregistration.MutatingWebhook", "objectSelector", "{}"},
      {"admissionregistration.MutatingWebhook", "reinvocationPolicy", R"("Never")"},
      {"admissionregistration.MutatingWebhook", "timeoutSeconds", "10"},
      {"admissionregistration.RuleWithOperations", "scope", R"("*")"},
      {"admissionregistration.ServiceReference", "port", "443"},
      {"admissionregistration.ValidatingWebhook", "failurePolicy", R"("Fail")"},
      {"admissionregistration.ValidatingWebhook", "matchPolicy", R"("Equivalent")"},
      {"admissionregistration.ValidatingWebhook", "namespaceSelector", "{}"},
      {"admissionregistration.ValidatingWebhook", "objectSelector", "{}"},
      {"admissionregistration.ValidatingWebhook", "timeoutSeconds", "10"},
      {"apiextensions.CustomResourceDefinitionSpec", "conversion", R"({"strategy": "None"})"},
      {"apiextensions.ServiceReference", "port", "443"},
      {"discovery.EndpointPort", "name", R"("")"},
      {"discovery.EndpointPort", "protocol", R"("TCP")"},
      {"networking.IngressClassParametersReference", "scope", R"("Cluster")"},
      {"networking.NetworkPolicyPort", "protocol", R"("TCP")"},
      {"rbac.RoleRef", "apiGroup", R"("rbac.authorization.k8s.io")"},
      {"storage.StorageClass", "reclaimPolicy", R"("Delete")"},
      {"storage.StorageClass", "volumeBindingMode", R"("Immediate")"},
  };
  return kRows;
}

namespace {

void DefaultSubject(JsonObject& subject) {
  const std::string_view kind = TextAt(subject, "kind");
  if (kind == "User" || kind == "Group") DefaultMember(subject, "apiGroup", "rbac.authorization.k8s.io");
}

void DefaultNetworkPolicy(JsonObject& spec) {
  const JsonArray* types = ListAt(spec, "policyTypes");
  if (types != nullptr && !types->empty()) return;
  JsonArray implied{"Ingress"};
  if (const JsonArray* egress = ListAt(spec, "egress"); egress != nullptr && !egress->empty()) {
    implied.emplace_back("Egress");
  }
  spec["policyTypes"] = std::move(implied);
}

void DefaultNames(JsonObject& spec) {
  JsonObject* names = MapAt(spec, "names");
  if (names == nullptr || TextAt(*names, "kind").empty()) return;
  const std::string kind(TextAt(*names, "kind"));
  if (TextAt(*names, "singular").empty()) (*names)["singular"] = ToLower(kind);
  if (TextAt(*names, "listKind").empty()) (*names)["listKind"] = kind + "List";
}

void DefaultStoredVersions(JsonObject& definition) {
  JsonObject* status = MakeMapAt(definition, "status");
  JsonObject* spec = MapAt(definition, "spec");
  JsonArray* versions = spec == nullptr ? nullptr : ListAt(*spec, "versions");
  if (status == nullptr || versions == nullptr) return;
  if (const JsonArray* stored = ListAt(*status, "storedVersions"); stored != nullptr && !stored->empty()) return;
  for (Json& item : *versions) {
    const Json* storage = Find(item, "storage");
    if (storage == nullptr || !storage->is_bool() || !storage->get_bool()) continue;
    (*status)["storedVersions"] = JsonArray{Json(StringAt(item, {"name"}))};
    return;
  }
}

}  // namespace

std::span<const DependentDefaults> OtherDefaults() {
  static constexpr DependentDefaults kRows[] = {
      {"apiextensions.CustomResourceDefinition", DefaultStoredVersions},
      {"apiextensions.CustomResourceDefinitionSpec", DefaultNames},
      {"networking.NetworkPolicySpec", DefaultNetworkPolicy},
      {"rbac.Subject", DefaultSubject},
  };
  return kRows;
}

bool IsAbsent(const JsonObject& object, std::string_view name) {
  const Json* member = object.if_contains(name);
  return member == nullptr || member->is_null();
}

std::string_view TextAt(const JsonObject& object, std::string_view name) {
  const Json* member = object.if_contains(name);
  return member != nullptr && member->is_string() ? std::string_view(member->get_string()) : std::string_view();
}

JsonObject* MapAt(JsonObject& object, std::string_view name) {
  Json* member = object.if_contains(name);
  return member == nullptr ? nullptr : member->if_object();
}

JsonArray* ListAt(JsonObject& object, std::string_view name) {
  Json* member = object.if_contains(name);
  return member == nullptr ? nullptr : member->if_array();
}

JsonObject* MakeMapAt(JsonObject& object, std::string_view name) {
  Json& member = object[name];
  if (member.is_null()) member = JsonObject();
  return member.if_object();
}

void DefaultMember(JsonObject& object, std::string_view name, Json value) {
  Json& member = object[name];
  if (member.is_null() || (member.is_string() && member.get_string().empty())) member = std::move(value);
}

void ForEachMap(JsonObject& object, std::string_view name, void (*write)(JsonObject& item)) {
  JsonArray* list = ListAt(object, name);
  if (list == nullptr) return;
  for (Json& item : *list) {
    if (JsonObject* map = item.if_object()) write(*map);
  }
}

}  // namespace kumiko::api
