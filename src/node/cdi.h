// Container Device Interface: the files by which a container runtime puts devices into containers. One file per claim
// (spec node-driver §3.5). Format: CDI specification 0.5.0.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kumiko::node {

inline constexpr const char* kCdiClaimKind = "k8s.gpu.nvidia.com/claim";

struct CdiDeviceNode {
  std::string path;       // in the container
  std::string host_path;  // left out where equal to `path`
  unsigned major = 0;
  unsigned minor = 0;
  std::optional<unsigned> file_mode;
  bool operator==(const CdiDeviceNode&) const = default;
};

struct CdiMount {
  std::string host_path;
  std::string container_path;
  std::vector<std::string> options;
  bool operator==(const CdiMount&) const = default;
};

struct CdiEdits {
  std::vector<std::string> env;  // "NAME=value"
  std::vector<CdiDeviceNode> device_nodes;
  std::vector<CdiMount> mounts;
  bool operator==(const CdiEdits&) const = default;
};

struct CdiDevice {
  std::string name;
  CdiEdits edits;
};

// The last part of a file, the same for every claim: written once, used often.
std::string WriteCommonEdits(const CdiEdits& edits);
// The whole file.
std::string WriteCdi(const std::vector<CdiDevice>& devices, std::string_view common_edits);

// "UID-gpu-0", and as the kubelet passes it on "k8s.gpu.nvidia.com/claim=UID-gpu-0".
std::string CdiDeviceName(std::string_view claim_uid, std::string_view device);
std::string CdiDeviceId(std::string_view claim_uid, std::string_view device);

// The claims' files in the folder that the container runtime reads.
class CdiFolder {
 public:
  explicit CdiFolder(std::string path) : path_(std::move(path)) {}

  // Readers see nothing or the whole. Not synced to the disk: a reboot ends the claim. Creates the folder if need be.
  Status Write(const std::string& claim_uid, std::string_view content) const;
  // What is not there needs no removing.
  Status Remove(const std::string& claim_uid) const;
  bool Has(const std::string& claim_uid) const;
  // UIDs of the claims that have a file, sorted. A folder that is not there has none.
  Result<std::vector<std::string>> Claims() const;

  const std::string& path() const { return path_; }

 private:
  std::string FileOf(const std::string& claim_uid) const;

  std::string path_;
};

}  // namespace kumiko::node
