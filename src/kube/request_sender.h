// What every request to an API server needs: who asks, how often, and again when the server asks for patience.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "kube/api_error.h"
#include "kube/credentials.h"
#include "kube/http/transport.h"
#include "kube/token_bucket.h"

namespace kumiko::kube {

struct RequestOptions {
  std::string user_agent = "kumiko";
  Impersonation impersonate = {};
  Duration timeout = std::chrono::seconds(60);  // for one try, to the last byte of the response
  // Above this rate requests wait; absent: they do not. Watches are not counted.
  std::optional<double> requests_per_second = {};
  double burst = 10;
  // What the server remarks on a request that it nevertheless answers. Empty: the log.
  std::function<void(std::string_view)> on_warning = {};
  // Waits; for tests. Empty: waits in earnest.
  std::function<void(Duration)> wait = {};
};

// How often a request is sent when the server answers 429, or fails and names a time, before its error is returned.
inline constexpr int kSendTries = 10;
// Longer waits than this are not taken from a server.
inline constexpr Duration kLongestWait = std::chrono::seconds(60);

// Thread safe. The three must outlive it.
class RequestSender {
 public:
  RequestSender(Transport& transport, Credentials& credentials, const Clock& clock, RequestOptions options);

  // The response if it is a success, else what the server answered. Errors: kServiceUnavailable and kUnauthorized for
  // those of the transport and the credentials.
  ApiResult<HttpResponse> Send(HttpRequest request);

  struct Opened {
    std::unique_ptr<ResponseStream> stream;
    Authorization authorization;
  };
  // Does not wait.
  Opened Open(HttpRequest request, std::function<void()> wake);
  // The server answered 401 to a stream opened so.
  void Rejected(const Authorization& authorization) { credentials_.Rejected(authorization); }

  // Ends all waiting, now and later: requests that would wait return their error.
  void Stop();

  const Clock& clock() const { return clock_; }

 private:
  void AddHeaders(HttpRequest& request, const Authorization& authorization) const;
  void ReportWarnings(const HttpResponse& response) const;
  // False: stopped.
  bool Wait(Duration duration);

  Transport& transport_;
  Credentials& credentials_;
  const Clock& clock_;
  RequestOptions options_;
  std::optional<Guarded<TokenBucket>> bucket_;
  std::stop_source stop_;
  std::mutex waiting_mutex_;
  std::condition_variable_any waiting_;
};

// The Retry-After header in seconds, at most kLongestWait.
std::optional<Duration> RetryAfter(std::string_view header);

}  // namespace kumiko::kube
