#include "cli/whole_gpus.h"

#include <algorithm>
#include <string_view>

#include "api/codec.h"
#include "api/resource/types.h"
#include "base/text.h"
#include "cli/selector_text.h"
#include "gpu/device_classes.h"

namespace kumiko::cli {
namespace {

// Attributes that only partitions have, or that tell partitions from whole GPUs.
bool SpeaksOfPartition(std::string_view conjunct) {
  for (const std::string_view name : {"profile", "parentUUID", "type"}) {
    for (std::size_t at = conjunct.find(name); at != std::string_view::npos; at = conjunct.find(name, at + 1)) {
      const char before = at == 0 ? ' ' : conjunct[at - 1];
      const std::size_t end = at + name.size();
      const char after = end < conjunct.size() ? conjunct[end] : ' ';
      const auto inside = [](char c) { return c == '_' || (c >= '0' && c <= '9') || (c | 32) >= 'a'; };
      if ((before == '.' || before == '"' || before == '\'') && !inside(after)) return true;
    }
  }
  return false;
}

void Rewrite(api::DeviceSubRequest& request) {
  request.device_class_name = gpu::kGpuClass;
  std::vector<api::DeviceSelector> kept;
  for (const api::DeviceSelector& selector : request.selectors) {
    if (!selector.cel) continue;
    std::vector<std::string> conjuncts = Conjuncts(selector.cel->expression);
    std::erase_if(conjuncts, SpeaksOfPartition);
    if (!conjuncts.empty()) kept.push_back({api::CelDeviceSelector{Join(conjuncts, " && ")}});
  }
  request.selectors = std::move(kept);
  // A share of a capacity is a part, too.
  request.capacity.reset();
}

void Rewrite(api::DeviceClaim& claim) {
  for (api::DeviceRequest& request : claim.requests) {
    if (request.exactly) Rewrite(*request.exactly);
    for (api::DeviceSubRequest& sub : request.first_available) Rewrite(sub);
  }
  std::erase_if(claim.constraints, [](const api::DeviceConstraint& constraint) {
    const auto& attribute = constraint.match_attribute ? constraint.match_attribute : constraint.distinct_attribute;
    return attribute && SpeaksOfPartition("." + attribute->substr(attribute->find('/') + 1));
  });
  claim.config.clear();
}

// What a person wrote, again: nothing that the API server or a controller added.
Json AsWritten(const Json& object) {
  Json copy = object;
  JsonObject& root = copy.as_object();
  root.erase("status");
  if (Json* metadata = root.if_contains("metadata"); metadata != nullptr && metadata->is_object()) {
    for (const std::string_view key : {"uid", "resourceVersion", "creationTimestamp", "generation", "finalizers",
                                       "deletionTimestamp", "managedFields"}) {
      metadata->get_object().erase(key);
    }
  }
  if (StringAt(copy, {"kind"}) == "Pod") root["spec"].as_object().erase("nodeName");
  if (StringAt(copy, {"kind"}) == "Job") {
    // The controller generates both; a copy of them would be refused as foreign.
    JsonObject& spec = root["spec"].as_object();
    spec.erase("selector");
    if (Json* labels = root["spec"].as_object().if_contains("template")) {
      if (Json* metadata = labels->as_object().if_contains("metadata"); metadata != nullptr) {
        if (Json* map = metadata->as_object().if_contains("labels"); map != nullptr && map->is_object()) {
          for (const std::string_view key :
               {"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"}) {
            map->get_object().erase(key);
          }
        }
      }
    }
  }
  return copy;
}

bool MadeByAnother(const Json& object) {
  const Json* owners = FindPath(object, {"metadata", "ownerReferences"});
  return owners != nullptr && owners->is_array() && !owners->get_array().empty();
}

bool BeingDeleted(const Json& object) {
  return FindPath(object, {"metadata", "deletionTimestamp"}) != nullptr;
}

}  // namespace

localcluster::ClusterFile WithWholeGpus(localcluster::ClusterFile cluster) {
  for (localcluster::SimulatedNode& node : cluster.nodes) {
    for (gpu::BoardInstance& board : node.boards) {
      board.mig = gpu::MigMode::kOff;
      board.instances.clear();
      board.sharing = {};
    }
  }
  cluster.demand.clear();
  return cluster;
}

Result<Json> ForWholeGpus(const Json& object) {
  const std::string_view kind = StringAt(object, {"kind"});
  if (kind == api::ResourceClaim::kKind) {
    KU_TRY(api::ResourceClaim claim, api::Decode<api::ResourceClaim>(object));
    Rewrite(claim.spec.devices);
    return api::Encode(claim);
  }
  if (kind == api::ResourceClaimTemplate::kKind) {
    KU_TRY(api::ResourceClaimTemplate claim_template, api::Decode<api::ResourceClaimTemplate>(object));
    Rewrite(claim_template.spec.spec.devices);
    return api::Encode(claim_template);
  }
  return object;
}

Result<std::vector<Json>> WorkForWholeGpus(kube::ApiClient& api) {
  std::vector<Json> work;
  for (const char* kind : {"Namespace", "DeviceClass", "ResourceClaimTemplate", "ResourceClaim", "Deployment",
                           "ReplicaSet", "Job", "Pod"}) {
    KU_TRY(const kube::ObjectList list, api.List({kind, "", ""}));
    for (const auto& object : list.items) {
      if (MadeByAnother(*object) || BeingDeleted(*object)) continue;
      KU_TRY(Json rewritten, ForWholeGpus(AsWritten(*object)));
      work.push_back(std::move(rewritten));
    }
  }
  return work;
}

}  // namespace kumiko::cli
