#include "kube/request_sender.h"

#include <algorithm>

#include "base/log.h"
#include "base/text.h"

namespace kumiko::kube {
namespace {

ApiError TransportError(const Error& error) {
  return {.reason = error.code == Code::kPermission ? StatusReason::kUnauthorized : StatusReason::kServiceUnavailable,
          .message = error.message};
}

// `299 - "text"`
std::string_view WarningText(std::string_view header) {
  const std::size_t begin = header.find('"');
  const std::size_t end = header.rfind('"');
  return begin == header.npos || end == begin ? header : header.substr(begin + 1, end - begin - 1);
}

}  // namespace

std::optional<Duration> RetryAfter(std::string_view header) {
  const std::optional<std::int64_t> seconds = ParseInt64(Trim(header));
  if (!seconds || *seconds < 0) return std::nullopt;
  // Before the multiplication, which a hostile number would overflow.
  const auto longest = std::chrono::duration_cast<std::chrono::seconds>(kLongestWait);
  return std::min(std::chrono::seconds(*seconds), longest);
}

RequestSender::RequestSender(Transport& transport, Credentials& credentials, const Clock& clock, RequestOptions options)
    : transport_(transport), credentials_(credentials), clock_(clock), options_(std::move(options)) {
  if (options_.requests_per_second) bucket_.emplace(*options_.requests_per_second, options_.burst);
}

void RequestSender::AddHeaders(HttpRequest& request, const Authorization& authorization) const {
  request.headers.emplace_back("User-Agent", options_.user_agent);
  if (!authorization.header.empty()) request.headers.emplace_back("Authorization", authorization.header);
  const Impersonation& as = options_.impersonate;
  if (as.user.empty()) return;
  request.headers.emplace_back("Impersonate-User", as.user);
  if (!as.uid.empty()) request.headers.emplace_back("Impersonate-Uid", as.uid);
  for (const std::string& group : as.groups) request.headers.emplace_back("Impersonate-Group", group);
  for (const auto& [key, values] : as.extra) {
    for (const std::string& value : values) request.headers.emplace_back("Impersonate-Extra-" + key, value);
  }
}

void RequestSender::ReportWarnings(const HttpResponse& response) const {
  for (const auto& [name, value] : response.headers) {
    if (ToLower(name) != "warning") continue;
    if (options_.on_warning) {
      options_.on_warning(WarningText(value));
    } else {
      Log(LogLevel::kWarning, WarningText(value));
    }
  }
}

bool RequestSender::Wait(Duration duration) {
  if (duration <= Duration(0)) return true;
  if (options_.wait) {
    options_.wait(duration);
    return true;
  }
  std::unique_lock lock(waiting_mutex_);
  waiting_.wait_for(lock, stop_.get_token(), duration, [] { return false; });
  return !stop_.stop_requested();
}

void RequestSender::Stop() {
  stop_.request_stop();
}

ApiResult<HttpResponse> RequestSender::Send(HttpRequest request) {
  request.timeout = options_.timeout;
  bool asked_again = false;
  for (int tries = 1;; ++tries) {
    if (bucket_) {
      const Duration wait = bucket_->With([&](TokenBucket& bucket) { return bucket.Reserve(clock_.Now()); });
      if (!Wait(wait)) return Refuse(StatusReason::kServiceUnavailable, "this client is being closed");
    }
    Result<Authorization> authorization = credentials_.Get();
    if (!authorization) return Refuse(TransportError(authorization.error()));
    HttpRequest attempt = request;
    AddHeaders(attempt, *authorization);
    Result<HttpResponse> response = transport_.Send(attempt);
    if (!response) return Refuse(TransportError(response.error()));
    ReportWarnings(*response);
    if (response->status >= 200 && response->status < 300) return *std::move(response);
    ApiError error = ApiErrorFrom(response->status, response->body);
    if (response->status == 401) {
      credentials_.Rejected(*authorization);
      // What a plugin gave may have been revoked before its time: ask it once more. Others have nothing else to give.
      const bool renewable = authorization->generation != 0;
      if (!renewable || std::exchange(asked_again, true)) return Refuse(std::move(error));
      continue;
    }
    const bool patient = response->status == 429 || response->status >= 500;
    const std::optional<Duration> after = patient ? RetryAfter(response->Header("Retry-After")) : std::nullopt;
    if (!after || tries == kSendTries || !Wait(*after)) return Refuse(std::move(error));
  }
}

RequestSender::Opened RequestSender::Open(HttpRequest request, std::function<void()> wake) {
  Opened opened;
  opened.authorization = credentials_.Latest();
  AddHeaders(request, opened.authorization);
  opened.stream = transport_.Open(request, std::move(wake));
  return opened;
}

}  // namespace kumiko::kube
