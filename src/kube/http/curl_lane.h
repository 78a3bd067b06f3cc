// Some connections to one server, and the thread that owns the libcurl multi handle they belong to.
#pragma once

#include <functional>
#include <memory>

#include "kube/http/curl_transport.h"
#include "kube/http/tls_watch.h"

namespace kumiko::kube {

// One request under way, or done.
class Exchange;

// Thread safe.
class CurlLane {
 public:
  CurlLane(std::shared_ptr<const TransportOptions> options, std::shared_ptr<TlsWatch> tls, TlsWatch::Current made_with);
  // Ends everything that is under way with kUnavailable.
  ~CurlLane();
  CurlLane(const CurlLane&) = delete;
  CurlLane& operator=(const CurlLane&) = delete;

  // Blocks until the response is there.
  Result<HttpResponse> Send(const HttpRequest& request);
  std::shared_ptr<Exchange> Open(const HttpRequest& request, std::function<void()> wake);
  void Cancel(const std::shared_ptr<Exchange>& exchange);
  static Arrived Take(Exchange& exchange);

  // Of the certificates that its connections are made with.
  std::uint64_t tls_version() const;
  // Nothing is under way.
  bool idle() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kumiko::kube
