// Events about objects, for people (`kubectl describe`, `kubectl events`): recorded at once, written when there is
// time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "base/clock.h"
#include "kube/api_client.h"
#include "kube/event_correlator.h"

namespace kumiko::kube {

enum class EventType { kNormal, kWarning };

// Thread safe. Events are a courtesy: what cannot be written within a few tries, or is said while a thousand wait, is
// dropped and counted.
class EventRecorder {
 public:
  struct Options {
    std::string component;  // "kumiko-scheduler"
    std::string host = {};
    EventLimits limits = {};
    std::size_t max_waiting = 1000;
    int tries = 12;
    Duration between_tries{std::chrono::seconds(10)};
  };

  // Client and clock must outlive it.
  EventRecorder(ApiClient& client, const Clock& clock, Options options);
  // Writes what waits, each once, and ends.
  ~EventRecorder();
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  // `object` is the object that it is about, or a reference to it. Does not wait.
  void Record(const Json& object, EventType type, std::string reason, std::string message);
  // Waits until all that was recorded is written or dropped.
  void Flush();

  std::int64_t dropped() const { return dropped_; }

 private:
  struct Occurrence {
    Json object;
    EventText text;
    Time at;
  };

  void Run(const std::stop_token& stop);
  void Write(const Occurrence& occurrence, const std::stop_token& stop);
  Result<std::string> WriteOnce(const EventWrite& write);

  ApiClient& client_;
  const Clock& clock_;
  Options options_;
  EventCorrelator correlator_;  // the thread's
  std::atomic<std::int64_t> dropped_ = 0;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Occurrence> waiting_;
  bool writing_ = false;
  std::jthread thread_;
};

}  // namespace kumiko::kube
