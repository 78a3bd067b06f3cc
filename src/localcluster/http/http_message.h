// Requests and responses as the HTTP server hands them over: no sockets, no third-party types.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kumiko::localcluster {

struct HttpRequest {
  std::string method;  // upper case
  std::string target;  // path and query as sent, still percent-encoded
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  // The first header of this name, in any case, or "".
  std::string_view Header(std::string_view name) const;
};

// The body of a response that goes on: the server asks for more whenever it is woken and the connection has taken what
// it was given, so a slow reader is asked less often. Used by one thread at a time.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  // What is to be sent now, perhaps nothing; nullopt ends the response.
  virtual std::optional<std::string> Next() = 0;
};

struct HttpResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::unique_ptr<BodyStream> stream;  // instead of `body`
};

using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

}  // namespace kumiko::localcluster
