// Where the pods of Services can be reached: EndpointSlices, and the older Endpoints, of Services with a selector.
// Source: k8s.io/endpointslice and pkg/controller/endpoint of Kubernetes 1.37.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "kube/retry.h"
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/owned_objects.h"
#include "localcluster/controllers/pod_state.h"
#include "localcluster/controllers/work_list.h"
#include "localcluster/object_tree.h"

namespace kumiko::localcluster {
namespace {

using Tree = std::shared_ptr<const Json>;

constexpr std::size_t kMostPerSlice = 100;
constexpr std::size_t kMostInEndpoints = 1000;
constexpr std::string_view kServiceName = "kubernetes.io/service-name";
constexpr std::string_view kSliceManager = "endpointslice.kubernetes.io/managed-by";
constexpr std::string_view kSliceController = "endpointslice-controller.k8s.io";
constexpr std::string_view kEndpointsManager = "endpoints.kubernetes.io/managed-by";
constexpr std::string_view kHeadless = "service.kubernetes.io/headless";
constexpr std::string_view kTriggerTime = "endpoints.kubernetes.io/last-change-trigger-time";

const JsonArray& ListAt(const Json& object, std::initializer_list<std::string_view> path) {
  static const JsonArray kNone;
  const Json* list = FindPath(object, path);
  return list != nullptr && list->is_array() ? list->get_array() : kNone;
}

bool FlagAt(const Json& object, std::initializer_list<std::string_view> path) {
  const Json* flag = FindPath(object, path);
  return flag != nullptr && flag->is_bool() && flag->get_bool();
}

// What this controller needs to know of a Service to see which pods concern it.
struct Service {
  Tree tree;
  api::StringMap selector;
};

std::optional<Service> ReadService(const Tree& tree) {
  const Json* selector = FindPath(*tree, {"spec", "selector"});
  if (selector == nullptr || !selector->is_object() || StringAt(*tree, {"spec", "type"}) == "ExternalName") return {};
  Service service{tree, {}};
  for (const auto& [key, value] : selector->get_object()) {
    if (value.is_string()) service.selector.emplace(key, std::string_view(value.get_string()));
  }
  return service;
}

bool Selects(const Service& service, const api::Pod& pod) {
  return std::ranges::all_of(service.selector, [&](const auto& wanted) {
    const auto found = pod.metadata.labels.find(wanted.first);
    return found != pod.metadata.labels.end() && found->second == wanted.second;
  });
}

// The number that a port of a Service has in a pod; names are those of the pod's ports.
std::optional<std::int64_t> PortIn(const Json& pod, const Json& service_port) {
  const Json* target = Find(service_port, "targetPort");
  if (target == nullptr) return std::nullopt;
  if (target->is_int64()) return target->get_int64();
  for (const Json& container : ListAt(pod, {"spec", "containers"})) {
    for (const Json& port : ListAt(container, {"ports"})) {
      if (Find(port, "name") == nullptr || port.at("name") != *target) continue;
      if (StringAt(port, {"protocol"}) != StringAt(service_port, {"protocol"})) continue;
      const Json* number = Find(port, "containerPort");
      if (number != nullptr && number->is_int64()) return number->get_int64();
    }
  }
  return std::nullopt;
}

JsonArray PortsFor(const Json& service, const Json& pod) {
  JsonArray ports;
  for (const Json& service_port : ListAt(service, {"spec", "ports"})) {
    const auto number = PortIn(pod, service_port);
    if (!number) continue;
    JsonObject port{{"name", StringAt(service_port, {"name"})},
                    {"port", *number},
                    {"protocol", StringAt(service_port, {"protocol"})}};
    if (const Json* protocol = Find(service_port, "appProtocol")) port["appProtocol"] = *protocol;
    ports.push_back(std::move(port));
  }
  return ports;
}

struct Endpoint {
  PodPointer pod;
  Tree tree;
};

// Endpoints with the same ports.
struct Group {
  JsonArray ports;
  std::vector<Endpoint> endpoints;
};

Json TargetOf(const api::Pod& pod) {
  return JsonObject{
      {"kind", "Pod"}, {"namespace", pod.metadata.namespace_}, {"name", pod.metadata.name}, {"uid", pod.metadata.uid}};
}

bool HasHostname(const Json& service, const Json& pod) {
  return !StringAt(pod, {"spec", "hostname"}).empty() &&
         StringAt(pod, {"spec", "subdomain"}) == StringAt(service, {"metadata", "name"});
}

bool IsPublishedReady(const Json& service, const api::Pod& pod) {
  return FlagAt(service, {"spec", "publishNotReadyAddresses"}) || (IsReady(pod) && !pod.metadata.deletion_timestamp);
}

Json SliceEndpoint(const Json& service, const Endpoint& endpoint) {
  const api::Pod& pod = *endpoint.pod;
  JsonObject written{{"addresses", JsonArray{Json(pod.status.pod_ip)}},
                     {"conditions", JsonObject{{"ready", IsPublishedReady(service, pod)},
                                               {"serving", IsReady(pod)},
                                               {"terminating", pod.metadata.deletion_timestamp.has_value()}}},
                     {"targetRef", TargetOf(pod)}};
  if (!pod.spec.node_name.empty()) written["nodeName"] = pod.spec.node_name;
  // A pod has the zone of its node.
  const auto zone = pod.metadata.labels.find("topology.kubernetes.io/zone");
  if (zone != pod.metadata.labels.end()) written["zone"] = zone->second;
  if (HasHostname(service, *endpoint.tree)) written["hostname"] = StringAt(*endpoint.tree, {"spec", "hostname"});
  return written;
}

Json EndpointsAddress(const Json& service, const Endpoint& endpoint) {
  const api::Pod& pod = *endpoint.pod;
  JsonObject written{{"ip", pod.status.pod_ip}, {"targetRef", TargetOf(pod)}};
  if (!pod.spec.node_name.empty()) written["nodeName"] = pod.spec.node_name;
  if (HasHostname(service, *endpoint.tree)) written["hostname"] = StringAt(*endpoint.tree, {"spec", "hostname"});
  return written;
}

JsonObject LabelsOf(const Json& service) {
  JsonObject labels;
  if (const Json* own = FindPath(service, {"metadata", "labels"}); own != nullptr && own->is_object()) {
    labels = own->get_object();
  }
  for (const std::string_view reserved : {kServiceName, kSliceManager, kHeadless}) labels.erase(reserved);
  if (StringAt(service, {"spec", "clusterIP"}) == "None") labels[kHeadless] = "";
  return labels;
}

class EndpointController {
 public:
  explicit EndpointController(Workloads& workloads)
      : api_(workloads.api),
        clock_(workloads.clock),
        pods_(workloads.pods),
        pod_feed_(workloads.pods.AddReader()),
        service_trees_(workloads.api, "Service"),
        slice_trees_(workloads.api, "EndpointSlice") {}

