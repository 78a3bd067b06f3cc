#include "localcluster/strategies.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "api/kinds.h"
#include "base/text.h"
#include "localcluster/object_tree.h"

namespace kumiko::localcluster {
namespace {

constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

bool SameMember(const JsonObject& a, const JsonObject& b, std::string_view name) {
  const Json* of_a = a.if_contains(name);
  const Json* of_b = b.if_contains(name);
  return of_a == nullptr || of_b == nullptr ? of_a == of_b : *of_a == *of_b;
}

// A pod's node is set by a binding, which counts as no change of what is wanted.
bool SamePodSpec(const Json& before, const Json& after) {
  const Json* old_spec = Find(before, "spec");
  const Json* new_spec = Find(after, "spec");
  if (old_spec == nullptr || new_spec == nullptr || !old_spec->is_object() || !new_spec->is_object()) {
    return old_spec == new_spec;
  }
  for (const auto& [a, b] : {std::pair(old_spec, new_spec), std::pair(new_spec, old_spec)}) {
    for (const auto& member : a->get_object()) {
      if (member.key() != "nodeName" && !SameMember(a->get_object(), b->get_object(), member.key())) return false;
    }
  }
  return true;
}

// Everything of an object but metadata and status counts as its spec.
bool SameSpec(const Json& before, const Json& after) {
  for (const auto& [a, b] : {std::pair(&before, &after), std::pair(&after, &before)}) {
    for (const auto& member : a->get_object()) {
      if (member.key() == "metadata" || member.key() == "status") continue;
      if (!SameMember(a->get_object(), b->get_object(), member.key())) return false;
    }
  }
  return true;
}

bool SameMetadata(const Json& before, const Json& after, std::string_view name) {
  const Json* a = FindPath(before, {"metadata", name});
  const Json* b = FindPath(after, {"metadata", name});
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

bool WantsTheSame(const Json& before, const Json& after) {
  const std::string_view kind = StringAt(before, {"kind"});
  if (kind == "Pod") return SamePodSpec(before, after);
  if (kind == "PriorityClass") return true;
  if (kind == "Deployment" && !SameMetadata(before, after, "annotations")) return false;
  if (kind == "EndpointSlice" && !SameMetadata(before, after, "labels")) return false;
  return SameSpec(before, after);
}

std::int64_t GenerationOf(const Json& object) {
  const Json* generation = FindPath(object, {"metadata", "generation"});
  return generation != nullptr && generation->is_int64() ? generation->get_int64() : 0;
}

Json& MakeMember(Json& object, std::string_view name) {
  Json& member = object.as_object()[name];
  if (!member.is_object()) member = JsonObject();
  return member;
}

void CountTemplate(const Json& before, Json& after) {
  const Json* old_template = FindPath(before, {"spec", "template"});
  const Json* new_template = FindPath(after, {"spec", "template"});
  const std::string_view counted = StringAt(before, {"metadata", "annotations", kTemplateGeneration});
  const bool same = old_template == nullptr || new_template == nullptr || *old_template == *new_template;
  const std::int64_t generation = ParseInt64(counted).value_or(1) + (same ? 0 : 1);
  MetadataOf(after);
  MakeMember(after.as_object()["metadata"], "annotations").as_object()[kTemplateGeneration] =
      std::to_string(generation);
}

void GenerateSelector(Json& job) {
  const Json* manual = FindPath(job, {"spec", "manualSelector"});
  if (manual != nullptr && manual->is_bool() && manual->get_bool()) return;
  const std::string name(StringAt(job, {"metadata", "name"}));
  const std::string uid(StringAt(job, {"metadata", "uid"}));
  Json& spec = MakeMember(job, "spec");
  Json& labels = MakeMember(MakeMember(MakeMember(spec, "template"), "metadata"), "labels");
  // A Job without labels of its own has those of its pods, the generated ones too.
  const Json* own = FindPath(job, {"metadata", "labels"});
  const bool shared = own == nullptr || *own == Json(JsonObject()) || *own == labels;
  for (const auto& [label, value] :
       {std::pair("job-name", name), std::pair("batch.kubernetes.io/job-name", name), std::pair("controller-uid", uid),
        std::pair("batch.kubernetes.io/controller-uid", uid)}) {
    if (!labels.as_object().contains(label)) labels.as_object()[label] = value;
  }
  if (shared) MetadataOf(job)["labels"] = Json(labels);
  Json& selected = MakeMember(MakeMember(spec, "selector"), "matchLabels");
  if (!selected.as_object().contains("batch.kubernetes.io/controller-uid")) {
    selected.as_object()["batch.kubernetes.io/controller-uid"] = uid;
  }
}

// A pod that must not be scheduled yet says so from the start.
void WriteGatedCondition(Json& pod) {
  const Json* gates = FindPath(pod, {"spec", "schedulingGates"});
  if (gates == nullptr || !gates->is_array() || gates->get_array().empty()) return;
  const Json created(StringAt(pod, {"metadata", "creationTimestamp"}));
  MakeMember(pod, "status").as_object()["conditions"] =
      JsonArray{JsonObject{{"type", "PodScheduled"},
                           {"status", "False"},
                           {"reason", "SchedulingGated"},
                           {"message", "Scheduling is blocked due to non-empty scheduling gates"},
                           {"lastProbeTime", nullptr},
                           {"lastTransitionTime", created}}};
}

}  // namespace

void WriteGenerated(Json& object) {
  const std::string_view kind = StringAt(object, {"kind"});
  if (kind == "Job") GenerateSelector(object);
  if (kind == "Pod") WriteGatedCondition(object);
}

void CountChange(const Json& before, Json& after) {
  if (StringAt(before, {"kind"}) == "DaemonSet") CountTemplate(before, after);
  const std::int64_t generation = GenerationOf(before);
  if (generation > 0 && !WantsTheSame(before, after)) MetadataOf(after)["generation"] = generation + 1;
}

}  // namespace kumiko::localcluster
