// The HTTP face of the local cluster: an API server on loopback that kubectl and client libraries believe. Everything
// but the health probes needs the token.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "localcluster/store.h"

namespace kumiko::localcluster {

struct ApiServerOptions {
  std::uint16_t port = 0;  // 0: a free one
};

class ApiServer {
 public:
  // Serves until dropped. Store and clock must outlive it. Errors: kAlreadyExists when the port is taken.
  static Result<std::unique_ptr<ApiServer>> Start(Store& store, const Clock& clock, const ApiServerOptions& options);
  struct Impl;
  explicit ApiServer(std::unique_ptr<Impl> impl);
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // "https://127.0.0.1:PORT"
  std::string url() const;
  // A file for KUBECONFIG, with the certificate authority and the token in it.
  std::string Kubeconfig() const;
  // The certificate, as PEM text, that clients are to trust.
  const std::string& authority_pem() const;
  // Tells open watches that something was written. From any thread.
  void Wake();

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace kumiko::localcluster
