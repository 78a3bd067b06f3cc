#include "cli/api_access.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/files.h"

namespace kumiko::cli {
namespace {

constexpr std::string_view kMark = "# Written by kumiko up; gone when it ends.\n";
constexpr unsigned kOnlyMine = 0600;
constexpr mode_t kOnlyMineDirectory = 0700;

// $XDG_RUNTIME_DIR/kumiko, or /tmp/kumiko-UID; nobody else may look into it.
Result<std::string> RuntimeDirectory() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  const std::string path = runtime != nullptr && *runtime != '\0' ? std::string(runtime) + "/kumiko"
                                                                  : fmt::format("/tmp/kumiko-{}", getuid());
  if (mkdir(path.c_str(), kOnlyMineDirectory) != 0 && errno != EEXIST) {
    return Fail(Code::kPermission, "{}: {}; give a file with --kubeconfig", path,
                std::generic_category().message(errno));
  }
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != getuid() ||
      (status.st_mode & 077) != 0) {
    return Fail(Code::kPermission, "{} is not a directory that only you can read; give a file with --kubeconfig", path);
  }
  return path;
}

Status Write(const std::string& path, const std::string& kubeconfig) {
  const auto there = ReadFile(path);
  if (there && !there->starts_with(kMark)) {
    return Fail(Code::kAlreadyExists, "{} was not written by kumiko; give another file with --kubeconfig", path);
  }
  // A file keeps its mode when it is replaced.
  if (there) unlink(path.c_str());
  return WriteFileAtomically(path, std::string(kMark) + kubeconfig, kOnlyMine);
}

}  // namespace

Result<ApiAccess> ApiAccess::Open(localcluster::Cluster& cluster, std::uint16_t port, const std::string& path) {
  auto started = localcluster::ApiServer::Start(cluster.store(), cluster.clock(), {.port = port});
  if (!started) {
    if (started.error().code != Code::kAlreadyExists) return tl::unexpected<Error>(started.error());
    return Fail(Code::kAlreadyExists, "{}; leave --api-port out for a free one, or end that process",
                started.error().message);
  }
  cluster.SetRootCertificate((*started)->authority_pem());
  cluster.OnWrite([server = started->get()] { server->Wake(); });
  std::string file = path;
  if (file.empty()) {
    KU_TRY(const std::string directory, RuntimeDirectory());
    const std::string url = (*started)->url();
    file = fmt::format("{}/kubeconfig-{}", directory, url.substr(url.rfind(':') + 1));
  }
  KU_TRY_OK(Write(file, (*started)->Kubeconfig()));
  return ApiAccess(std::move(*started), std::move(file));
}

ApiAccess::~ApiAccess() {
  if (server_ != nullptr) unlink(path_.c_str());
}

}  // namespace kumiko::cli
