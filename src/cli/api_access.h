// The API of a running local cluster, and the file that tells kubectl how to reach it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "localcluster/apiserver/api_server.h"
#include "localcluster/cluster.h"

namespace kumiko::cli {

// Serves the cluster's API until dropped, and leaves no kubeconfig behind.
class ApiAccess {
 public:
  // `port` 0: a free one. `path` empty: a file of this user's own, named by the port. A file that is there and was not
  // written by kumiko is never replaced. Errors: kAlreadyExists (port taken, or another's file), kPermission.
  static Result<ApiAccess> Open(localcluster::Cluster& cluster, std::uint16_t port, const std::string& path);
  ApiAccess(ApiAccess&&) noexcept = default;
  ApiAccess& operator=(ApiAccess&&) = delete;
  ~ApiAccess();

  std::string url() const { return server_->url(); }
  const std::string& kubeconfig() const { return path_; }

 private:
  ApiAccess(std::unique_ptr<localcluster::ApiServer> server, std::string path)
      : server_(std::move(server)), path_(std::move(path)) {}

  std::unique_ptr<localcluster::ApiServer> server_;
  std::string path_;
};

}  // namespace kumiko::cli
