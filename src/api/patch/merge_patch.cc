#include "api/patch/merge_patch.h"

namespace kumiko::api {
namespace {

Json WithoutNulls(const Json& value) {
  if (const JsonObject* members = value.if_object()) {
    JsonObject kept;
    for (const auto& member : *members) {
      if (!member.value().is_null()) kept[member.key()] = WithoutNulls(member.value());
    }
    return kept;
  }
  if (const JsonArray* items = value.if_array()) {
    JsonArray kept;
    kept.reserve(items->size());
    for (const Json& item : *items) kept.push_back(WithoutNulls(item));
    return kept;
  }
  return value;
}

}  // namespace

void MergePatch(Json& target, const Json& patch) {
  JsonObject* const object = target.if_object();
  const JsonObject* const members = patch.if_object();
  if (object == nullptr) {
    target = WithoutNulls(patch);
    return;
  }
  if (members == nullptr) {
    target = patch;
    return;
  }
  for (const auto& member : *members) {
    if (member.value().is_null()) {
      object->erase(member.key());
    } else {
      MergePatch((*object)[member.key()], member.value());
    }
  }
}

}  // namespace kumiko::api