  Result<bool> Step() {
    KU_TRY(const auto services, service_trees_.Sync());
    for (const auto& change : services) {
      work_.Add(change.key);
      auto service = change.object == nullptr ? std::nullopt : ReadService(change.object.tree());
      if (service) {
        services_.insert_or_assign(change.key, std::move(*service));
      } else if (services_.erase(change.key) > 0 && change.object == nullptr) {
        gone_.insert(change.key);
      }
    }
    KU_TRY(const auto slices, slice_trees_.Sync());
    for (const auto& change : slices) NoteSlice(change);
    KU_TRY(const auto pods, pods_.Read(pod_feed_));
    for (const PodIndex::Change& change : pods) {
      if (change.before) Mark(*change.before);
      if (change.after) Mark(*change.after);
    }
    return work_.Run("endpoints", clock_.Now(), [this](const kube::ObjectKey& key, StepResult& result) {
      const auto service = services_.find(key);
      if (service != services_.end()) {
        Reconcile(key, service->second, result);
      } else if (gone_.erase(key) > 0) {
        // The slices go with their owner.
        const Status deleted = api_.Delete({"Endpoints", key.namespace_, key.name}, {});
        if (deleted) result.Note(deleted);
      }
    });
  }

 private:
  void Mark(const api::Pod& pod) {
    const std::string& in = pod.metadata.namespace_;
    for (auto at = services_.lower_bound({"Service", in, ""}); at != services_.end(); ++at) {
      if (at->first.namespace_ != in) break;
      if (Selects(at->second, pod)) work_.Add(at->first);
    }
  }

