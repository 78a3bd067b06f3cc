#include "kube/http_watch.h"

#include <algorithm>

namespace kumiko::kube {
namespace {

// A server that was restarted may take a moment to learn what others have seen. One whose store was set back never
// does.
constexpr int kPatienceWithOldServers = 3;

std::optional<WatchEvent::Type> TypeOf(std::string_view type) {
  if (type == "ADDED") return WatchEvent::Type::kAdded;
  if (type == "MODIFIED") return WatchEvent::Type::kModified;
  if (type == "DELETED") return WatchEvent::Type::kDeleted;
  return std::nullopt;
}

bool IsTooNew(const ApiError& error) {
  return std::ranges::any_of(error.causes,
                             [](const StatusCause& cause) { return cause.reason == "ResourceVersionTooLarge"; });
}

}  // namespace

HttpWatch::HttpWatch(RequestSender& sender, std::string target, std::string resource_version, HttpWatchOptions options,
                     Random random, std::function<void()> wake)
    : sender_(sender),
      target_(std::move(target)),
      version_(std::move(resource_version)),
      options_(options),
      random_(random),
      backoff_(random_.Fork(), options.backoff),
      wake_(std::move(wake)) {
  Open();
}

void HttpWatch::Open() {
  const auto span = static_cast<double>((options_.longest - options_.shortest).count());
  const Duration length = options_.shortest + Duration(static_cast<Duration::rep>(random_.Fraction() * span));
  const auto seconds = std::max<std::int64_t>(1, std::chrono::duration_cast<std::chrono::seconds>(length).count());
  HttpRequest request{.method = "GET",
                      .target = fmt::format("{}watch=1&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={}",
                                            target_, version_, seconds),
                      .headers = {{"Accept", "application/json"}},
                      .body = {},
                      .timeout = std::chrono::seconds(seconds + 30)};
  heard_ = false;
  unread_.clear();
  opened_at_ = sender_.clock().Now();
  opened_ = sender_.Open(std::move(request), wake_);
}

void HttpWatch::OpenAfter(Duration delay) {
  opened_.stream.reset();
  open_at_ = sender_.clock().Now() + delay;
}

void HttpWatch::OpenAfterTrouble(Error error, Duration at_least) {
  trouble_ = std::move(error);
  OpenAfter(std::max(backoff_.Next(sender_.clock().Now()), at_least));
}

std::optional<Time> HttpWatch::NextPollAt() const {
  if (over_) return sender_.clock().Now();
  if (opened_.stream != nullptr) return std::nullopt;
  return open_at_;
}

Result<std::vector<WatchEvent>> HttpWatch::Poll() {
  if (over_) return tl::unexpected<Error>(*over_);
  if (opened_.stream == nullptr) {
    if (sender_.clock().Now() < open_at_) return Events{};
    Open();
  }
  const Arrived arrived = opened_.stream->Take();
  unread_ += arrived.body;
  Events events;
  if (arrived.status == 200) {
    trouble_.reset();
    ReadLines(events);
  }
  if (opened_.stream != nullptr && arrived.ended) Ended(arrived);
  if (over_ && events.empty()) return tl::unexpected<Error>(*over_);
  return events;
}

void HttpWatch::ReadLines(Events& events) {
  std::size_t begin = 0;
  while (opened_.stream != nullptr) {
    const std::size_t end = unread_.find('\n', begin);
    if (end == unread_.npos) break;
    if (end > begin) ReadLine(std::string_view(unread_).substr(begin, end - begin), events);
    begin = end + 1;
  }
  unread_.erase(0, begin);
}

void HttpWatch::ReadLine(std::string_view line, Events& events) {
  Result<Json> parsed = ParseJson(line);
  Json* object = nullptr;
  if (parsed && parsed->is_object()) object = parsed->get_object().if_contains("object");
  if (object == nullptr) {
    OpenAfterTrouble(
        {Code::kUnavailable, fmt::format("{}: the server sent what is no event: {}", target_, line.substr(0, 100))});
    return;
  }
  const std::string_view type = StringAt(*parsed, {"type"});
  if (type == "ERROR") {
    // Its code is that of an answer to a request.
    const Json* code = Find(*object, "code");
    const int status = code != nullptr && code->is_int64() ? static_cast<int>(code->get_int64()) : 500;
    Refused(ApiErrorFrom(status, WriteJson(*object)), std::nullopt);
    return;
  }
  const std::string_view version = StringAt(*object, {"metadata", "resourceVersion"});
  if (!version.empty()) version_ = version;
  heard_ = true;
  too_new_ = 0;
  backoff_.Reset();
  if (const std::optional<WatchEvent::Type> known = TypeOf(type)) {
    events.push_back({*known, std::make_shared<const Json>(std::move(*object))});
  }
}

void HttpWatch::Refused(const ApiError& error, std::optional<Duration> retry_after) {
  if (IsTooNew(error)) ++too_new_;
  if (error.reason == StatusReason::kExpired || error.reason == StatusReason::kGone ||
      too_new_ >= kPatienceWithOldServers) {
    opened_.stream.reset();
    over_ = Error{Code::kConflict, error.message};
    return;
  }
  if (error.reason == StatusReason::kUnauthorized) sender_.Rejected(opened_.authorization);
  OpenAfterTrouble(ToError(error), retry_after.value_or(Duration(0)));
}

void HttpWatch::Ended(const Arrived& arrived) {
  if (!arrived.end) {
    OpenAfterTrouble(arrived.end.error());
    return;
  }
  if (arrived.status != 200) {
    const HttpResponse response{arrived.status, arrived.headers, ""};
    Refused(ApiErrorFrom(arrived.status, unread_), RetryAfter(response.Header("Retry-After")));
    return;
  }
  // Its time is over, which is no error; but a server that hangs up at once is not asked again at once.
  if (heard_ || sender_.clock().Now() - opened_at_ >= std::chrono::seconds(1)) {
    OpenAfter(Duration(0));
  } else {
    OpenAfterTrouble({Code::kUnavailable, fmt::format("{}: the server ended the watch at once", target_)});
  }
}

}  // namespace kumiko::kube
