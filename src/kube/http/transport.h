// HTTP as the client of an API server needs it: requests that are answered whole, and responses that go on for hours.
// One implementation talks to servers (curl_transport.h); tests have one that talks to nobody.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace kumiko::kube {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method = "GET";
  std::string target;  // path and query, percent-encoded: "/api/v1/pods?limit=500"
  HttpHeaders headers = {};
  std::string body = {};
  Duration timeout = std::chrono::seconds(60);  // for the whole exchange, to the last byte
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;
  std::string body;

  // The first header of this name, in any case, or "".
  std::string_view Header(std::string_view name) const;
};

// What has arrived of a response that goes on.
struct Arrived {
  int status = 0;  // 0: the server has not answered yet
  HttpHeaders headers = {};
  std::string body = {};  // since the last call
  bool ended = false;
  Status end = {};  // why, when it did not end well
};

// Dropping it cancels the request.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;
  // Does not wait.
  virtual Arrived Take() = 0;
};

// Certificates in PEM; empty: those that the system trusts, and none of our own.
struct TlsMaterial {
  std::string authority_pem;
  std::string certificate_pem;
  std::string private_key_pem;
  bool operator==(const TlsMaterial&) const = default;
};

// Thread safe. Errors name the server: kUnavailable when it cannot be reached, hangs up or is too slow, kPermission
// when one of the two does not trust the other's certificate.
class Transport {
 public:
  virtual ~Transport() = default;

  // Blocks until the response is there.
  virtual Result<HttpResponse> Send(const HttpRequest& request) = 0;
  // `wake` is called after something has arrived, from a thread of the transport: it must be quick, must not call the
  // transport, and may be called once more after the stream was dropped.
  virtual std::unique_ptr<ResponseStream> Open(const HttpRequest& request, std::function<void()> wake) = 0;
};

}  // namespace kumiko::kube
