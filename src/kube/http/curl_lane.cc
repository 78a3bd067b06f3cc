#include "kube/http/curl_lane.h"

#include <curl/curl.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/signals.h"
#include "kube/http/curl_exchange.h"

namespace kumiko::kube {

namespace {

// Servers allow a hundred streams on a connection; a watch that waits for a free one would wait for hours.
constexpr long kStreamsPerConnection = 90;
// Of HTTP/1.1, beside those that watches occupy.
constexpr long kConnectionsForRequests = 8;
constexpr int kLookEveryMs = 1000;
constexpr int kIdleMs = 60'000;

}  // namespace

struct CurlLane::Impl {
  std::shared_ptr<const TransportOptions> options;
  std::shared_ptr<TlsWatch> tls;
  TlsWatch::Current made_with;
  CURLM* multi = nullptr;

  struct Inbox {
    std::vector<std::shared_ptr<Exchange>> start;
    std::vector<std::shared_ptr<Exchange>> cancel;
  };
  Guarded<Inbox> inbox;
  std::atomic<std::size_t> under_way = 0;  // started and not ended, those in the inbox too

  // The loop's own.
  std::vector<std::shared_ptr<Exchange>> active;
  long streams = 0;
  long max_connections = 0;
  std::jthread loop;

  void Wake() { curl_multi_wakeup(multi); }

  void Add(std::shared_ptr<Exchange> exchange) {
    ++under_way;
    inbox.With([&](Inbox& box) { box.start.push_back(std::move(exchange)); });
    Wake();
  }

  void Run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      TakeInbox();
      LimitConnections();
      int running = 0;
      curl_multi_perform(multi, &running);
      ReadResults();
      for (const auto& exchange : active) exchange->WakeReader();
      if (options->tls_may_change) LookAtTls();
      const bool looks = options->tls_may_change && !active.empty();
      curl_multi_poll(multi, nullptr, 0, looks ? kLookEveryMs : kIdleMs, nullptr);
    }
    TakeInbox();
    EndAll([](const Exchange&) { return true; }, "this client is being closed");
  }

  void TakeInbox() {
    Inbox box = inbox.With([](Inbox& filled) { return std::exchange(filled, {}); });
    for (std::shared_ptr<Exchange>& exchange : box.start) {
      if (exchange->is_stream()) ++streams;
      curl_multi_add_handle(multi, exchange->Prepare(*options, *made_with.material));
      active.push_back(std::move(exchange));
    }
    for (const std::shared_ptr<Exchange>& exchange : box.cancel) {
      if (std::ranges::find(active, exchange) == active.end()) continue;
      End(exchange, Fail(Code::kUnavailable, "cancelled"));
    }
  }

  // HTTP/2 gets one connection, or libcurl would open more while the first is busy; HTTP/1.1 as many as there are
  // watches and some. Before the server has answered, requests wait for the first connection to know (PIPEWAIT).
  void LimitConnections() {
    long wanted = max_connections;
    for (const auto& exchange : active) {
      if (exchange->http_version() == 2) wanted = 1 + streams / kStreamsPerConnection;
      if (exchange->http_version() == 1) wanted = streams + kConnectionsForRequests;
    }
    if (wanted == max_connections) return;
    max_connections = wanted;
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, wanted);
  }

  void ReadResults() {
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      const auto found =
          std::ranges::find(active, message->easy_handle, [](const auto& exchange) { return exchange->easy(); });
      if (found == active.end()) continue;
      const std::shared_ptr<Exchange> exchange = *found;
      End(exchange, exchange->StatusOf(code, *options));
    }
  }

  void End(const std::shared_ptr<Exchange>& exchange, Status status) {
    if (exchange->is_stream()) --streams;
    curl_multi_remove_handle(multi, exchange->easy());
    std::erase(active, exchange);
    exchange->End(std::move(status));
    --under_way;
  }

  void EndAll(const std::function<bool(const Exchange&)>& which, std::string_view why) {
    const std::vector<std::shared_ptr<Exchange>> all = active;
    for (const auto& exchange : all) {
      if (which(*exchange)) End(exchange, Fail(Code::kUnavailable, "{}: {}", options->server, why));
    }
  }

  void LookAtTls() {
    const auto current = tls->Look();
    if (!current || current->version == made_with.version) return;
    EndAll([](const Exchange& exchange) { return exchange.is_stream(); }, "the certificates have changed");
  }
};

CurlLane::CurlLane(std::shared_ptr<const TransportOptions> options, std::shared_ptr<TlsWatch> tls,
                   TlsWatch::Current made_with)
    : impl_(std::make_unique<Impl>()) {
  impl_->options = std::move(options);
  impl_->tls = std::move(tls);
  impl_->made_with = std::move(made_with);
  impl_->multi = curl_multi_init();
  curl_multi_setopt(impl_->multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  curl_multi_setopt(impl_->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, kStreamsPerConnection);
  const SignalsBlocked blocked;
  impl_->loop = std::jthread([impl = impl_.get()](const std::stop_token& stop) { impl->Run(stop); });
}

CurlLane::~CurlLane() {
  impl_->loop.request_stop();
  impl_->Wake();
  impl_->loop.join();
  curl_multi_cleanup(impl_->multi);
}

Result<HttpResponse> CurlLane::Send(const HttpRequest& request) {
  const auto exchange = std::make_shared<Exchange>(request, Exchange::Kind::kWhole, nullptr);
  impl_->Add(exchange);
  return exchange->Wait();
}

std::shared_ptr<Exchange> CurlLane::Open(const HttpRequest& request, std::function<void()> wake) {
  auto exchange = std::make_shared<Exchange>(request, Exchange::Kind::kStream, std::move(wake));
  impl_->Add(exchange);
  return exchange;
}

void CurlLane::Cancel(const std::shared_ptr<Exchange>& exchange) {
  impl_->inbox.With([&](Impl::Inbox& box) { box.cancel.push_back(exchange); });
  impl_->Wake();
}

Arrived CurlLane::Take(Exchange& exchange) {
  return exchange.Take();
}

std::uint64_t CurlLane::tls_version() const {
  return impl_->made_with.version;
}

bool CurlLane::idle() const {
  return impl_->under_way == 0;
}

}  // namespace kumiko::kube
