#include "api/meta/object_meta.h"

#include <algorithm>

namespace kumiko::api {

namespace {

bool Satisfies(const LabelSelectorRequirement& requirement, const StringMap& labels) {
  const auto found = labels.find(requirement.key);
  const bool listed = found != labels.end() && std::find(requirement.values.begin(), requirement.values.end(),
                                                         found->second) != requirement.values.end();
  if (requirement.operator_ == "In") return listed;
  if (requirement.operator_ == "NotIn") return !listed;
  if (requirement.operator_ == "Exists") return found != labels.end();
  if (requirement.operator_ == "DoesNotExist") return found == labels.end();
  return false;
}

}  // namespace

bool Matches(const LabelSelector& selector, const StringMap& labels) {
  for (const auto& [key, value] : selector.match_labels) {
    const auto found = labels.find(key);
    if (found == labels.end() || found->second != value) return false;
  }
  return std::all_of(selector.match_expressions.begin(), selector.match_expressions.end(),
                     [&](const LabelSelectorRequirement& requirement) { return Satisfies(requirement, labels); });
}

const OwnerReference* ControllerOf(const ObjectMeta& meta) {
  for (const OwnerReference& owner : meta.owner_references) {
    if (owner.controller) return &owner;
  }
  return nullptr;
}

std::string QualifiedName(const ObjectMeta& meta) {
  return meta.namespace_.empty() ? meta.name : meta.namespace_ + "/" + meta.name;
}

}  // namespace kumiko::api
