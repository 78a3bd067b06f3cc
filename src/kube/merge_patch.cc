#include "kube/merge_patch.h"

namespace kumiko::kube {

void MergePatch(Json& target, const Json& patch) {
  const JsonObject* members = patch.if_object();
  if (members == nullptr) {
    target = patch;
    return;
  }
  if (!target.is_object()) target = JsonObject();
  JsonObject& object = target.get_object();
  for (const auto& member : *members) {
    if (member.value().is_null()) {
      object.erase(member.key());
    } else {
      MergePatch(object[member.key()], member.value());
    }
  }
}

}  // namespace kumiko::kube
