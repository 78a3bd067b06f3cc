// HTTP/2 and 1.1 with TLS, by libcurl. What reads, watches among it, shares one connection, and what writes another, so
// that a large list does not hold up a small write. The server's HTTP/1.1 gets a connection for each watch and eight
// for the rest.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "kube/http/transport.h"

namespace kumiko::kube {

struct TransportOptions {
  std::string server;       // "https://10.0.0.1:6443", perhaps with a path
  std::string server_name;  // in the server's certificate, when it is not that of the address
  bool insecure = false;    // the server's certificate is not checked
  std::string proxy_url;    // "": as the environment says
  bool compression = true;
  Duration connect_timeout = std::chrono::seconds(10);
  // A stream on which nothing arrives for so long is taken for dead. Longer than a server's gap between bookmarks,
  // which is a minute.
  Duration silence_limit = std::chrono::seconds(90);
  // What a stream may hold that nobody takes; beyond it the stream ends, and is to be opened anew.
  std::size_t max_untaken_bytes = 64u << 20;
  // Read for new connections and, if `tls_may_change`, once a second: when it differs, the streams of the old
  // connections end with kUnavailable, requests go to new ones, and the old are closed. Called from several threads.
  std::function<Result<TlsMaterial>()> tls;
  bool tls_may_change = false;
};

std::unique_ptr<Transport> MakeCurlTransport(TransportOptions options);

}  // namespace kumiko::kube
