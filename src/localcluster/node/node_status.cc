#include "localcluster/node/node_status.h"

#include <fmt/core.h>

#include <utility>

#include "api/codec.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

Json NodeCondition(std::string_view type, std::string_view status, std::string_view reason, std::string_view message,
                   Time now) {
  return JsonObject{{"type", type},
                    {"status", status},
                    {"reason", reason},
                    {"message", message},
                    {"lastHeartbeatTime", FormatRfc3339(now)},
                    {"lastTransitionTime", FormatRfc3339(now)}};
}

// The machine id of the node: 32 hexadecimal digits that its name makes.
std::string MachineId(const std::string& name) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char byte : name) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 1099511628211ULL;
  }
  return fmt::format("{:016x}{:016x}", hash, ~hash);
}

}  // namespace

Json NodeTree(const SimulatedNode& node, std::size_t index, Time now) {
  Json tree = api::Encode(MakeNode(node));
  JsonObject& status = StatusOf(tree);
  for (const char* list : {"capacity", "allocatable"}) {
    JsonObject& amounts = status[list].as_object();
    amounts["ephemeral-storage"] = "1Ti";
    amounts["hugepages-1Gi"] = "0";
    amounts["hugepages-2Mi"] = "0";
  }
  // 172.18.0.2 and on: the first address is the network's gateway.
  const std::size_t host = index + 2;
  status["addresses"] = JsonArray{
      JsonObject{{"type", "InternalIP"},
                 {"address", fmt::format("172.{}.{}.{}", 18 + host / 65536 % 14, host / 256 % 256, host % 256)}},
      JsonObject{{"type", "Hostname"}, {"address", node.name}}};
  status["conditions"] = JsonArray{
      NodeCondition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available",
                    now),
      NodeCondition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure", now),
      NodeCondition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available", now),
      NodeCondition("Ready", "True", "KubeletReady", "kubelet is posting ready status", now)};
  const std::string machine = MachineId(node.name);
  status["nodeInfo"] = JsonObject{
      {"architecture", "amd64"},  {"bootID", machine},          {"containerRuntimeVersion", "containerd://2.1.0"},
      {"kernelVersion", "6.1.0"}, {"kubeProxyVersion", ""},     {"kubeletVersion", kKubeletVersion},
      {"machineID", machine},     {"operatingSystem", "linux"}, {"osImage", "kumiko simulated node"},
      {"systemUUID", machine}};
  status["daemonEndpoints"] = JsonObject{{"kubeletEndpoint", JsonObject{{"Port", 10250}}}};
  return tree;
}

Json NodeLease(const std::string& node, const std::string& node_uid, std::int64_t seconds, Time now) {
  return JsonObject{
      {"apiVersion", "coordination.k8s.io/v1"},
      {"kind", "Lease"},
      {"metadata",
       JsonObject{{"name", node},
                  {"namespace", "kube-node-lease"},
                  {"ownerReferences",
                   JsonArray{JsonObject{{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}, {"uid", node_uid}}}}}},
      {"spec",
       JsonObject{
           {"holderIdentity", node}, {"leaseDurationSeconds", seconds}, {"renewTime", FormatRfc3339Micros(now)}}}};
}

}  // namespace kumiko::localcluster
