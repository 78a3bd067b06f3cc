// One request and its response on a libcurl easy handle.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "kube/http/curl_transport.h"

namespace kumiko::kube {

// What begins with "of the loop" is called by the lane's thread; the rest by whoever reads the response.
class Exchange {
 public:
  enum class Kind { kWhole, kStream };
  Exchange(const HttpRequest& request, Kind kind, std::function<void()> wake);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  bool is_stream() const { return kind_ == Kind::kStream; }
  // Blocks until the response is there.
  Result<HttpResponse> Wait();
  Arrived Take();

  // Of the loop: the easy handle (CURL*), ready to be added. `options` and `tls` must outlive it.
  void* Prepare(const TransportOptions& options, const TlsMaterial& tls);
  void* easy() const;
  int http_version() const { return http_version_; }  // 1, 2, or 0 before the server has answered
  // What a result of libcurl (CURLcode) means.
  Status StatusOf(int code, const TransportOptions& options) const;
  void WakeReader();
  void End(Status status);

 private:
  struct Curl;  // what libcurl holds of it
  friend struct ExchangeCallbacks;

  void OnHeader(std::string_view line);
  bool OnBody(std::string_view bytes);

  HttpRequest request_;
  Kind kind_;
  std::function<void()> wake_;
  std::unique_ptr<Curl> curl_;
  int http_version_ = 0;
  std::size_t max_untaken_bytes_ = 0;
  bool untaken_ = false;  // too much, in fact
  bool touched_ = false;

  std::mutex mutex_;
  std::condition_variable ended_;
  Arrived arrived_;
};

}  // namespace kumiko::kube
