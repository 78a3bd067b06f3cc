// Keys that wait to be worked on (client-go, util/workqueue): a key is there once however often it is added, is never
// worked on twice at the same time, and comes back later and later while it fails.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "base/clock.h"
#include "kube/token_bucket.h"

namespace kumiko::kube {

// client-go's DefaultControllerRateLimiter.
struct WorkQueueOptions {
  Duration first_delay{std::chrono::milliseconds(5)};  // of a key's first failure; doubles with each
  Duration longest_delay{std::chrono::seconds(1000)};
  double retries_per_second = 10;  // of all keys together
  double retry_burst = 100;
};

// Thread safe. `clock` must outlive it.
template <class Key>
class WorkQueue {
 public:
  explicit WorkQueue(const Clock& clock, WorkQueueOptions options = {})
      : clock_(clock), options_(options), bucket_(options.retries_per_second, options.retry_burst) {}

  // A key being worked on; ends the work when dropped. A key added meanwhile is queued then.
  class Item {
   public:
    Item(WorkQueue& queue, Key key) : queue_(&queue), key_(std::move(key)) {}
    Item(Item&& other) noexcept : queue_(std::exchange(other.queue_, nullptr)), key_(std::move(other.key_)) {}
    Item& operator=(Item&&) = delete;
    ~Item() {
      if (queue_ != nullptr) queue_->Done(key_);
    }
    const Key& key() const { return key_; }

   private:
    WorkQueue* queue_;
    Key key_;
  };

  void Add(const Key& key) {
    const std::scoped_lock lock(mutex_);
    Queue(key);
  }
  // Of two times for one key the earlier counts.
  void AddAfter(const Key& key, Duration delay) {
    const std::scoped_lock lock(mutex_);
    Delay(key, delay);
  }
  // After a failure: the later the more often it failed since Forget.
  void AddRateLimited(const Key& key) {
    const std::scoped_lock lock(mutex_);
    Delay(key, std::max(KeyDelay(failures_[key]++), bucket_.Reserve(clock_.Now())));
  }
  // It worked: the next failure is the first.
  void Forget(const Key& key) {
    const std::scoped_lock lock(mutex_);
    failures_.erase(key);
  }
  int failures(const Key& key) const {
    const std::scoped_lock lock(mutex_);
    const auto found = failures_.find(key);
    return found == failures_.end() ? 0 : found->second;
  }

  // The next key; waits for one. Nothing: shut down, and no key is left.
  std::optional<Item> Get() {
    std::unique_lock lock(mutex_);
    while (true) {
      QueueWhatIsDue();
      if (!queue_.empty()) return Take();
      if (shut_down_) return std::nullopt;
      if (by_time_.empty()) {
        changed_.wait(lock);
      } else {
        changed_.wait_for(lock, by_time_.begin()->first - clock_.Now());
      }
    }
  }
  // The same without waiting.
  std::optional<Item> TryGet() {
    const std::scoped_lock lock(mutex_);
    QueueWhatIsDue();
    return queue_.empty() ? std::nullopt : std::optional<Item>(Take());
  }

  // From now on nothing is added, and what is delayed is forgotten; what is queued is still given out.
  void ShutDown() {
    const std::scoped_lock lock(mutex_);
    shut_down_ = true;
    times_.clear();
    by_time_.clear();
    changed_.notify_all();
  }
  // Waits until nothing is queued or worked on. Somebody must be taking keys.
  void Drain() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queue_.empty() && working_.empty(); });
  }
  // Keys that are queued; those delayed or worked on are not counted.
  std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return queue_.size();
  }

 private:
  // A key is in queued_ or (and) in working_; only what is queued and not worked on stands in queue_.
  void Queue(const Key& key) {
    if (shut_down_ || !queued_.insert(key).second || working_.contains(key)) return;
    queue_.push_back(key);
    changed_.notify_one();
  }

  void Delay(const Key& key, Duration delay) {
    if (shut_down_) return;
    if (delay <= Duration(0)) {
      Queue(key);
      return;
    }
    const Time at = clock_.Now() + delay;
    const auto [known, is_new] = times_.emplace(key, at);
    if (!is_new) {
      if (known->second <= at) return;
      by_time_.erase({known->second, key});
      known->second = at;
    }
    by_time_.emplace(at, key);
    changed_.notify_one();
  }

  Duration KeyDelay(int failures) const {
    Duration delay = options_.first_delay;
    for (int i = 0; i < failures && delay < options_.longest_delay; ++i) delay *= 2;
    return std::min(delay, options_.longest_delay);
  }

  void QueueWhatIsDue() {
    const Time now = clock_.Now();
    while (!by_time_.empty() && by_time_.begin()->first <= now) {
      const Key key = by_time_.begin()->second;
      by_time_.erase(by_time_.begin());
      times_.erase(key);
      Queue(key);
    }
  }

  Item Take() {
    Key key = std::move(queue_.front());
    queue_.pop_front();
    queued_.erase(key);
    working_.insert(key);
    return Item(*this, std::move(key));
  }

  void Done(const Key& key) {
    const std::scoped_lock lock(mutex_);
    working_.erase(key);
    if (queued_.contains(key)) queue_.push_back(key);
    changed_.notify_all();
  }

  const Clock& clock_;
  WorkQueueOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Key> queue_;
  std::set<Key> queued_;
  std::set<Key> working_;
  std::map<Key, Time> times_;
  std::set<std::pair<Time, Key>> by_time_;
  std::map<Key, int> failures_;
  TokenBucket bucket_;
  bool shut_down_ = false;
};

}  // namespace kumiko::kube
