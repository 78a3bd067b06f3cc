#include "tests/node/node.h"

#include <filesystem>
#include <utility>

#include "base/json.h"

namespace kumiko::node {
namespace {

Json Parse(const std::string& text) {
  auto parsed = ParseJson(text);
  if (!parsed) ADD_FAILURE() << parsed.error().message << " in " << text;
  return parsed ? *std::move(parsed) : Json();
}

}  // namespace

Node::Node(std::string_view boards) : driver_(boards) {
  const std::string kernel = driver_.root() + "/proc/sys/kernel/random";
  std::filesystem::create_directories(kernel);
  EXPECT_TRUE(WriteFileAtomically(kernel + "/boot_id", "boot-1\n").has_value());
  for (const char* object : {R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-0"}})",
                             R"({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ml"}})"}) {
    const auto created = api_.Create(Parse(object));
    EXPECT_TRUE(created.has_value()) << created.error().message;
  }
}

std::shared_ptr<const Inventory> Node::GetInventory() const {
  auto inventory = ReadInventory(Places());
  if (!inventory) {
    ADD_FAILURE() << inventory.error().message;
    return nullptr;
  }
  return std::make_shared<const Inventory>(*std::move(inventory));
}

ClaimReference Node::CreateClaim(const std::string& name, std::size_t requests) {
  std::string list;
  for (std::size_t i = 0; i < requests; ++i) {
    list +=
        fmt::format(R"({}{{"name": "r{}", "exactly": {{"deviceClassName": "gpu.nvidia.com"}}}})", i == 0 ? "" : ",", i);
  }
  const auto created = api_.Create(Parse(fmt::format(
      R"({{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {{"namespace": "ml", "name": "{}"}},
          "spec": {{"devices": {{"requests": [{}]}}}}}})",
      name, list)));
  if (!created) {
    ADD_FAILURE() << created.error().message;
    return {};
  }
  return {"ml", name, std::string(StringAt(**created, {"metadata", "uid"}))};
}

ClaimReference Node::Allocate(const std::string& name, const std::vector<std::string>& devices,
                              const std::string& more) {
  const ClaimReference claim = CreateClaim(name, devices.size());
  std::string results;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    results += fmt::format(R"({}{{"request": "r{}", "driver": "gpu.nvidia.com", "pool": "node-0", "device": "{}"}})",
                           i == 0 ? "" : ",", i, devices[i]);
  }
  const auto patched = api_.Patch(
      {"ResourceClaim", "ml", name},
      Parse(fmt::format(R"({{"status": {{"allocation": {{"devices": {{"results": [{}]{}}}}}}}}})", results, more)),
      kube::Subresource::kStatus);
  if (!patched) ADD_FAILURE() << patched.error().message;
  return claim;
}

void Node::DeleteClaim(const std::string& name) {
  const kube::ObjectKey key{"ResourceClaim", "ml", name};
  const auto freed = api_.Patch(key, Parse(R"({"status": {"allocation": null}})"), kube::Subresource::kStatus);
  EXPECT_TRUE(freed.has_value()) << freed.error().message;
  const Status deleted = api_.Delete(key, {});
  EXPECT_TRUE(deleted.has_value()) << deleted.error().message;
}

std::string Node::CdiFile(const ClaimReference& claim) const {
  return folder("cdi") + "/k8s.gpu.nvidia.com-claim_" + claim.uid + ".yaml";
}

}  // namespace kumiko::node
