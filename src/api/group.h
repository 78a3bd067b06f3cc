// What each API group contributes to the table of kinds (api/kind_table.cc): validation and conversion.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "api/apps/types.h"
#include "api/batch/types.h"
#include "api/core/types.h"
#include "api/kinds.h"
#include "api/resource/types.h"
#include "api/validation.h"
#include "base/json.h"

namespace kumiko::api {

// The second group in which events are served.
inline constexpr GroupVersion kEventsV1{"events.k8s.io", "v1"};

// The metadata of an object; `check_name` is the format that names of its kind have.
void ValidateName(const Json& object, const std::function<std::string(std::string_view)>& check_name,
                  FieldErrors& errors);
// Of a kind without rules of its own.
void ValidateNamed(const Json& object, FieldErrors& errors);

// A pod's spec, and the metadata and spec of a template.
void ValidatePodSpec(const Field& spec, FieldErrors& errors);
void ValidatePodTemplate(const Field& pod_template, FieldErrors& errors);
// The annotations of api/core/pod_annotations.h, in those of a pod or pod template.
void ValidatePodAnnotations(const Field& annotations, FieldErrors& errors);

void ValidateConfigMap(const Json& map, FieldErrors& errors);
void ValidateControllerRevision(const Json& revision, FieldErrors& errors);
void ValidateCronJob(const Json& cron_job, FieldErrors& errors);
void ValidateDaemonSet(const Json& set, FieldErrors& errors);
void ValidateDeployment(const Json& deployment, FieldErrors& errors);
void ValidateEvent(const Json& event, FieldErrors& errors);
void ValidateJob(const Json& job, FieldErrors& errors);
void ValidateLease(const Json& lease, FieldErrors& errors);
void ValidateNamespace(const Json& object, FieldErrors& errors);
void ValidateNode(const Json& node, FieldErrors& errors);
void ValidatePod(const Json& pod, FieldErrors& errors);
void ValidatePodDisruptionBudget(const Json& budget, FieldErrors& errors);
void ValidatePriorityClass(const Json& priority_class, FieldErrors& errors);
void ValidateReplicaSet(const Json& set, FieldErrors& errors);
void ValidateRole(const Json& role, FieldErrors& errors);
void ValidateRoleBinding(const Json& binding, FieldErrors& errors);
void ValidateSecret(const Json& secret, FieldErrors& errors);
void ValidateService(const Json& service, FieldErrors& errors);
void ValidateStatefulSet(const Json& set, FieldErrors& errors);
void ValidateStorageClass(const Json& storage_class, FieldErrors& errors);

void ValidateResourceClaim(const ResourceClaim& claim, FieldErrors& errors);
void ValidateResourceClaimTemplate(const ResourceClaimTemplate& object, FieldErrors& errors);
void ValidateDeviceClass(const DeviceClass& device_class, FieldErrors& errors);
void ValidateResourceSlice(const ResourceSlice& slice, FieldErrors& errors);
void ValidateDeviceTaintRule(const DeviceTaintRule& rule, FieldErrors& errors);

// v1beta1 to v1 (spec dra-allocator §1.9): flat requests go under `exactly`, `basic` devices become flat.
void ConvertFromV1Beta1(std::string_view kind, Json& object);
void ConvertToV1Beta1(std::string_view kind, Json& object);

// An Event of events.k8s.io/v1 to that of the core group and back.
void ConvertFromEventsV1(Json& event);
void ConvertToEventsV1(Json& event);

}  // namespace kumiko::api
