// What each API group contributes to the table of kinds (api/kind_table.cc): validation and conversion.
#pragma once

#include "api/apps/types.h"
#include "api/batch/types.h"
#include "api/core/types.h"
#include "api/resource/types.h"
#include "api/validation.h"
#include "base/json.h"

namespace kumiko::api {

// Of a kind without rules of its own: name, labels, annotations and owners.
void ValidateNamed(const Json& object, FieldErrors& errors);
void ValidateNode(const Node& node, FieldErrors& errors);
void ValidatePod(const Pod& pod, FieldErrors& errors);
void ValidatePodSpec(const PodSpec& spec, const FieldPath& path, FieldErrors& errors);
// The annotations of api/core/pod_annotations.h, in those of a pod or pod template.
void ValidatePodAnnotations(const StringMap& annotations, const FieldPath& path, FieldErrors& errors);
void ValidateNamespace(const Namespace& object, FieldErrors& errors);
void ValidateEvent(const Event& event, FieldErrors& errors);
void ValidateDeployment(const Deployment& deployment, FieldErrors& errors);
void ValidateReplicaSet(const ReplicaSet& replica_set, FieldErrors& errors);
void ValidateJob(const Job& job, FieldErrors& errors);
void ValidateResourceClaim(const ResourceClaim& claim, FieldErrors& errors);
void ValidateResourceClaimTemplate(const ResourceClaimTemplate& object, FieldErrors& errors);
void ValidateDeviceClass(const DeviceClass& device_class, FieldErrors& errors);
void ValidateResourceSlice(const ResourceSlice& slice, FieldErrors& errors);
void ValidateDeviceTaintRule(const DeviceTaintRule& rule, FieldErrors& errors);

// v1beta1 to v1 (spec dra-allocator §1.9): flat requests go under `exactly`, `basic` devices become flat.
void ConvertFromV1Beta1(std::string_view kind, Json& object);
void ConvertToV1Beta1(std::string_view kind, Json& object);

}  // namespace kumiko::api
