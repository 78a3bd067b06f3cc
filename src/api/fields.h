// The one description of which JSON member holds which struct field. Both directions of api/codec.h run over it:
// a codec `f` is called as f("member", field) for each member in the order of the API documentation.
//
//   f.Always   written even when zero, where Kubernetes has no omitempty
//   f.Kept     members that Kubernetes defines and we do not read; strict reading accepts them
//   f.Moved    members of older API versions, with the place they have now
#pragma once

#include <concepts>
#include <type_traits>

#include "api/apps/types.h"
#include "api/batch/types.h"
#include "api/core/types.h"
#include "api/meta/object_meta.h"
#include "api/policy/types.h"
#include "api/resource/types.h"

namespace kumiko::api {

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

// meta.k8s.io/v1

void Fields(auto& f, Is<OwnerReference> auto& x) {
  f.Always("apiVersion", x.api_version);
  f.Always("kind", x.kind);
  f.Always("name", x.name);
  f.Always("uid", x.uid);
  f("controller", x.controller);
  f("blockOwnerDeletion", x.block_owner_deletion);
}

void Fields(auto& f, Is<ObjectMeta> auto& x) {
  f("name", x.name);
  f("generateName", x.generate_name);
  f("namespace", x.namespace_);
  f("uid", x.uid);
  f("resourceVersion", x.resource_version);
  f("generation", x.generation);
  f("creationTimestamp", x.creation_timestamp);
  f("deletionTimestamp", x.deletion_timestamp);
  f("deletionGracePeriodSeconds", x.deletion_grace_period_seconds);
  f("labels", x.labels);
  f("annotations", x.annotations);
  f("ownerReferences", x.owner_references);
  f("finalizers", x.finalizers);
  f.Kept("managedFields", "selfLink");
}

void Fields(auto& f, Is<LabelSelectorRequirement> auto& x) {
  f.Always("key", x.key);
  f.Always("operator", x.operator_);
  f("values", x.values);
}

void Fields(auto& f, Is<LabelSelector> auto& x) {
  f("matchLabels", x.match_labels);
  f("matchExpressions", x.match_expressions);
}

void Fields(auto& f, Is<Condition> auto& x) {
  f.Always("type", x.type);
  f.Always("status", x.status);
  f("reason", x.reason);
  f("message", x.message);
  f("lastTransitionTime", x.last_transition_time);
  f.Kept("lastProbeTime", "lastHeartbeatTime", "lastUpdateTime", "observedGeneration");
}

// core/v1

void Fields(auto& f, Is<NodeSelectorRequirement> auto& x) {
  f.Always("key", x.key);
  f.Always("operator", x.operator_);
  f("values", x.values);
}

void Fields(auto& f, Is<NodeSelectorTerm> auto& x) {
  f("matchExpressions", x.match_expressions);
  f("matchFields", x.match_fields);
}

void Fields(auto& f, Is<NodeSelector> auto& x) {
  f.Always("nodeSelectorTerms", x.node_selector_terms);
}

void Fields(auto& f, Is<Taint> auto& x) {
  f.Always("key", x.key);
  f("value", x.value);
  f.Always("effect", x.effect);
  f.Kept("timeAdded");
}

void Fields(auto& f, Is<Toleration> auto& x) {
  f("key", x.key);
  f("operator", x.operator_);
  f("value", x.value);
  f("effect", x.effect);
  f("tolerationSeconds", x.toleration_seconds);
}

void Fields(auto& f, Is<NodeSpec> auto& x) {
  f("unschedulable", x.unschedulable);
  f("taints", x.taints);
  f.Kept("podCIDR", "podCIDRs", "providerID", "configSource", "externalID");
}

void Fields(auto& f, Is<NodeStatus> auto& x) {
  f("capacity", x.capacity);
  f("allocatable", x.allocatable);
  f("conditions", x.conditions);
  f("declaredFeatures", x.declared_features);
  f.Kept("phase", "addresses", "daemonEndpoints", "nodeInfo", "images", "volumesInUse", "volumesAttached", "config",
         "runtimeHandlers", "features");
}

void Fields(auto& f, Is<Node> auto& x) {
  f("metadata", x.metadata);
  f("spec", x.spec);
  f("status", x.status);
}

void Fields(auto& f, Is<ContainerClaim> auto& x) {
  f.Always("name", x.name);
  f("request", x.request);
}

void Fields(auto& f, Is<ResourceRequirements> auto& x) {
  f("requests", x.requests);
  f("limits", x.limits);
  f("claims", x.claims);
}

void Fields(auto& f, Is<EnvVar> auto& x) {
  f.Always("name", x.name);
  f("value", x.value);
  f.Kept("valueFrom");
}

void Fields(auto& f, Is<Container> auto& x) {
  f.Always("name", x.name);
  f("image", x.image);
  f("command", x.command);
  f("args", x.args);
  f("env", x.env);
  f("resources", x.resources);
  f("restartPolicy", x.restart_policy);
  f("imagePullPolicy", x.image_pull_policy);
  f.Kept("workingDir", "ports", "envFrom", "resizePolicy", "restartPolicyRules", "volumeMounts", "volumeDevices",
         "livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "terminationMessagePath",
         "terminationMessagePolicy", "securityContext", "stdin", "stdinOnce", "tty");
}

void Fields(auto& f, Is<PodResourceClaim> auto& x) {
  f.Always("name", x.name);
  f("resourceClaimName", x.resource_claim_name);
  f("resourceClaimTemplateName", x.resource_claim_template_name);
  f.Moved("source", "resourceClaimName and resourceClaimTemplateName stand directly in the entry since 1.31");
}

void Fields(auto& f, Is<NodeAffinity> auto& x) {
  f("requiredDuringSchedulingIgnoredDuringExecution", x.required);
  f.Kept("preferredDuringSchedulingIgnoredDuringExecution");
}

void Fields(auto& f, Is<Affinity> auto& x) {
  f("nodeAffinity", x.node_affinity);
  f.Kept("podAffinity", "podAntiAffinity");
}

void Fields(auto& f, Is<PodSpec> auto& x) {
  f("nodeName", x.node_name);
  f("schedulerName", x.scheduler_name);
  f("restartPolicy", x.restart_policy);
  f("priorityClassName", x.priority_class_name);
  f("priority", x.priority);
  f("terminationGracePeriodSeconds", x.termination_grace_period_seconds);
  f("nodeSelector", x.node_selector);
  f("tolerations", x.tolerations);
  f("containers", x.containers);
  f("initContainers", x.init_containers);
  f("resourceClaims", x.resource_claims);
  f("affinity", x.affinity);
  f("hostNetwork", x.host_network);
  f("activeDeadlineSeconds", x.active_deadline_seconds);
  f.Kept("volumes", "ephemeralContainers", "dnsPolicy", "serviceAccountName", "serviceAccount",
         "automountServiceAccountToken", "hostPID", "hostIPC", "shareProcessNamespace", "securityContext",
         "imagePullSecrets", "hostname", "subdomain", "hostAliases", "dnsConfig", "readinessGates", "runtimeClassName",
         "enableServiceLinks", "preemptionPolicy", "overhead", "topologySpreadConstraints", "setHostnameAsFQDN", "os",
         "hostUsers", "schedulingGates", "resources", "hostnameOverride", "schedulingGroup", "workloadRef");
}

void Fields(auto& f, Is<PodResourceClaimStatus> auto& x) {
  f.Always("name", x.name);
  f("resourceClaimName", x.resource_claim_name);
}

void Fields(auto& f, Is<ContainerStatus> auto& x) {
  f("name", x.name);
  f("ready", x.ready);
  f("restartCount", x.restart_count);
  f.Kept("state", "lastState", "image", "imageID", "containerID", "started", "allocatedResources", "resources",
         "volumeMounts", "user", "allocatedResourcesStatus", "stopSignal");
}

void Fields(auto& f, Is<PodStatus> auto& x) {
  f("phase", x.phase);
  f("reason", x.reason);
  f("message", x.message);
  f("startTime", x.start_time);
  f("conditions", x.conditions);
  f("resourceClaimStatuses", x.resource_claim_statuses);
  f("containerStatuses", x.container_statuses);
  f("podIP", x.pod_ip);
  f.Kept("observedGeneration", "nominatedNodeName", "hostIP", "hostIPs", "podIPs", "initContainerStatuses", "qosClass",
         "ephemeralContainerStatuses", "resize", "extendedResourceClaimStatus", "nodeAllocatableResourceClaimStatuses",
         "allocatedResources", "resources");
}

void Fields(auto& f, Is<Pod> auto& x) {
  f("metadata", x.metadata);
  f("spec", x.spec);
  f("status", x.status);
}

void Fields(auto& f, Is<PodTemplateSpec> auto& x) {
  f("metadata", x.metadata);
  f("spec", x.spec);
}

void Fields(auto& f, Is<Namespace> auto& x) {
  f("metadata", x.metadata);
  f.Kept("spec", "status");
}

void Fields(auto& f, Is<Event> auto& x) {
  f("metadata", x.metadata);
  f("type", x.type);
  f("reason", x.reason);
  f("message", x.message);
  f.Kept("involvedObject", "source", "firstTimestamp", "lastTimestamp", "count", "eventTime", "series", "action",
         "related", "reportingComponent", "reportingInstance");
}

// resource.k8s.io/v1

void Fields(auto& f, Is<CelDeviceSelector> auto& x) {
  f.Always("expression", x.expression);
}
void Fields(auto& f, Is<DeviceSelector> auto& x) {
  f("cel", x.cel);
}

void Fields(auto& f, Is<DeviceToleration> auto& x) {
  f("key", x.key);
  f("operator", x.operator_);
  f("value", x.value);
  f("effect", x.effect);
  f("tolerationSeconds", x.toleration_seconds);
}

void Fields(auto& f, Is<DeviceDerivedAttribute> auto& x) {
  f.Always("name", x.name);
  f.Always("expression", x.expression);
}

void Fields(auto& f, Is<CapacityRequirements> auto& x) {
  f("requests", x.requests);
}

void Fields(auto& f, Is<DeviceSubRequest> auto& x) {
  f("name", x.name);
  f("deviceClassName", x.device_class_name);
  f("selectors", x.selectors);
  f("allocationMode", x.allocation_mode);
  f("count", x.count);
  f("adminAccess", x.admin_access);
  f("tolerations", x.tolerations);
  f("capacity", x.capacity);
  f("derivedAttributes", x.derived_attributes);
}

void Fields(auto& f, Is<DeviceRequest> auto& x) {
  f.Always("name", x.name);
  f("exactly", x.exactly);
  f("firstAvailable", x.first_available);
  f.Moved("deviceClassName", "in resource.k8s.io/v1 it stands under exactly");
  f.Moved("selectors", "in resource.k8s.io/v1 it stands under exactly");
  f.Moved("allocationMode", "in resource.k8s.io/v1 it stands under exactly");
  f.Moved("count", "in resource.k8s.io/v1 it stands under exactly");
  f.Moved("adminAccess", "in resource.k8s.io/v1 it stands under exactly");
  f.Moved("tolerations", "in resource.k8s.io/v1 it stands under exactly");
  f.Moved("capacity", "in resource.k8s.io/v1 it stands under exactly");
}

void Fields(auto& f, Is<DeviceConstraint> auto& x) {
  f("requests", x.requests);
  f("matchAttribute", x.match_attribute);
  f("distinctAttribute", x.distinct_attribute);
}

void Fields(auto& f, Is<OpaqueDeviceConfiguration> auto& x) {
  f.Always("driver", x.driver);
  f.Always("parameters", x.parameters);
}

void Fields(auto& f, Is<DeviceClaimConfiguration> auto& x) {
  f("requests", x.requests);
  f("opaque", x.opaque);
}

void Fields(auto& f, Is<DeviceClaim> auto& x) {
  f("requests", x.requests);
  f("constraints", x.constraints);
  f("config", x.config);
}

void Fields(auto& f, Is<ResourceClaimSpec> auto& x) {
  f("devices", x.devices);
}

void Fields(auto& f, Is<DeviceRequestAllocationResult> auto& x) {
  f.Always("request", x.request);
  f.Always("driver", x.driver);
  f.Always("pool", x.pool);
  f.Always("device", x.device);
  f("adminAccess", x.admin_access);
  f("tolerations", x.tolerations);
  f("bindingConditions", x.binding_conditions);
  f("bindingFailureConditions", x.binding_failure_conditions);
  f("shareID", x.share_id);
  f("consumedCapacity", x.consumed_capacity);
  f("skipNodeOperations", x.skip_node_operations);
}

void Fields(auto& f, Is<DeviceAllocationConfiguration> auto& x) {
  f.Always("source", x.source);
  f("requests", x.requests);
  f("opaque", x.opaque);
}

void Fields(auto& f, Is<DeviceAllocationResult> auto& x) {
  f("results", x.results);
  f("config", x.config);
}

void Fields(auto& f, Is<AllocationResult> auto& x) {
  f.Always("devices", x.devices);
  f("nodeSelector", x.node_selector);
  f("allocationTimestamp", x.allocation_timestamp);
}

void Fields(auto& f, Is<ResourceClaimConsumerReference> auto& x) {
  f("apiGroup", x.api_group);
  f.Always("resource", x.resource);
  f.Always("name", x.name);
  f.Always("uid", x.uid);
}

void Fields(auto& f, Is<NetworkDeviceData> auto& x) {
  f("interfaceName", x.interface_name);
  f("ips", x.ips);
  f("hardwareAddress", x.hardware_address);
}

void Fields(auto& f, Is<AllocatedDeviceStatus> auto& x) {
  f.Always("driver", x.driver);
  f.Always("pool", x.pool);
  f.Always("device", x.device);
  f("shareID", x.share_id);
  f.Always("conditions", x.conditions);
  f("data", x.data);
  f("networkData", x.network_data);
}

void Fields(auto& f, Is<ResourceClaimStatus> auto& x) {
  f("allocation", x.allocation);
  f("reservedFor", x.reserved_for);
  f("devices", x.devices);
}

void Fields(auto& f, Is<ResourceClaim> auto& x) {
  f("metadata", x.metadata);
  f("spec", x.spec);
  f("status", x.status);
}

void Fields(auto& f, Is<ResourceClaimTemplateSpec> auto& x) {
  f("metadata", x.metadata);
  f("spec", x.spec);
  f.Moved("devices", "a template holds the claim's spec one level deeper, under spec.spec");
}

void Fields(auto& f, Is<ResourceClaimTemplate> auto& x) {
  f("metadata", x.metadata);
  f("spec", x.spec);
}

void Fields(auto& f, Is<DeviceClassConfiguration> auto& x) {
  f("opaque", x.opaque);
}

void Fields(auto& f, Is<DeviceClassSpec> auto& x) {
  f("selectors", x.selectors);
  f("config", x.config);
  f("extendedResourceName", x.extended_resource_name);
}

void Fields(auto& f, Is<DeviceClass> auto& x) {
  f("metadata", x.metadata);
  f("spec", x.spec);
}

void Fields(auto& f, Is<DeviceAttribute> auto& x) {
  f("int", x.int_value);
  f("bool", x.bool_value);
  f("string", x.string_value);
  f("version", x.version_value);
  f("ints", x.int_values);
  f("bools", x.bool_values);
  f("strings", x.string_values);
  f("versions", x.version_values);
}

void Fields(auto& f, Is<CapacityRequestPolicyRange> auto& x) {
  f("min", x.min);
  f("max", x.max);
  f("step", x.step);
}

void Fields(auto& f, Is<CapacityRequestPolicy> auto& x) {
  f("default", x.default_value);
  f("validValues", x.valid_values);
  f("validRange", x.valid_range);
}

void Fields(auto& f, Is<DeviceCapacity> auto& x) {
  f.Always("value", x.value);
  f("requestPolicy", x.request_policy);
}

void Fields(auto& f, Is<Counter> auto& x) {
  f.Always("value", x.value);
}

void Fields(auto& f, Is<CounterSet> auto& x) {
  f.Always("name", x.name);
  f.Always("counters", x.counters);
}

void Fields(auto& f, Is<DeviceCounterConsumption> auto& x) {
  f.Always("counterSet", x.counter_set);
  f.Always("counters", x.counters);
  f("compatibilityGroups", x.compatibility_groups);
}

void Fields(auto& f, Is<DeviceTaint> auto& x) {
  f.Always("key", x.key);
  f("value", x.value);
  f.Always("effect", x.effect);
  f("timeAdded", x.time_added);
}

void Fields(auto& f, Is<NodeAllocatableMapping> auto& x) {
  f("capacityKey", x.capacity_key);
  f("capacityMultiplier", x.capacity_multiplier);
  f("deviceMultiplier", x.device_multiplier);
}

void Fields(auto& f, Is<NodeAllocatableOverhead> auto& x) {
  f("perPod", x.per_pod);
  f("perContainer", x.per_container);
}

void Fields(auto& f, Is<NodeAllocatableResource> auto& x) {
  f("mapping", x.mapping);
  f("overhead", x.overhead);
}

void Fields(auto& f, Is<Device> auto& x) {
  f.Always("name", x.name);
  f("attributes", x.attributes);
  f("capacity", x.capacity);
  f("consumesCounters", x.consumes_counters);
  f("nodeName", x.node_name);
  f("nodeSelector", x.node_selector);
  f("allNodes", x.all_nodes);
  f("taints", x.taints);
  f("bindsToNode", x.binds_to_node);
  f("bindingConditions", x.binding_conditions);
  f("bindingFailureConditions", x.binding_failure_conditions);
  f("allowMultipleAllocations", x.allow_multiple_allocations);
  f("nodeAllocatableResources", x.node_allocatable_resources);
  f.Moved("basic", "in resource.k8s.io/v1 its members stand directly in the device");
}

void Fields(auto& f, Is<ResourcePool> auto& x) {
  f.Always("name", x.name);
  f.Always("generation", x.generation);
  f.Always("resourceSliceCount", x.resource_slice_count);
}

void Fields(auto& f, Is<ResourceSliceSpec> auto& x) {
  f.Always("driver", x.driver);
  f.Always("pool", x.pool);
  f("nodeName", x.node_name);
  f("nodeSelector", x.node_selector);
  f("allNodes", x.all_nodes);
  f("perDeviceNodeSelection", x.per_device_node_selection);
  f("devices", x.devices);
  f("sharedCounters", x.shared_counters);
  f("partitionTypeAttribute", x.partition_type_attribute);
  f("skipNodeOperations", x.skip_node_operations);
}

void Fields(auto& f, Is<ResourceSlice> auto& x) {
  f("metadata", x.metadata);
  f("spec", x.spec);
}

void Fields(auto& f, Is<DeviceTaintSelector> auto& x) {
  f("driver", x.driver);
  f("pool", x.pool);
  f("device", x.device);
}

void Fields(auto& f, Is<DeviceTaintRuleSpec> auto& x) {
  f("deviceSelector", x.device_selector);
  f.Always("taint", x.taint);
}

void Fields(auto& f, Is<DeviceTaintRuleStatus> auto& x) {
  f("conditions", x.conditions);
}

void Fields(auto& f, Is<DeviceTaintRule> auto& x) {
  f("metadata", x.metadata);
  f("spec", x.spec);
  f("status", x.status);
}

// apps/v1

void Fields(auto& f, Is<RollingUpdate> auto& x) {
  f("maxSurge", x.max_surge);
  f("maxUnavailable", x.max_unavailable);
  f("partition", x.partition);
}

void Fields(auto& f, Is<UpdateStrategy> auto& x) {
  f("type", x.type);
  f("rollingUpdate", x.rolling_update);
}

void Fields(auto& f, Is<DeploymentSpec> auto& x) {
  f("replicas", x.replicas);
  f("selector", x.selector);
  f("template", x.template_);
  f("strategy", x.strategy);
  f("minReadySeconds", x.min_ready_seconds);
  f("revisionHistoryLimit", x.revision_history_limit);
  f("paused", x.paused);
  f("progressDeadlineSeconds", x.progress_deadline_seconds);
}

void Fields(auto& f, Is<WorkloadStatus> auto& x) {
  f("observedGeneration", x.observed_generation);
  f.Always("replicas", x.replicas);
  f("updatedReplicas", x.updated_replicas);
  f("readyReplicas", x.ready_replicas);
  f("availableReplicas", x.available_replicas);
  f("terminatingReplicas", x.terminating_replicas);
  f("conditions", x.conditions);
  f("collisionCount", x.collision_count);
  f.Kept("unavailableReplicas", "fullyLabeledReplicas");
}

void Fields(auto& f, Is<Deployment> auto& x) {
  f("metadata", x.metadata);
  f("spec", x.spec);
  f("status", x.status);
}

void Fields(auto& f, Is<ReplicaSet> auto& x) {
  f("metadata", x.metadata);
  f("spec", x.spec);
  f("status", x.status);
}

void Fields(auto& f, Is<StatefulSetOrdinals> auto& x) {
  f("start", x.start);
}

void Fields(auto& f, Is<StatefulSetSpec> auto& x) {
  f("replicas", x.replicas);
  f("selector", x.selector);
  f("template", x.template_);
  f("serviceName", x.service_name);
  f("podManagementPolicy", x.pod_management_policy);
  f("updateStrategy", x.update_strategy);
  f("minReadySeconds", x.min_ready_seconds);
  f("revisionHistoryLimit", x.revision_history_limit);
  f("ordinals", x.ordinals);
  f.Kept("volumeClaimTemplates", "persistentVolumeClaimRetentionPolicy");
}

void Fields(auto& f, Is<StatefulSetStatus> auto& x) {
  f("currentRevision", x.current_revision);
  f("updateRevision", x.update_revision);
  f("collisionCount", x.collision_count);
  f.Kept("observedGeneration", "replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas",
         "conditions");
}

void Fields(auto& f, Is<StatefulSet> auto& x) {
  f("metadata", x.metadata);
  f("spec", x.spec);
  f("status", x.status);
}

void Fields(auto& f, Is<DaemonSetSpec> auto& x) {
  f("selector", x.selector);
  f("template", x.template_);
  f("updateStrategy", x.update_strategy);
  f("minReadySeconds", x.min_ready_seconds);
  f("revisionHistoryLimit", x.revision_history_limit);
}

void Fields(auto& f, Is<DaemonSet> auto& x) {
  f("metadata", x.metadata);
  f("spec", x.spec);
  f.Kept("status");
}

void Fields(auto& f, Is<ControllerRevision> auto& x) {
  f("metadata", x.metadata);
  f.Always("revision", x.revision);
  f("data", x.data);
}

// batch/v1

void Fields(auto& f, Is<JobSpec> auto& x) {
  f("parallelism", x.parallelism);
  f("completions", x.completions);
  f("backoffLimit", x.backoff_limit);
  f("suspend", x.suspend);
  f("selector", x.selector);
  f("template", x.template_);
  f("activeDeadlineSeconds", x.active_deadline_seconds);
  f("ttlSecondsAfterFinished", x.ttl_seconds_after_finished);
  f("completionMode", x.completion_mode);
  f.Kept("podFailurePolicy", "successPolicy", "backoffLimitPerIndex", "maxFailedIndexes", "manualSelector",
         "podReplacementPolicy", "managedBy");
}

void Fields(auto& f, Is<JobStatus> auto& x) {
  f("active", x.active);
  f("succeeded", x.succeeded);
  f("failed", x.failed);
  f("startTime", x.start_time);
  f("completionTime", x.completion_time);
  f("conditions", x.conditions);
  f("completedIndexes", x.completed_indexes);
  f.Kept("ready", "terminating", "failedIndexes", "uncountedTerminatedPods");
}

void Fields(auto& f, Is<Job> auto& x) {
  f("metadata", x.metadata);
  f("spec", x.spec);
  f("status", x.status);
}

void Fields(auto& f, Is<CronJobSpec> auto& x) {
  f("schedule", x.schedule);
  f("timeZone", x.time_zone);
  f("startingDeadlineSeconds", x.starting_deadline_seconds);
  f("concurrencyPolicy", x.concurrency_policy);
  f("suspend", x.suspend);
  f("successfulJobsHistoryLimit", x.successful_jobs_history_limit);
  f("failedJobsHistoryLimit", x.failed_jobs_history_limit);
  f.Kept("jobTemplate");
}

void Fields(auto& f, Is<CronJobStatus> auto& x) {
  f("lastScheduleTime", x.last_schedule_time);
  f.Kept("active", "lastSuccessfulTime");
}

void Fields(auto& f, Is<CronJob> auto& x) {
  f("metadata", x.metadata);
  f("spec", x.spec);
  f("status", x.status);
}

// policy/v1

void Fields(auto& f, Is<PodDisruptionBudgetSpec> auto& x) {
  f("minAvailable", x.min_available);
  f("selector", x.selector);
  f("maxUnavailable", x.max_unavailable);
  f.Kept("unhealthyPodEvictionPolicy");
}

void Fields(auto& f, Is<PodDisruptionBudget> auto& x) {
  f("metadata", x.metadata);
  f("spec", x.spec);
  f.Kept("status");
}

}  // namespace kumiko::api
