#include "api/group.h"

namespace kumiko::api {

JsonObject* ObjectAt(Json& parent, std::string_view name) {
  JsonObject* object = parent.if_object();
  if (object == nullptr) return nullptr;
  Json& member = (*object)[name];
  if (member.is_null()) member = JsonObject();
  return member.if_object();
}

void DefaultMember(JsonObject& object, std::string_view name, Json value) {
  Json& member = object[name];
  if (member.is_null()) member = std::move(value);
}

namespace {

// The list at `name`, or null: defaulting never makes one.
JsonArray* ListAt(JsonObject& object, std::string_view name) {
  Json* member = object.if_contains(name);
  return member == nullptr ? nullptr : member->if_array();
}

JsonObject* MapAt(JsonObject& object, std::string_view name) {
  Json* member = object.if_contains(name);
  return member == nullptr ? nullptr : member->if_object();
}

void DefaultTolerations(JsonObject& request) {
  JsonArray* tolerations = ListAt(request, "tolerations");
  if (tolerations == nullptr) return;
  for (Json& toleration : *tolerations) {
    if (JsonObject* object = toleration.if_object()) DefaultMember(*object, "operator", "Equal");
  }
}

void DefaultRequest(JsonObject& request) {
  DefaultMember(request, "allocationMode", kExactCount);
  const Json* mode = request.if_contains("allocationMode");
  if (mode->is_string() && mode->get_string() == kExactCount) {
    Json& count = request["count"];
    if (count.is_null() || (count.is_int64() && count.get_int64() == 0)) count = 1;
  }
  DefaultTolerations(request);
}

void DefaultClaimSpec(Json* spec) {
  JsonObject* object = spec == nullptr ? nullptr : spec->if_object();
  JsonObject* devices = object == nullptr ? nullptr : MapAt(*object, "devices");
  JsonArray* requests = devices == nullptr ? nullptr : ListAt(*devices, "requests");
  if (requests == nullptr) return;
  for (Json& item : *requests) {
    JsonObject* request = item.if_object();
    if (request == nullptr) continue;
    if (JsonObject* exactly = MapAt(*request, "exactly")) DefaultRequest(*exactly);
    if (JsonArray* alternatives = ListAt(*request, "firstAvailable")) {
      for (Json& alternative : *alternatives) {
        if (JsonObject* sub_request = alternative.if_object()) DefaultRequest(*sub_request);
      }
    }
  }
}

void DefaultPodSpec(JsonObject& spec) {
  DefaultMember(spec, "restartPolicy", "Always");
  DefaultMember(spec, "terminationGracePeriodSeconds", 30);
  DefaultMember(spec, "dnsPolicy", "ClusterFirst");
  DefaultMember(spec, "schedulerName", "default-scheduler");
}

JsonObject* SpecOf(Json& object) {
  return ObjectAt(object, "spec");
}

}  // namespace

void DefaultPod(Json& pod) {
  if (JsonObject* spec = SpecOf(pod)) DefaultPodSpec(*spec);
  if (JsonObject* status = ObjectAt(pod, "status")) DefaultMember(*status, "phase", "Pending");
}

void DefaultPodTemplate(Json& pod_template) {
  if (!pod_template.is_object()) return;
  if (JsonObject* spec = SpecOf(pod_template)) DefaultPodSpec(*spec);
}

void DefaultReplicaSet(Json& object) {
  JsonObject* spec = SpecOf(object);
  if (spec == nullptr) return;
  DefaultMember(*spec, "replicas", 1);
  if (Json* pod_template = spec->if_contains("template")) DefaultPodTemplate(*pod_template);
}

void DefaultDeployment(Json& object) {
  DefaultReplicaSet(object);
}

void DefaultJob(Json& object) {
  JsonObject* spec = SpecOf(object);
  if (spec == nullptr) return;
  // Without parallelism and completions the Job is one pod; with only parallelism it is a work queue.
  const Json* parallelism = spec->if_contains("parallelism");
  const bool has_parallelism = parallelism != nullptr && !parallelism->is_null();
  DefaultMember(*spec, "parallelism", 1);
  if (!has_parallelism) DefaultMember(*spec, "completions", 1);
  DefaultMember(*spec, "backoffLimit", 6);
  if (Json* pod_template = spec->if_contains("template")) DefaultPodTemplate(*pod_template);
}

void DefaultResourceClaim(Json& object) {
  DefaultClaimSpec(object.as_object().if_contains("spec"));
}

void DefaultResourceClaimTemplate(Json& object) {
  Json* spec = object.as_object().if_contains("spec");
  if (spec == nullptr || !spec->is_object()) return;
  DefaultClaimSpec(spec->as_object().if_contains("spec"));
}

}  // namespace kumiko::api