  void NoteSlice(const kube::TreeInformer::Change& change) {
    if (const auto known = service_of_.find(change.key); known != service_of_.end()) {
      slices_[known->second].erase(change.key);
      work_.Add(known->second);
      service_of_.erase(known);
    }
    if (change.object == nullptr ||
        StringAt(change.object.outline(), {"metadata", "labels", kSliceManager}) != kSliceController) {
      return;
    }
    const kube::ObjectKey service{"Service", change.key.namespace_,
                                  std::string(StringAt(change.object.outline(), {"metadata", "labels", kServiceName}))};
    service_of_[change.key] = service;
    slices_[service].insert(change.key);
  }

  // By their ports, in the order of the pods' names.
  std::vector<Group> GroupsOf(const kube::ObjectKey& key, const Service& service) const {
    std::vector<Group> groups;
    const auto& all = pods_.objects();
    for (auto at = all.lower_bound({api::Pod::kKind, key.namespace_, ""}); at != all.end(); ++at) {
      if (at->first.namespace_ != key.namespace_) break;
      const PodPointer& pod = at->second;
      if (!Selects(service, *pod) || pod->status.pod_ip.empty() || api::IsFinished(*pod)) continue;
      const auto tree = api_.Get(at->first);
      if (!tree) continue;
      JsonArray ports = PortsFor(*service.tree, **tree);
      auto group = std::ranges::find(groups, ports, &Group::ports);
      if (group == groups.end()) group = groups.insert(groups.end(), Group{std::move(ports), {}});
      group->endpoints.push_back({pod, *tree});
    }
    return groups;
  }

  void Reconcile(const kube::ObjectKey& key, const Service& service, StepResult& result) {
    if (FindPath(*service.tree, {"metadata", "deletionTimestamp"}) != nullptr) return;
    const std::vector<Group> groups = GroupsOf(key, service);
    WriteSlices(key, *service.tree, groups, result);
    WriteEndpoints(key, *service.tree, groups, result);
  }

  // The slices that there should be, without their names.
  static std::vector<JsonObject> SlicesOf(const Json& service, const std::vector<Group>& groups) {
    std::vector<JsonObject> slices;
    for (const Group& group : groups) {
      for (std::size_t i = 0; i < group.endpoints.size(); ++i) {
        if (i % kMostPerSlice == 0) slices.push_back({{"ports", group.ports}, {"endpoints", JsonArray()}});
        slices.back()["endpoints"].as_array().push_back(SliceEndpoint(service, group.endpoints[i]));
      }
    }
    if (slices.empty()) slices.push_back({{"ports", JsonArray()}, {"endpoints", JsonArray()}});
    return slices;
  }

  void WriteSlices(const kube::ObjectKey& key, const Json& service, const std::vector<Group>& groups,
                   StepResult& result) {
    JsonObject labels = LabelsOf(service);
    labels[kServiceName] = key.name;
    labels[kSliceManager] = kSliceController;
    const std::set<kube::ObjectKey> present = slices_[key];
    auto next = present.begin();
    for (const JsonObject& slice : SlicesOf(service, groups)) {
      if (next != present.end()) {
        Change(*next++, labels, slice, result);
        continue;
      }
      JsonObject metadata{{"generateName", key.name + "-"},
                          {"namespace", key.namespace_},
                          {"labels", labels},
                          {"annotations", JsonObject{{kTriggerTime, FormatRfc3339(clock_.Now())}}},
                          {"ownerReferences", JsonArray{OwnerReferenceTo(service)}}};
      JsonObject object = slice;
      object["apiVersion"] = "discovery.k8s.io/v1";
      object["kind"] = "EndpointSlice";
      object["metadata"] = std::move(metadata);
      object["addressType"] = "IPv4";
      Create(std::move(object), result);
    }
    for (; next != present.end(); ++next) result.Note(api_.Delete(*next, {}));
  }

