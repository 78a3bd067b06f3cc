// Rows of the groups with few kinds, the columns that most kinds have, and finding the format of a kind.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "localcluster/tables/cells.h"
#include "localcluster/tables/formats.h"

namespace kumiko::localcluster {
namespace {

// Kinds that no printer is written for have the time itself in place of an age.
void WriteNameAndTime(const Json& object, Cells& cells) {
  cells.Text(NameOf(object));
  cells.Text(StringAt(object, {"metadata", "creationTimestamp"}));
}

bool Says(const Json& object, std::string_view member) {
  const Json* value = Find(object, member);
  return value != nullptr && *value == Json(true);
}

void WriteDefinition(const Json& definition, Cells& cells) {
  cells.Text(NameOf(definition));
  cells.Text(StringAt(definition, {"spec", "scope"}));
  std::vector<std::string> versions;
  if (const Json* list = FindPath(definition, {"spec", "versions"}); list != nullptr && list->is_array()) {
    for (const Json& version : list->get_array()) {
      if (!Says(version, "served")) continue;
      versions.push_back(fmt::format("{}{}", StringAt(version, {"name"}), Says(version, "storage") ? "(storage)" : ""));
    }
  }
  std::ranges::sort(versions);
  cells.Text(Join(versions, ","));
  cells.Text(StringAt(definition, {"metadata", "creationTimestamp"}));
  cells.Text(StringAt(definition, {"spec", "group"}));
  cells.Text(StringAt(definition, {"spec", "names", "kind"}));
  std::vector<std::string> short_names;
  if (const Json* list = FindPath(definition, {"spec", "names", "shortNames"}); list != nullptr && list->is_array()) {
    for (const Json& name : list->get_array())
      short_names.emplace_back(name.is_string() ? std::string_view(name.get_string()) : std::string_view());
  }
  cells.Text(Join(short_names, ","));
  bool established = false;
  if (const Json* list = FindPath(definition, {"status", "conditions"}); list != nullptr && list->is_array()) {
    for (const Json& condition : list->get_array()) {
      established |= StringAt(condition, {"type"}) == "Established" && StringAt(condition, {"status"}) == "True";
    }
  }
  cells.Flag(established);
}

void WriteLease(const Json& lease, Cells& cells) {
  cells.Text(NameOf(lease));
  cells.Text(StringAt(lease, {"spec", "holderIdentity"}));
  cells.Age(lease, {"metadata", "creationTimestamp"});
}

void WritePriorityClass(const Json& object, Cells& cells) {
  cells.Text(NameOf(object));
  cells.Number(NumberAt(object, {"value"}));
  cells.Flag(FlagAt(object, {"globalDefault"}));
  cells.Age(object, {"metadata", "creationTimestamp"});
  cells.Text(StringAt(object, {"preemptionPolicy"}));
}

void WriteWebhooks(const Json& object, Cells& cells) {
  cells.Text(NameOf(object));
  cells.Number(static_cast<std::int64_t>(ListAt(object, {"webhooks"}).size()));
  cells.Age(object, {"metadata", "creationTimestamp"});
}

void WriteEndpointSlice(const Json& slice, Cells& cells) {
  std::vector<std::string> ports;
  for (const Json& port : ListAt(slice, {"ports"})) {
    const std::int64_t number = NumberAt(port, {"port"});
    const Json* name = Find(port, "name");
    ports.push_back(number != 0 ? std::to_string(number) : name != nullptr ? PlainText(*name) : "*");
  }
  std::vector<std::string> addresses;
  for (const Json& endpoint : ListAt(slice, {"endpoints"})) {
    for (const Json& address : ListAt(endpoint, {"addresses"})) addresses.push_back(PlainText(address));
  }
  cells.Text(NameOf(slice));
  cells.Text(StringAt(slice, {"addressType"}));
  cells.Text(FirstThree(ports), kUnsetText);
  cells.Text(FirstThree(addresses), kUnsetText);
  cells.Age(slice, {"metadata", "creationTimestamp"});
}

std::string BalancerAddresses(const Json& ingress) {
  std::set<std::string> addresses;
  for (const Json& point : ListAt(ingress, {"status", "loadBalancer", "ingress"})) {
    const std::string_view ip = StringAt(point, {"ip"});
    const std::string_view address = ip.empty() ? StringAt(point, {"hostname"}) : ip;
    if (!address.empty()) addresses.emplace(address);
  }
  return Join(std::vector(addresses.begin(), addresses.end()), ",");
}

std::string HostsOf(const JsonArray& rules) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> hosts;
  for (const Json& rule : rules) {
    if (hosts.size() == kShown) {
      return fmt::format("{} + {} more...", Join(hosts, ","), rules.size() - kShown);
    }
    if (const std::string_view host = StringAt(rule, {"host"}); !host.empty()) hosts.emplace_back(host);
  }
  return hosts.empty() ? "*" : Join(hosts, ",");
}

void WriteIngress(const Json& ingress, Cells& cells) {
  cells.Text(NameOf(ingress));
  cells.Text(StringAt(ingress, {"spec", "ingressClassName"}), kNoneText);
  cells.Text(HostsOf(ListAt(ingress, {"spec", "rules"})));
  cells.Text(BalancerAddresses(ingress));
  cells.Text(ListAt(ingress, {"spec", "tls"}).empty() ? "80" : "80, 443");
  cells.Age(ingress, {"metadata", "creationTimestamp"});
}

bool IsDefault(const Json& object, std::string_view annotation) {
  return StringAt(object, {"metadata", "annotations", annotation}) == "true";
}

void WriteIngressClass(const Json& object, Cells& cells) {
  std::string name(NameOf(object));
  if (IsDefault(object, "ingressclass.kubernetes.io/is-default-class")) name += " (default)";
  std::string parameters(kNoneText);
  if (const Json* reference = FindPath(object, {"spec", "parameters"})) {
    const std::string_view group = StringAt(*reference, {"apiGroup"});
    parameters = fmt::format("{}{}{}/{}", StringAt(*reference, {"kind"}), group.empty() ? "" : ".", group,
                             StringAt(*reference, {"name"}));
  }
  cells.Text(name);
  cells.Text(StringAt(object, {"spec", "controller"}));
  cells.Text(parameters);
  cells.Age(object, {"metadata", "creationTimestamp"});
}

void WriteNetworkPolicy(const Json& policy, Cells& cells) {
  cells.Text(NameOf(policy));
  cells.Text(SelectorText(FindPath(policy, {"spec", "podSelector"})), kNoneText);
  cells.Age(policy, {"metadata", "creationTimestamp"});
}

void WriteRoleBinding(const Json& binding, Cells& cells) {
  cells.Text(NameOf(binding));
  cells.Text(fmt::format("{}/{}", StringAt(binding, {"roleRef", "kind"}), StringAt(binding, {"roleRef", "name"})));
  cells.Age(binding, {"metadata", "creationTimestamp"});
  for (const std::string_view kind : {"User", "Group", "ServiceAccount"}) {
    std::vector<std::string> names;
    for (const Json& subject : ListAt(binding, {"subjects"})) {
      if (StringAt(subject, {"kind"}) != kind) continue;
      const std::string_view name_space = StringAt(subject, {"namespace"});
      const bool in_namespace = kind == "ServiceAccount" && !name_space.empty();
      names.push_back(in_namespace ? fmt::format("{}/{}", name_space, StringAt(subject, {"name"}))
                                   : std::string(StringAt(subject, {"name"})));
    }
    cells.Text(Join(names, ", "));
  }
}

void WriteStorageClass(const Json& object, Cells& cells) {
  std::string name(NameOf(object));
  if (IsDefault(object, "storageclass.kubernetes.io/is-default-class")) name += " (default)";
  cells.Text(name);
  cells.Text(StringAt(object, {"provisioner"}));
  cells.Text(StringAt(object, {"reclaimPolicy"}), "Delete");
  cells.Text(StringAt(object, {"volumeBindingMode"}), "Immediate");
  cells.Flag(FlagAt(object, {"allowVolumeExpansion"}));
  cells.Age(object, {"metadata", "creationTimestamp"});
}

TableFormat WebhooksFormat() {
  return {.columns = {NameColumn(),
                      {.name = "Webhooks", .type = "integer", .description = "Number of webhooks."},
                      AgeColumn()},
          .write_cells = WriteWebhooks};
}

TableFormat RoleBindingFormat() {
  return {.columns = {NameColumn(),
                      {.name = "Role", .description = "Role that is given."},
                      AgeColumn(),
                      Wide("Users", "Users that have the role."),
                      Wide("Groups", "Groups that have the role."),
                      Wide("ServiceAccounts", "Service accounts that have the role.")},
          .write_cells = WriteRoleBinding};
}

NamedFormats NetworkFormats() {
  return {
      {"EndpointSlice",
       {.columns = {NameColumn(),
                    {.name = "AddressType", .description = "Kind of addresses."},
                    {.name = "Ports", .description = "Ports of the endpoints."},
                    {.name = "Endpoints", .description = "Addresses of the endpoints."},
                    AgeColumn()},
        .write_cells = WriteEndpointSlice}},
      {"Ingress",
       {.columns = {NameColumn(),
                    {.name = "Class", .description = "Class of the controller that serves it."},
                    {.name = "Hosts", .description = "Hosts of its rules."},
                    {.name = "Address", .description = "Addresses of the load balancer."},
                    {.name = "Ports", .description = "Ports that are open."},
                    AgeColumn()},
        .write_cells = WriteIngress}},
      {"IngressClass",
       {.columns = {NameColumn(),
                    {.name = "Controller", .description = "Controller that serves the class."},
                    {.name = "Parameters", .description = "Object with further parameters."},
                    AgeColumn()},
        .write_cells = WriteIngressClass}},
      {"NetworkPolicy",
       {.columns = {NameColumn(), {.name = "Pod-Selector", .description = "Pods that it is for."}, AgeColumn()},
        .write_cells = WriteNetworkPolicy}},
  };
}

}  // namespace

