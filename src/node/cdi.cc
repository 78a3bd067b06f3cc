#include "node/cdi.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/json.h"
#include "base/yaml.h"

namespace kumiko::node {
namespace {

namespace fs = std::filesystem;

// The first version that knows hostPath, and names that begin with a digit.
constexpr const char* kVersion = "0.5.0";
constexpr std::string_view kFilePrefix = "k8s.gpu.nvidia.com-claim_";
constexpr std::string_view kFileSuffix = ".yaml";

JsonArray TextList(const std::vector<std::string>& texts) {
  JsonArray list;
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

JsonObject NodeTree(const CdiDeviceNode& node) {
  JsonObject tree{{"path", node.path}};
  if (!node.host_path.empty() && node.host_path != node.path) tree["hostPath"] = node.host_path;
  tree["type"] = "c";
  tree["major"] = node.major;
  tree["minor"] = node.minor;
  if (node.file_mode) tree["fileMode"] = *node.file_mode;
  tree["permissions"] = "rwm";
  return tree;
}

JsonObject EditsTree(const CdiEdits& edits) {
  JsonObject tree;
  if (!edits.env.empty()) tree["env"] = TextList(edits.env);
  JsonArray nodes;
  for (const CdiDeviceNode& node : edits.device_nodes) nodes.emplace_back(NodeTree(node));
  if (!nodes.empty()) tree["deviceNodes"] = std::move(nodes);
  JsonArray mounts;
  for (const CdiMount& mount : edits.mounts) {
    mounts.emplace_back(JsonObject{
        {"hostPath", mount.host_path}, {"containerPath", mount.container_path}, {"options", TextList(mount.options)}});
  }
  if (!mounts.empty()) tree["mounts"] = std::move(mounts);
  return tree;
}

}  // namespace

std::string WriteCommonEdits(const CdiEdits& edits) {
  return WriteYaml(JsonObject{{"containerEdits", EditsTree(edits)}});
}

std::string WriteCdi(const std::vector<CdiDevice>& devices, std::string_view common_edits) {
  JsonArray list;
  for (const CdiDevice& device : devices) {
    list.emplace_back(JsonObject{{"name", device.name}, {"containerEdits", EditsTree(device.edits)}});
  }
  return WriteYaml(JsonObject{{"cdiVersion", kVersion}, {"kind", kCdiClaimKind}, {"devices", std::move(list)}})
      .append(common_edits);
}

std::string CdiDeviceName(std::string_view claim_uid, std::string_view device) {
  return fmt::format("{}-{}", claim_uid, device);
}

std::string CdiDeviceId(std::string_view claim_uid, std::string_view device) {
  return fmt::format("{}={}-{}", kCdiClaimKind, claim_uid, device);
}

std::string CdiFolder::FileOf(const std::string& claim_uid) const {
  std::string id = claim_uid;
  // A UID comes from the API server; whatever it is, it names a file in this folder.
  std::ranges::replace(id, '/', '_');
  return fmt::format("{}/{}{}{}", path_, kFilePrefix, id, kFileSuffix);
}

Status CdiFolder::Write(const std::string& claim_uid, std::string_view content) const {
  std::error_code error;
  fs::create_directories(path_, error);
  return WriteFileAtomically(FileOf(claim_uid), content, 0644, Durability::kProcess);
}

Status CdiFolder::Remove(const std::string& claim_uid) const {
  const std::string file = FileOf(claim_uid);
  if (::unlink(file.c_str()) == 0 || errno == ENOENT) return {};
  return Fail(Code::kUnavailable, "cannot remove {}: {}", file, std::generic_category().message(errno));
}

bool CdiFolder::Has(const std::string& claim_uid) const {
  return ::access(FileOf(claim_uid).c_str(), F_OK) == 0;
}

Result<std::vector<std::string>> CdiFolder::Claims() const {
  std::error_code error;
  if (!fs::exists(path_, error)) return std::vector<std::string>();
  KU_TRY(const std::vector<std::string> files, ListFiles(path_, kFileSuffix));
  std::vector<std::string> claims;
  for (const std::string& file : files) {
    const std::string name = fs::path(file).filename().string();
    if (!name.starts_with(kFilePrefix)) continue;
    claims.push_back(name.substr(kFilePrefix.size(), name.size() - kFilePrefix.size() - kFileSuffix.size()));
  }
  return claims;
}

}  // namespace kumiko::node
