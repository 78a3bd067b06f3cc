#include "kube/http/curl_exchange.h"

#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>

#include "base/text.h"
#include "kube/http/server_url.h"

namespace kumiko::kube {

struct Exchange::Curl {
  CURL* easy = curl_easy_init();
  curl_slist* headers = nullptr;
  curl_slist* connect_to = nullptr;
  std::array<char, CURL_ERROR_SIZE> error{};

  Curl() = default;
  Curl(const Curl&) = delete;
  Curl& operator=(const Curl&) = delete;
  ~Curl() {
    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
    curl_slist_free_all(connect_to);
  }
};

struct ExchangeCallbacks {
  static std::size_t Header(char* bytes, std::size_t size, std::size_t count, void* exchange) {
    static_cast<Exchange*>(exchange)->OnHeader({bytes, size * count});
    return size * count;
  }
  static std::size_t Body(char* bytes, std::size_t size, std::size_t count, void* exchange) {
    return static_cast<Exchange*>(exchange)->OnBody({bytes, size * count}) ? size * count : 0;
  }
  // Without it a peer that vanished would be waited for as long as TCP repeats itself, a quarter of an hour.
  static int Socket(void*, curl_socket_t socket, curlsocktype) {
    const unsigned int unanswered_ms = 30'000;
    ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms, sizeof unanswered_ms);
    return CURL_SOCKOPT_OK;
  }
};

namespace {

long Milliseconds(Duration duration) {
  return static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

// The bytes must outlive the handle.
void SetBlob(CURL* easy, CURLoption option, const std::string& bytes) {
  if (bytes.empty()) return;
  curl_blob blob{.data = const_cast<char*>(bytes.data()), .len = bytes.size(), .flags = CURL_BLOB_NOCOPY};
  curl_easy_setopt(easy, option, &blob);
}

void SetTls(CURL* easy, const TransportOptions& options, const TlsMaterial& tls) {
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, options.insecure ? 0L : 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, options.insecure ? 0L : 2L);
  if (!tls.authority_pem.empty()) {
    // Only the cluster's own authority is trusted, none of the system's.
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
    curl_easy_setopt(easy, CURLOPT_CAINFO, nullptr);
    SetBlob(easy, CURLOPT_CAINFO_BLOB, tls.authority_pem);
  }
  SetBlob(easy, CURLOPT_SSLCERT_BLOB, tls.certificate_pem);
  SetBlob(easy, CURLOPT_SSLKEY_BLOB, tls.private_key_pem);
}

void SetConnection(CURL* easy, const TransportOptions& options) {
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  // Waits for the first connection to show whether it can be shared. Without TLS it shows so only by ending a response,
  // and those behind a watch would wait for ever.
  if (options.server.starts_with("https://")) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, Milliseconds(options.connect_timeout));
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, 30L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, 10L);
  curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, &ExchangeCallbacks::Socket);
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (!options.proxy_url.empty()) {
    curl_easy_setopt(easy, CURLOPT_PROXY, options.proxy_url.c_str());
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  } else if (IsLoopback(options.server)) {
    // As Go's clients: what the environment says about proxies is not meant for this machine.
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  }
}

}  // namespace

Exchange::Exchange(const HttpRequest& request, Kind kind, std::function<void()> wake)
    : request_(request), kind_(kind), wake_(std::move(wake)), curl_(std::make_unique<Curl>()) {}

Exchange::~Exchange() = default;

void* Exchange::easy() const {
  return curl_->easy;
}