TableColumn NameColumn() {
  return {.name = "Name", .format = "name", .description = "Name of the object, unique in its namespace."};
}
TableColumn AgeColumn() {
  return {.name = "Age", .description = "How long ago the object was made."};
}
TableColumn ContainersColumn() {
  return Wide("Containers", "Names of the containers in the template.");
}
TableColumn ImagesColumn() {
  return Wide("Images", "Images of the containers in the template.");
}
TableColumn Wide(std::string name, std::string description) {
  return {.name = std::move(name), .description = std::move(description), .priority = 1};
}

NamedFormats OtherFormats() {
  NamedFormats formats = {
      {"ClusterRoleBinding", RoleBindingFormat()},
      {"CustomResourceDefinition",
       {.columns = {NameColumn(),
                    {.name = "Scope", .description = "Whether its objects are in namespaces."},
                    {.name = "Versions", .description = "Versions that are served."},
                    {.name = "Created At", .type = "date", .description = "When the object was made."},
                    Wide("Group", "API group of the kind."),
                    Wide("Kind", "The kind."),
                    Wide("ShortNames", "Short names of the kind."),
                    {.name = "Established", .type = "boolean", .description = "Whether it is served.", .priority = 1}},
        .write_cells = WriteDefinition}},
      {"Lease",
       {.columns = {NameColumn(), {.name = "Holder", .description = "Who holds the lease."}, AgeColumn()},
        .write_cells = WriteLease}},
      {"MutatingWebhookConfiguration", WebhooksFormat()},
      {"PriorityClass",
       {.columns =
            {NameColumn(),
             {.name = "Value", .type = "integer", .description = "Priority of pods of the class."},
             {.name = "Global-Default", .type = "boolean", .description = "Whether pods without a class get it."},
             AgeColumn(),
             {.name = "PreemptionPolicy", .description = "Whether its pods displace others."}},
        .write_cells = WritePriorityClass}},
      {"RoleBinding", RoleBindingFormat()},
      {"StorageClass",
       {.columns = {NameColumn(),
                    {.name = "Provisioner", .description = "Who makes the volumes."},
                    {.name = "ReclaimPolicy", .description = "What becomes of a volume without its claim."},
                    {.name = "VolumeBindingMode", .description = "When a volume is bound."},
                    {.name = "AllowVolumeExpansion", .description = "Whether volumes may grow."},
                    AgeColumn()},
        .write_cells = WriteStorageClass}},
      {"ValidatingWebhookConfiguration", WebhooksFormat()},
  };
  std::ranges::move(NetworkFormats(), std::back_inserter(formats));
  return formats;
}

const TableFormat& TableFormatOf(const api::KindInfo& kind) {
  static const std::map<std::string_view, TableFormat> formats = [] {
    std::map<std::string_view, TableFormat> all;
    for (NamedFormats part : {CoreFormats(), WorkloadFormats(), OtherFormats()}) {
      for (auto& [name, format] : part) all.emplace(name, std::move(format));
    }
    return all;
  }();
  static const TableFormat of_others = {
      .columns = {NameColumn(), {.name = "Created At", .type = "date", .description = "When the object was made."}},
      .write_cells = WriteNameAndTime};
  const auto found = formats.find(kind.kind);
  return found == formats.end() ? of_others : found->second;
}

}  // namespace kumiko::localcluster
