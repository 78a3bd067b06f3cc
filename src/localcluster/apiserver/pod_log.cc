#include "localcluster/apiserver/pod_log.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "localcluster/node/container_log.h"

namespace kumiko::localcluster {
namespace {

using kube::Refuse;
using kube::StatusReason;

struct LogRequest {
  kube::ObjectKey pod;
  std::string container;
  WhichRun which = WhichRun::kPresent;
  bool timestamps = false;
  std::optional<std::int64_t> tail_lines;
  std::optional<std::int64_t> limit_bytes;
  std::optional<Time> since;
};

std::string TextOf(const LogRequest& request, const LogLine& line) {
  return request.timestamps ? FormatRfc3339Micros(line.time) + " " + line.text : line.text;
}

// The container that is meant when none is named: the only one.
kube::ApiResult<std::string> ContainerOf(const ResourceCall& call, const Json& pod) {
  const std::string named(call.info.query.Get("container"));
  if (!named.empty()) return named;
  std::vector<std::string> names;
  if (const Json* list = FindPath(pod, {"spec", "containers"}); list != nullptr && list->is_array()) {
    for (const Json& container : list->get_array()) names.emplace_back(StringAt(container, {"name"}));
  }
  if (names.size() == 1) return names.front();
  return Refuse(StatusReason::kBadRequest, "a container name must be specified for pod {}, choose one of: [{}]",
                call.key.name, Join(names, " "));
}

bool Runs(const Json& pod, const std::string& container) {
  for (const char* member : {"containerStatuses", "initContainerStatuses"}) {
    const Json* list = FindPath(pod, {"status", member});
    if (list == nullptr || !list->is_array()) continue;
    for (const Json& status : list->get_array()) {
      if (StringAt(status, {"name"}) == container && FindPath(status, {"state", "running"}) != nullptr) return true;
    }
  }
  return false;
}

std::string Whole(const LogRequest& request, std::vector<LogLine> lines) {
  if (request.since) std::erase_if(lines, [&](const LogLine& line) { return line.time < *request.since; });
  std::size_t first = 0;
  if (request.tail_lines) {
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(0, *request.tail_lines));
    first = lines.size() > wanted ? lines.size() - wanted : 0;
  }
  std::string text;
  for (std::size_t i = first; i < lines.size(); ++i) text += TextOf(request, lines[i]);
  if (request.limit_bytes && text.size() > static_cast<std::size_t>(*request.limit_bytes)) {
    text.resize(static_cast<std::size_t>(*request.limit_bytes));
  }
  return text;
}

// Goes on until the container's run ends or the pod is gone.
class LogStream final : public BodyStream {
 public:
  LogStream(LogRequest request, std::string first, Time until, Store& store, const Clock& clock)
      : request_(std::move(request)), first_(std::move(first)), until_(until), store_(store), clock_(clock) {}

  std::optional<std::string> Next() override {
    if (ended_) return std::nullopt;
    std::string out = std::exchange(first_, "");
    const auto pod = store_.Find(request_.pod);
    if (!pod) {
      ended_ = true;
    } else {
      const Time now = clock_.Now();
      // What was printed at `until_` has been sent.
      if (const auto lines = LogOf(**pod, request_.container, WhichRun::kPresent, now)) {
        for (const LogLine& line : *lines) {
          if (line.time > until_) out += TextOf(request_, line);
        }
      }
      until_ = now;
      ended_ = !Runs(**pod, request_.container);
    }
    if (ended_ && out.empty()) return std::nullopt;
    return out;
  }

 private:
  LogRequest request_;
  std::string first_;
  Time until_;
  Store& store_;
  const Clock& clock_;
  bool ended_ = false;
};

}  // namespace

kube::ApiResult<HttpResponse> AnswerPodLog(const ResourceCall& call, Store& store, const Clock& clock) {
  KU_TRY_API(const auto pod, store.Find(call.key));
  const Query& query = call.info.query;
  const Time now = clock.Now();
  LogRequest request;
  request.pod = call.key;
  KU_TRY_API(request.container, ContainerOf(call, *pod));
  if (query.IsTrue("previous")) request.which = WhichRun::kPrevious;
  request.timestamps = query.IsTrue("timestamps");
  request.tail_lines = query.Integer("tailLines");
  request.limit_bytes = query.Integer("limitBytes");
  if (request.limit_bytes && *request.limit_bytes < 1) {
    return Refuse(StatusReason::kInvalid, "limitBytes: Invalid value: {}: must be greater than or equal to 1",
                  *request.limit_bytes);
  }
  if (const auto seconds = query.Integer("sinceSeconds")) request.since = now - std::chrono::seconds(*seconds);
  if (const auto time = ParseRfc3339(query.Get("sinceTime"))) request.since = *time;
  HttpResponse response = JsonResponse(200, "");
  response.headers.front().second = "text/plain";
  // Without a node there is no kubelet to ask, and nothing is the answer.
  if (StringAt(*pod, {"spec", "nodeName"}).empty()) return response;
  auto lines = LogOf(*pod, request.container, request.which, now);
  if (!lines) return Refuse(StatusReason::kBadRequest, "{}", lines.error().message);
  std::string text = Whole(request, std::move(*lines));
  if (query.IsTrue("follow")) {
    response.stream = std::make_unique<LogStream>(std::move(request), std::move(text), now, store, clock);
  } else {
    response.body = std::move(text);
  }
  return response;
}

}  // namespace kumiko::localcluster