  void WriteEndpoints(const kube::ObjectKey& key, const Json& service, const std::vector<Group>& groups,
                      StepResult& result) {
    JsonArray subsets;
    std::size_t count = 0;
    for (const Group& group : groups) {
      JsonObject subset;
      for (const Endpoint& endpoint : group.endpoints) {
        const bool ready = IsPublishedReady(service, *endpoint.pod);
        if ((endpoint.pod->metadata.deletion_timestamp && !ready) || ++count > kMostInEndpoints) continue;
        Json& list = subset[ready ? "addresses" : "notReadyAddresses"];
        if (!list.is_array()) list = JsonArray();
        list.get_array().push_back(EndpointsAddress(service, endpoint));
      }
      if (subset.empty()) continue;
      if (!group.ports.empty()) subset["ports"] = group.ports;
      subsets.push_back(std::move(subset));
    }
    JsonObject labels = LabelsOf(service);
    labels[kEndpointsManager] = "endpoint-controller";
    const kube::ObjectKey endpoints{"Endpoints", key.namespace_, key.name};
    if (api_.Get(endpoints)) {
      Change(endpoints, labels, {{"subsets", std::move(subsets)}}, result);
      return;
    }
    Create({{"apiVersion", "v1"},
            {"kind", "Endpoints"},
            {"metadata", JsonObject{{"name", key.name},
                                    {"namespace", key.namespace_},
                                    {"labels", std::move(labels)},
                                    {"annotations", JsonObject{{kTriggerTime, FormatRfc3339(clock_.Now())}}}}},
            {"subsets", std::move(subsets)}},
           result);
  }

  // A namespace that is being deleted takes nothing new.
  void Create(JsonObject object, StepResult& result) {
    const auto created = api_.Create(Json(std::move(object)));
    if (created || created.error().Retryable()) result.Note(created);
  }

  void Change(const kube::ObjectKey& key, const JsonObject& labels, const JsonObject& members, StepResult& result) {
    bool changed = false;
    const auto written = kube::UpdateWithRetry(api_, key, kube::Subresource::kNone, [&](Json& object) -> Result<bool> {
      const Json before = object;
      MetadataOf(object)["labels"] = labels;
      for (const auto& [name, value] : members) {
        // An empty list is stored as no list.
        if (value.get_array().empty() && ListAt(object, {name}).empty()) continue;
        object.get_object()[name] = value;
      }
      changed = object != before;
      if (!changed) return false;
      Json& annotations = MetadataOf(object)["annotations"];
      if (!annotations.is_object()) annotations = JsonObject();
      annotations.get_object()[kTriggerTime] = FormatRfc3339(clock_.Now());
      return true;
    });
    if (!written || changed) result.Note(written);
  }

  kube::ApiClient& api_;
  const Clock& clock_;
  PodIndex& pods_;
  std::size_t pod_feed_;
  kube::TreeInformer service_trees_;
  kube::TreeInformer slice_trees_;
  std::map<kube::ObjectKey, Service> services_;  // those with a selector
  std::set<kube::ObjectKey> gone_;
  std::map<kube::ObjectKey, kube::ObjectKey> service_of_;        // by slice
  std::map<kube::ObjectKey, std::set<kube::ObjectKey>> slices_;  // by service
  WorkList work_;
};

}  // namespace

Controller MakeEndpointController(Workloads& workloads) {
  auto controller = std::make_shared<EndpointController>(workloads);
  return {"endpoints", [controller] { return controller->Step(); }, {}};
}

}  // namespace kumiko::localcluster
