#include "localcluster/controllers/owned_objects.h"

#include <utility>

namespace kumiko::localcluster {

Json OwnerReferenceTo(const Json& owner) {
  return JsonObject{{"apiVersion", StringAt(owner, {"apiVersion"})},
                    {"kind", StringAt(owner, {"kind"})},
                    {"name", StringAt(owner, {"metadata", "name"})},
                    {"uid", StringAt(owner, {"metadata", "uid"})},
                    {"controller", true},
                    {"blockOwnerDeletion", true}};
}

Result<Json> PodFromTemplate(const Json& owner, const api::StringMap& labels) {
  const Json* pod_template = FindPath(owner, {"spec", "template"});
  if (pod_template == nullptr || !pod_template->is_object()) {
    return Fail(Code::kInvalidArgument, "{} {}: spec.template: Required value", StringAt(owner, {"kind"}),
                StringAt(owner, {"metadata", "name"}));
  }
  Json pod = *pod_template;
  JsonObject& members = pod.get_object();
  members["apiVersion"] = "v1";
  members["kind"] = "Pod";
  Json& metadata = members["metadata"];
  if (!metadata.is_object()) metadata = JsonObject();
  JsonObject& meta = metadata.get_object();
  meta["namespace"] = StringAt(owner, {"metadata", "namespace"});
  meta["generateName"] = std::string(StringAt(owner, {"metadata", "name"})) + "-";
  meta["ownerReferences"] = JsonArray{OwnerReferenceTo(owner)};
  Json& label_member = meta["labels"];
  if (!label_member.is_object()) label_member = JsonObject();
  for (const auto& [key, value] : labels) label_member.get_object()[key] = value;
  return pod;
}

}  // namespace kumiko::localcluster
