// Rows of the core group but pods, and of resource.k8s.io.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "localcluster/tables/cells.h"
#include "localcluster/tables/formats.h"

namespace kumiko::localcluster {
namespace {

void WriteNameAndAge(const Json& object, Cells& cells) {
  cells.Text(NameOf(object));
  cells.Age(object, {"metadata", "creationTimestamp"});
}

void WriteNamespace(const Json& object, Cells& cells) {
  cells.Text(NameOf(object));
  cells.Text(StringAt(object, {"status", "phase"}));
  cells.Age(object, {"metadata", "creationTimestamp"});
}

void WriteConfigMap(const Json& object, Cells& cells) {
  cells.Text(NameOf(object));
  cells.Number(static_cast<std::int64_t>(MapAt(object, {"data"}).size() + MapAt(object, {"binaryData"}).size()));
  cells.Age(object, {"metadata", "creationTimestamp"});
}

void WriteSecret(const Json& object, Cells& cells) {
  cells.Text(NameOf(object));
  cells.Text(StringAt(object, {"type"}));
  cells.Number(static_cast<std::int64_t>(MapAt(object, {"data"}).size()));
  cells.Age(object, {"metadata", "creationTimestamp"});
}

std::string NodeStatus(const Json& node) {
  std::string status = "Unknown";
  for (const Json& condition : ListAt(node, {"status", "conditions"})) {
    if (StringAt(condition, {"type"}) != "Ready") continue;
    status = StringAt(condition, {"status"}) == "True" ? "Ready" : "NotReady";
  }
  return FlagAt(node, {"spec", "unschedulable"}) ? status + ",SchedulingDisabled" : status;
}

std::string NodeRoles(const Json& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& [key, value] : MapAt(node, {"metadata", "labels"})) {
    const std::string_view name = key;
    if (name.size() > kPrefix.size() && name.starts_with(kPrefix)) roles.emplace(name.substr(kPrefix.size()));
    if (name == "kubernetes.io/role" && !PlainText(value).empty()) roles.insert(PlainText(value));
  }
  return Join(std::vector(roles.begin(), roles.end()), ",");
}

std::string_view AddressOf(const Json& node, std::string_view type) {
  for (const Json& address : ListAt(node, {"status", "addresses"})) {
    if (StringAt(address, {"type"}) == type) return StringAt(address, {"address"});
  }
  return kNoneText;
}

void WriteNode(const Json& node, Cells& cells) {
  cells.Text(NameOf(node));
  cells.Text(NodeStatus(node));
  cells.Text(NodeRoles(node), kNoneText);
  cells.Age(node, {"metadata", "creationTimestamp"});
  cells.Text(StringAt(node, {"status", "nodeInfo", "kubeletVersion"}));
  cells.Text(AddressOf(node, "InternalIP"));
  cells.Text(AddressOf(node, "ExternalIP"));
  cells.Text(StringAt(node, {"status", "nodeInfo", "osImage"}), kUnknownText);
  std::string kernel(StringAt(node, {"status", "nodeInfo", "kernelVersion"}));
  if (kernel.empty()) kernel = kUnknownText;
  const std::string_view architecture = StringAt(node, {"status", "nodeInfo", "architecture"});
  cells.Text(architecture.empty() ? kernel : fmt::format("{} ({})", kernel, architecture));
  cells.Text(StringAt(node, {"status", "nodeInfo", "containerRuntimeVersion"}), kUnknownText);
}

void WriteEvent(const Json& event, Cells& cells) {
  const auto age = [&](JsonPath path) { return AgeText(FindPath(event, path), cells.now()); };
  const Json* series = Find(event, "series");
  std::string first = age({"firstTimestamp"});
  if (first == kUnknownText) first = age({"eventTime"});
  std::string last = age({"lastTimestamp"});
  if (last == kUnknownText) last = first;
  std::int64_t count = std::max<std::int64_t>(NumberAt(event, {"count"}), 1);
  if (series != nullptr) {
    last = age({"series", "lastObservedTime"});
    count = NumberAt(event, {"series", "count"});
  }
  std::string target = ToLower(StringAt(event, {"involvedObject", "kind"}));
  if (const std::string_view name = StringAt(event, {"involvedObject", "name"}); !name.empty()) {
    target += "/" + std::string(name);
  }
  std::string source(StringAt(event, {"source", "component"}));
  if (source.empty()) source = StringAt(event, {"reportingComponent"});
  std::string_view instance = StringAt(event, {"source", "host"});
  if (instance.empty()) instance = StringAt(event, {"reportingInstance"});
  if (!instance.empty()) source += ", " + std::string(instance);
  cells.Text(last);
  cells.Text(StringAt(event, {"type"}));
  cells.Text(StringAt(event, {"reason"}));
  cells.Text(target);
  cells.Text(StringAt(event, {"involvedObject", "fieldPath"}));
  cells.Text(source);
  cells.Text(Trim(StringAt(event, {"message"})));
  cells.Text(first);
  cells.Number(count);
  cells.Text(NameOf(event));
}

std::string BalancerAddresses(const Json& service) {
  std::set<std::string> addresses;
  for (const Json& ingress : ListAt(service, {"status", "loadBalancer", "ingress"})) {
    const std::string_view ip = StringAt(ingress, {"ip"});
    const std::string_view address = ip.empty() ? StringAt(ingress, {"hostname"}) : ip;
    if (!address.empty()) addresses.emplace(address);
  }
  return Join(std::vector(addresses.begin(), addresses.end()), ",");
}

std::string ExternalAddress(const Json& service) {
  const std::string_view type = StringAt(service, {"spec", "type"});
  if (type == "ExternalName") return std::string(StringAt(service, {"spec", "externalName"}));
  std::vector<std::string> addresses;
  const bool balanced = type == "LoadBalancer";
  if (balanced) {
    if (const std::string of_balancer = BalancerAddresses(service); !of_balancer.empty()) {
      addresses.push_back(of_balancer);
    }
  } else if (type != "ClusterIP" && type != "NodePort") {
    return std::string(kUnknownText);
  }
  for (const Json& ip : ListAt(service, {"spec", "externalIPs"})) addresses.push_back(PlainText(ip));
  if (addresses.empty()) return balanced ? "<pending>" : std::string(kNoneText);
  return Join(addresses, ",");
}

std::string PortsOf(const Json& service) {
  std::vector<std::string> ports;
  for (const Json& port : ListAt(service, {"spec", "ports"})) {
    const std::int64_t number = NumberAt(port, {"port"});
    const std::int64_t node_port = NumberAt(port, {"nodePort"});
    const std::string_view protocol = StringAt(port, {"protocol"});
    ports.push_back(node_port > 0 ? fmt::format("{}:{}/{}", number, node_port, protocol)
                                  : fmt::format("{}/{}", number, protocol));
  }
  return Join(ports, ",");
}

void WriteService(const Json& service, Cells& cells) {
  const JsonArray& addresses = ListAt(service, {"spec", "clusterIPs"});
  cells.Text(NameOf(service));
  cells.Text(StringAt(service, {"spec", "type"}));
  cells.Text(addresses.empty() ? std::string(kNoneText) : PlainText(addresses[0]));
  cells.Text(ExternalAddress(service));
  cells.Text(PortsOf(service), kNoneText);
  cells.Age(service, {"metadata", "creationTimestamp"});
  cells.Text(LabelsText(MapAt(service, {"spec", "selector"})));
}

void WriteEndpoints(const Json& object, Cells& cells) {
  std::vector<std::string> all;
  for (const Json& subset : ListAt(object, {"subsets"})) {
    const JsonArray& addresses = ListAt(subset, {"addresses"});
    const JsonArray& ports = ListAt(subset, {"ports"});
    for (const Json& address : addresses) {
      if (ports.empty()) all.emplace_back(StringAt(address, {"ip"}));
    }
    for (const Json& port : ports) {
      for (const Json& address : addresses) {
        const std::string_view ip = StringAt(address, {"ip"});
        all.push_back(fmt::format(fmt::runtime(ip.find(':') == std::string_view::npos ? "{}:{}" : "[{}]:{}"), ip,
                                  NumberAt(port, {"port"})));
      }
    }
  }
  cells.Text(NameOf(object));
  cells.Text(ListAt(object, {"subsets"}).empty() ? std::string(kNoneText) : FirstThree(all));
  cells.Age(object, {"metadata", "creationTimestamp"});
}

void WriteResourceQuota(const Json& quota, Cells& cells) {
  std::vector<std::pair<std::string, std::string>> hard;
  for (const auto& [name, amount] : MapAt(quota, {"status", "hard"})) hard.emplace_back(name, PlainText(amount));
  std::ranges::sort(hard);
  std::vector<std::string> requests;
  std::vector<std::string> limits;
  for (const auto& [name, amount] : hard) {
    const Json* used = FindPath(quota, {"status", "used", name});
    (name.starts_with("limits.") ? limits : requests)
        .push_back(fmt::format("{}: {}/{}", name, used == nullptr ? "0" : PlainText(*used), amount));
  }
  cells.Text(NameOf(quota));
  cells.Text(Join(requests, ", "));
  cells.Text(Join(limits, ", "));
  cells.Age(quota, {"metadata", "creationTimestamp"});
}

std::string AccessModes(const JsonArray& modes) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kShort = {
      {{"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}}};
  std::vector<std::string> texts;
  for (const auto& [mode, text] : kShort) {
    if (std::ranges::any_of(modes, [&](const Json& item) { return PlainText(item) == mode; })) texts.emplace_back(text);
  }
  return Join(texts, ",");
}

std::string_view PhaseOf(const Json& object) {
  return FindPath(object, {"metadata", "deletionTimestamp"}) != nullptr ? "Terminating"
                                                                        : StringAt(object, {"status", "phase"});
}

std::string_view ClassOf(const Json& object) {
  const std::string_view old = StringAt(object, {"metadata", "annotations", "volume.beta.kubernetes.io/storage-class"});
  return old.empty() ? StringAt(object, {"spec", "storageClassName"}) : old;
}

void WritePersistentVolume(const Json& volume, Cells& cells) {
  const Json* capacity = FindPath(volume, {"spec", "capacity", "storage"});
  cells.Text(NameOf(volume));
  cells.Text(capacity == nullptr ? "0" : PlainText(*capacity));
  cells.Text(AccessModes(ListAt(volume, {"spec", "accessModes"})));
  cells.Text(StringAt(volume, {"spec", "persistentVolumeReclaimPolicy"}));
  cells.Text(PhaseOf(volume));
  cells.Text(FindPath(volume, {"spec", "claimRef"}) == nullptr
                 ? std::string()
                 : fmt::format("{}/{}", StringAt(volume, {"spec", "claimRef", "namespace"}),
                               StringAt(volume, {"spec", "claimRef", "name"})));
  cells.Text(ClassOf(volume));
  cells.Text(StringAt(volume, {"spec", "volumeAttributesClassName"}), kUnsetText);
  cells.Text(StringAt(volume, {"status", "reason"}));
  cells.Age(volume, {"metadata", "creationTimestamp"});
  cells.Text(StringAt(volume, {"spec", "volumeMode"}), kUnsetText);
}

void WritePersistentVolumeClaim(const Json& claim, Cells& cells) {
  const std::string_view volume = StringAt(claim, {"spec", "volumeName"});
  const Json* capacity = FindPath(claim, {"status", "capacity", "storage"});
  cells.Text(NameOf(claim));
  cells.Text(PhaseOf(claim));
  cells.Text(volume);
  cells.Text(volume.empty() ? "" : capacity == nullptr ? "0" : PlainText(*capacity));
  cells.Text(volume.empty() ? "" : AccessModes(ListAt(claim, {"status", "accessModes"})));
  cells.Text(ClassOf(claim));
  cells.Text(StringAt(claim, {"spec", "volumeAttributesClassName"}), kUnsetText);
  cells.Age(claim, {"metadata", "creationTimestamp"});
  cells.Text(StringAt(claim, {"spec", "volumeMode"}), kUnsetText);
}

void WriteResourceClaim(const Json& claim, Cells& cells) {
  const bool deleted = FindPath(claim, {"metadata", "deletionTimestamp"}) != nullptr;
  std::string state = deleted ? "deleted" : "";
  if (FindPath(claim, {"status", "allocation"}) != nullptr) {
    state += deleted ? ",allocated" : "allocated";
    if (!ListAt(claim, {"status", "reservedFor"}).empty()) state += ",reserved";
  } else if (!deleted) {
    state = "pending";
  }
  cells.Text(NameOf(claim));
  cells.Text(state);
  cells.Age(claim, {"metadata", "creationTimestamp"});
}

void WriteResourceSlice(const Json& slice, Cells& cells) {
  cells.Text(NameOf(slice));
  cells.Text(StringAt(slice, {"spec", "nodeName"}));
  cells.Text(StringAt(slice, {"spec", "driver"}));
  cells.Text(StringAt(slice, {"spec", "pool", "name"}));
  cells.Age(slice, {"metadata", "creationTimestamp"});
}

void WriteDeviceTaintRule(const Json& rule, Cells& cells) {
  cells.Text(NameOf(rule));
  for (const std::string_view member : {"key", "value", "effect"}) {
    cells.Text(StringAt(rule, {"spec", "taint", member}));
  }
  const Json* added = FindPath(rule, {"spec", "taint", "timeAdded"});
  cells.Text(added == nullptr ? std::string() : AgeText(added, cells.now()));
  cells.Age(rule, {"metadata", "creationTimestamp"});
}

NamedFormats ResourceFormats() {
  const TableFormat name_and_age = {.columns = {NameColumn(), AgeColumn()}, .write_cells = WriteNameAndAge};
  return {
      {"DeviceClass", name_and_age},
      {"DeviceTaintRule",
       {.columns = {NameColumn(),
                    {.name = "Key", .description = "Key of the taint."},
                    {.name = "Value", .description = "Value of the taint."},
                    {.name = "Effect", .description = "What the taint does to claims that do not tolerate it."},
                    {.name = "TimeAdded", .description = "When the taint was added."},
                    AgeColumn()},
        .write_cells = WriteDeviceTaintRule}},
      {"ResourceClaim",
       {.columns = {NameColumn(),
                    {.name = "State", .description = "Whether devices are allocated and reserved for pods."},
                    AgeColumn()},
        .write_cells = WriteResourceClaim}},
      {"ResourceClaimTemplate", name_and_age},
      {"ResourceSlice",
       {.columns = {NameColumn(),
                    {.name = "Node", .description = "Node that has the devices."},
                    {.name = "Driver", .description = "Driver of the devices."},
                    {.name = "Pool", .description = "Pool that the slice is a part of."},
                    AgeColumn()},
        .write_cells = WriteResourceSlice,
        .of_outline = true}},
      {"ServiceAccount", name_and_age},
  };
}

NamedFormats VolumeFormats() {
  const TableColumn access_modes = {.name = "Access Modes", .description = "How the volume may be mounted."};
  const TableColumn storage_class = {.name = "StorageClass", .description = "Storage class of the volume."};
  const TableColumn attributes_class = {.name = "VolumeAttributesClass", .description = "Class of its attributes."};
  const TableColumn status = {.name = "Status", .description = "Whether it is bound."};
  return {
      {"PersistentVolume",
       {.columns = {NameColumn(),
                    {.name = "Capacity", .description = "Size of the volume."},
                    access_modes,
                    {.name = "Reclaim Policy", .description = "What becomes of the volume without its claim."},
                    status,
                    {.name = "Claim", .description = "Claim that the volume is bound to."},
                    storage_class,
                    attributes_class,
                    {.name = "Reason", .description = "Why the volume has failed."},
                    AgeColumn(),
                    Wide("VolumeMode", "Filesystem or block device.")},
        .write_cells = WritePersistentVolume}},
      {"PersistentVolumeClaim",
       {.columns = {NameColumn(),
                    status,
                    {.name = "Volume", .description = "Volume that the claim is bound to."},
                    {.name = "Capacity", .description = "Size of the volume."},
                    access_modes,
                    storage_class,
                    attributes_class,
                    AgeColumn(),
                    Wide("VolumeMode", "Filesystem or block device.")},
        .write_cells = WritePersistentVolumeClaim}},
  };
}

TableFormat EventFormat() {
  TableColumn name = NameColumn();
  name.priority = 1;
  return {.columns = {{.name = "Last Seen", .description = "When it was last seen."},
                      {.name = "Type", .description = "Normal or Warning."},
                      {.name = "Reason", .description = "Why it happened, in one word."},
                      {.name = "Object", .description = "Object that it is about."},
                      Wide("Subobject", "Part of the object that it is about."),
                      Wide("Source", "Who reports it."),
                      {.name = "Message", .description = "What happened."},
                      Wide("First Seen", "When it was first seen."),
                      Wide("Count", "How often it was seen."),
                      name},
          .write_cells = WriteEvent};
}

TableFormat NodeFormat() {
  return {.columns = {NameColumn(),
                      {.name = "Status", .description = "Whether the node is ready."},
                      {.name = "Roles", .description = "Roles of the node."},
                      AgeColumn(),
                      {.name = "Version", .description = "Version of its kubelet."},
                      Wide("Internal-IP", "Address inside the cluster."),
                      Wide("External-IP", "Address outside the cluster."),
                      Wide("OS-Image", "Operating system."),
                      Wide("Kernel-Version", "Kernel and architecture."),
                      Wide("Container-Runtime", "Container runtime and its version.")},
          .write_cells = WriteNode};
}

TableFormat ServiceFormat() {
  return {.columns = {NameColumn(),
                      {.name = "Type", .description = "How the service is reached."},
                      {.name = "Cluster-IP", .description = "Address inside the cluster."},
                      {.name = "External-IP", .description = "Addresses outside the cluster."},
                      {.name = "Port(s)", .description = "Ports of the service, and of nodes."},
                      AgeColumn(),
                      Wide("Selector", "Labels of the pods behind it.")},
          .write_cells = WriteService};
}

}  // namespace

NamedFormats CoreFormats() {
  NamedFormats formats = {
      {"ConfigMap",
       {.columns = {NameColumn(), {.name = "Data", .description = "Number of entries."}, AgeColumn()},
        .write_cells = WriteConfigMap}},
      {"Endpoints",
       {.columns = {NameColumn(), {.name = "Endpoints", .description = "Addresses of the service."}, AgeColumn()},
        .write_cells = WriteEndpoints}},
      {"Event", EventFormat()},
      {"Namespace",
       {.columns = {NameColumn(), {.name = "Status", .description = "Status of the namespace."}, AgeColumn()},
        .write_cells = WriteNamespace}},
      {"Node", NodeFormat()},
      {"Pod", PodFormat()},
      {"ResourceQuota",
       {.columns = {NameColumn(),
                    {.name = "Request", .description = "What may be requested, and is."},
                    {.name = "Limit", .description = "What limits may sum to, and do."},
                    AgeColumn()},
        .write_cells = WriteResourceQuota}},
      {"Secret",
       {.columns = {NameColumn(),
                    {.name = "Type", .description = "What the secret is for."},
                    {.name = "Data", .description = "Number of entries."},
                    AgeColumn()},
        .write_cells = WriteSecret}},
      {"Service", ServiceFormat()},
  };
  for (NamedFormats more : {ResourceFormats(), VolumeFormats()}) std::ranges::move(more, std::back_inserter(formats));
  return formats;
}

}  // namespace kumiko::localcluster
