#include "kube/event_recorder.h"

#include "base/log.h"
#include "base/signals.h"

namespace kumiko::kube {

EventRecorder::EventRecorder(ApiClient& client, const Clock& clock, Options options)
    : client_(client),
      clock_(clock),
      options_(std::move(options)),
      correlator_(options_.component, options_.host, options_.limits),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

EventRecorder::~EventRecorder() = default;

void EventRecorder::Record(const Json& object, EventType type, std::string reason, std::string message) {
  Occurrence occurrence{
      object, {type == EventType::kNormal ? "Normal" : "Warning", std::move(reason), std::move(message)}, clock_.Now()};
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() >= options_.max_waiting) {
      ++dropped_;
      return;
    }
    waiting_.push_back(std::move(occurrence));
  }
  changed_.notify_all();
}

void EventRecorder::Flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty() && !writing_; });
}

void EventRecorder::Run(const std::stop_token& stop) {
  const SignalsBlocked blocked;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, stop, [&] { return !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Occurrence occurrence = std::move(waiting_.front());
    waiting_.pop_front();
    writing_ = true;
    lock.unlock();
    Write(occurrence, stop);
    lock.lock();
    writing_ = false;
    changed_.notify_all();
  }
}

void EventRecorder::Write(const Occurrence& occurrence, const std::stop_token& stop) {
  const std::optional<EventWrite> write = correlator_.Add(occurrence.object, occurrence.text, occurrence.at);
  if (!write) {
    ++dropped_;
    return;
  }
  for (int tries = 1;; ++tries) {
    Result<std::string> name = WriteOnce(*write);
    if (name) {
      correlator_.Written(*write, *std::move(name));
      return;
    }
    // What the server refuses, as in a namespace that is being deleted, it will refuse again.
    const bool again = name.error().code == Code::kUnavailable && tries < options_.tries && !stop.stop_requested();
    if (!again) {
      ++dropped_;
      Log(LogLevel::kWarning, "an event is not written", {{"event", write->name}, {"error", name.error().message}});
      return;
    }
    std::unique_lock lock(mutex_);
    // Nothing that is recorded meanwhile ends the wait.
    changed_.wait_for(lock, stop, options_.between_tries, [] { return false; });
  }
}

Result<std::string> EventRecorder::WriteOnce(const EventWrite& write) {
  Result<std::shared_ptr<const Json>> written;
  if (write.patch) {
    written = client_.Patch({"Event", write.namespace_, write.name}, *write.patch, Subresource::kNone);
    // Events are forgotten after an hour.
    if (!written && written.error().code == Code::kNotFound) written = client_.Create(write.event);
  } else {
    written = client_.Create(write.event);
  }
  if (!written) return tl::unexpected<Error>(written.error());
  return std::string(StringAt(**written, {"metadata", "name"}));
}

}  // namespace kumiko::kube
