// An HTTP/1.1 server with TLS on loopback, made for watches: thousands of open responses cost one thread and some tens
// of kilobytes each. Requests are answered by a few workers, so that a long list does not hold up the others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "localcluster/http/http_message.h"

namespace kumiko::localcluster {

struct HttpServerOptions {
  std::uint16_t port = 0;  // 0: a free one
  std::string certificate_pem;
  std::string private_key_pem;
  // As the real API server: larger bodies get 413.
  std::size_t max_body_bytes = std::size_t{3} << 20;
  // For the head and body of a request once begun, and for the peer to take a response.
  std::chrono::seconds request_timeout{30};
  // Of a connection between requests.
  std::chrono::seconds idle_timeout{180};
  int workers = 2;
};

// Answers until dropped. Requests that are no HTTP get 400 and the connection is closed; everything else is the
// handler's, which is called by several threads at once and must not throw.
class HttpServer {
 public:
  // Errors: kAlreadyExists when the port is taken, kInvalidArgument for a bad certificate.
  static Result<std::unique_ptr<HttpServer>> Start(HttpServerOptions options, HttpHandler handler);
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  // Body streams may have something to say. Cheap; from any thread.
  void Wake();

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace kumiko::localcluster