void* Exchange::Prepare(const TransportOptions& options, const TlsMaterial& tls) {
  CURL* easy = curl_->easy;
  max_untaken_bytes_ = options.max_untaken_bytes;
  const ServerUrl url = UrlFor(options.server, options.server_name, request_.target);
  curl_easy_setopt(easy, CURLOPT_URL, url.url.c_str());
  for (const auto& [name, value] : request_.headers) {
    curl_->headers = curl_slist_append(curl_->headers, fmt::format("{}: {}", name, value).c_str());
  }
  if (!url.connect_to.empty()) {
    curl_->connect_to = curl_slist_append(nullptr, url.connect_to.c_str());
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, curl_->connect_to);
    curl_->headers = curl_slist_append(curl_->headers, ("Host: " + url.host).c_str());
  }
  // Waiting for "100 Continue" would cost a round trip for every large write.
  curl_->headers = curl_slist_append(curl_->headers, "Expect:");
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, curl_->headers);
  if (request_.method != "GET" || !request_.body.empty()) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request_.body.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  }
  SetConnection(easy, options);
  SetTls(easy, options, tls);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, Milliseconds(request_.timeout));
  if (is_stream()) {
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, Milliseconds(options.silence_limit) / 1000);
  } else if (options.compression && !IsLoopback(options.server)) {
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
  }
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, curl_->error.data());
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &ExchangeCallbacks::Header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &ExchangeCallbacks::Body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  return easy;
}

void Exchange::OnHeader(std::string_view line) {
  line = Trim(line);
  const std::scoped_lock lock(mutex_);
  touched_ = true;
  if (line.starts_with("HTTP/")) {
    http_version_ = line.substr(5, 1) == "2" ? 2 : 1;
    const std::size_t blank = line.find(' ');
    const auto status = blank == line.npos ? std::nullopt : ParseInt64(line.substr(blank + 1, 3));
    arrived_.status = static_cast<int>(status.value_or(0));
    arrived_.headers.clear();  // those of a "100 Continue" before
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return;
  arrived_.headers.emplace_back(line.substr(0, colon), Trim(line.substr(colon + 1)));
}

bool Exchange::OnBody(std::string_view bytes) {
  const std::scoped_lock lock(mutex_);
  touched_ = true;
  untaken_ = is_stream() && arrived_.body.size() + bytes.size() > max_untaken_bytes_;
  if (untaken_) return false;
  arrived_.body += bytes;
  return true;
}

void Exchange::WakeReader() {
  if (!std::exchange(touched_, false) || !is_stream() || !wake_) return;
  wake_();
}

void Exchange::End(Status status) {
  {
    const std::scoped_lock lock(mutex_);
    arrived_.ended = true;
    arrived_.end = std::move(status);
  }
  ended_.notify_all();
  if (is_stream() && wake_) wake_();
}

Status Exchange::StatusOf(int code, const TransportOptions& options) const {
  const std::string_view detail =
      curl_->error[0] != '\0' ? curl_->error.data() : curl_easy_strerror(static_cast<CURLcode>(code));
  const std::string& server = options.server;
  if (code == CURLE_OK) return {};
  if (untaken_) return Fail(Code::kUnavailable, "{}: more has arrived than its reader takes", server);
  if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE) {
    return Fail(Code::kPermission,
                "{}: its certificate is not trusted ({}); give its authority in certificate-authority, or its name in "
                "tls-server-name",
                server, detail);
  }
  if (code == CURLE_SSL_CERTPROBLEM) {
    return Fail(Code::kPermission,
                "{}: the client certificate cannot be used ({}); check client-certificate and "
                "client-key",
                server, detail);
  }
  if (code == CURLE_OPERATION_TIMEDOUT) {
    return Fail(Code::kUnavailable, "{}: {} {} took too long ({})", server, request_.method, request_.target, detail);
  }
  if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY) {
    return Fail(Code::kUnavailable, "{} cannot be reached: {}", server, detail);
  }
  return Fail(Code::kUnavailable, "{}: {} {}: {}", server, request_.method, request_.target, detail);
}

Result<HttpResponse> Exchange::Wait() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return arrived_.ended; });
  if (!arrived_.end) return tl::unexpected<Error>(arrived_.end.error());
  return HttpResponse{arrived_.status, std::move(arrived_.headers), std::move(arrived_.body)};
}

Arrived Exchange::Take() {
  const std::scoped_lock lock(mutex_);
  Arrived taken{.status = arrived_.status,
                .headers = arrived_.headers,
                .body = std::exchange(arrived_.body, {}),
                .ended = arrived_.ended,
                .end = arrived_.end};
  return taken;
}

}  // namespace kumiko::kube
