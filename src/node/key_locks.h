// A lock for each of many things known by a key: a claim, a GPU. Several are taken at once or not at all, so two
// callers never wait for each other in a circle.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kumiko::node {

// Thread safe.
class KeyLocks {
 public:
  // Holds its keys until dropped.
  class Hold {
   public:
    Hold(KeyLocks& locks, std::vector<std::string> keys) : locks_(&locks), keys_(std::move(keys)) {}
    Hold(Hold&& other) noexcept : locks_(std::exchange(other.locks_, nullptr)), keys_(std::move(other.keys_)) {}
    Hold& operator=(Hold&&) = delete;
    ~Hold() {
      if (locks_ != nullptr) locks_->Release(keys_);
    }

   private:
    KeyLocks* locks_;
    std::vector<std::string> keys_;
  };

  // Waits until all are free, at most so long; nothing when they did not become so.
  std::optional<Hold> Take(std::vector<std::string> keys, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    const auto are_free = [&] {
      for (const std::string& key : keys) {
        if (held_.contains(key)) return false;
      }
      return true;
    };
    if (!released_.wait_for(lock, patience, are_free)) return std::nullopt;
    held_.insert(keys.begin(), keys.end());
    return std::optional<Hold>(std::in_place, *this, std::move(keys));
  }

 private:
  void Release(const std::vector<std::string>& keys) {
    {
      const std::scoped_lock lock(mutex_);
      for (const std::string& key : keys) held_.erase(key);
    }
    released_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable released_;
  std::set<std::string> held_;
};

}  // namespace kumiko::node
