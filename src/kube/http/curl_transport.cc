#include "kube/http/curl_transport.h"

#include <curl/curl.h>

#include <mutex>

#include "base/guarded.h"
#include "base/text.h"
#include "kube/http/curl_lane.h"

namespace kumiko::kube {

std::string_view HttpResponse::Header(std::string_view name) const {
  const std::string wanted = ToLower(name);
  for (const auto& [key, value] : headers) {
    if (ToLower(key) == wanted) return value;
  }
  return "";
}

namespace {

class CurlStream final : public ResponseStream {
 public:
  CurlStream(std::shared_ptr<CurlLane> lane, std::shared_ptr<Exchange> exchange)
      : lane_(std::move(lane)), exchange_(std::move(exchange)) {}
  CurlStream(const CurlStream&) = delete;
  CurlStream& operator=(const CurlStream&) = delete;
  ~CurlStream() override { lane_->Cancel(exchange_); }

  Arrived Take() override { return CurlLane::Take(*exchange_); }

 private:
  std::shared_ptr<CurlLane> lane_;
  std::shared_ptr<Exchange> exchange_;
};

class FailedStream final : public ResponseStream {
 public:
  explicit FailedStream(Error error) : error_(std::move(error)) {}
  Arrived Take() override {
    return {.status = 0, .headers = {}, .body = {}, .ended = true, .end = tl::unexpected<Error>(error_)};
  }

 private:
  Error error_;
};

class CurlTransport final : public Transport {
 public:
  explicit CurlTransport(TransportOptions options)
      : options_(std::make_shared<const TransportOptions>(std::move(options))),
        tls_(std::make_shared<TlsWatch>(options_->tls, options_->tls_may_change)) {}

  Result<HttpResponse> Send(const HttpRequest& request) override {
    KU_TRY(const std::shared_ptr<CurlLane> lane, LaneFor(request.method == "GET" ? &Lanes::reads : &Lanes::writes),
           "{}", options_->server);
    return lane->Send(request);
  }

  std::unique_ptr<ResponseStream> Open(const HttpRequest& request, std::function<void()> wake) override {
    Result<std::shared_ptr<CurlLane>> lane = LaneFor(&Lanes::reads);
    if (!lane) {
      if (wake) wake();
      return std::make_unique<FailedStream>(lane.error());
    }
    std::shared_ptr<Exchange> exchange = (*lane)->Open(request, std::move(wake));
    return std::make_unique<CurlStream>(*std::move(lane), std::move(exchange));
  }

 private:
  struct Lanes {
    std::shared_ptr<CurlLane> reads;
    std::shared_ptr<CurlLane> writes;
    std::vector<std::shared_ptr<CurlLane>> leaving;  // what began on them goes on to its end
  };

  // The lane with the certificates of now.
  Result<std::shared_ptr<CurlLane>> LaneFor(std::shared_ptr<CurlLane> Lanes::* which) {
    KU_TRY(const TlsWatch::Current tls, tls_->Look());
    std::vector<std::shared_ptr<CurlLane>> left;  // dropped without the lock: that waits for their threads
    return lanes_.With([&](Lanes& lanes) {
      std::shared_ptr<CurlLane>& lane = lanes.*which;
      if (lane != nullptr && lane->tls_version() != tls.version) lanes.leaving.push_back(std::move(lane));
      if (lane == nullptr) lane = std::make_shared<CurlLane>(options_, tls_, tls);
      for (std::shared_ptr<CurlLane>& old : lanes.leaving) {
        if (old->idle()) left.push_back(std::move(old));
      }
      std::erase(lanes.leaving, nullptr);
      return lane;
    });
  }

  std::shared_ptr<const TransportOptions> options_;
  std::shared_ptr<TlsWatch> tls_;
  Guarded<Lanes> lanes_;
};

}  // namespace

std::unique_ptr<Transport> MakeCurlTransport(TransportOptions options) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  return std::make_unique<CurlTransport>(std::move(options));
}

}  // namespace kumiko::kube
