// A watch over HTTP: a response that goes on, opened anew when it ends, from where it was.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "kube/api_client.h"
#include "kube/backoff.h"
#include "kube/request_sender.h"

namespace kumiko::kube {

struct HttpWatchOptions {
  // How long the server is asked to keep one response open, drawn between these (client-go's reflector).
  Duration shortest{std::chrono::minutes(5)};
  Duration longest{std::chrono::minutes(10)};
  BackoffOptions backoff = {};
};

class HttpWatch final : public Watch {
 public:
  // `target` is the path with a query of selectors, ending in "?" or "&". `sender` must outlive it.
  HttpWatch(RequestSender& sender, std::string target, std::string resource_version, HttpWatchOptions options,
            Random random, std::function<void()> wake);

  Result<std::vector<WatchEvent>> Poll() override;
  std::optional<Error> Trouble() const override { return trouble_; }
  std::optional<Time> NextPollAt() const override;

 private:
  using Events = std::vector<WatchEvent>;

  void Open();
  // Takes the whole lines out of `unread_`, up to one that ends the response.
  void ReadLines(Events& events);
  void ReadLine(std::string_view line, Events& events);
  // The server refused, in place of the response or in the middle of it.
  void Refused(const ApiError& error, std::optional<Duration> retry_after);
  // The response is over.
  void Ended(const Arrived& arrived);
  void OpenAfter(Duration delay);
  void OpenAfterTrouble(Error error, Duration at_least = Duration(0));

  RequestSender& sender_;
  std::string target_;
  std::string version_;
  HttpWatchOptions options_;
  Random random_;
  Backoff backoff_;
  std::function<void()> wake_;

  RequestSender::Opened opened_;  // without a stream: opened at `open_at_`
  Time open_at_;
  Time opened_at_;
  bool heard_ = false;  // something was read from this response
  std::string unread_;  // the beginning of a line, or of an error's body
  int too_new_ = 0;     // times in a row that the server did not know our version yet
  std::optional<Error> trouble_;
  std::optional<Error> over_;  // kConflict: for ever
};

}  // namespace kumiko::kube
