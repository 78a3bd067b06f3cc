// A value and the mutex that guards it as one object, so that unguarded access does not compile.
//   Guarded<Cache> cache_;
//   cache_.With([&](Cache& cache) { cache.Put(pod); });
// Inside the function: no I/O, no callbacks, no other lock.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

namespace kumiko {

template <class T>
class Guarded {
 public:
  template <class... Args>
  explicit Guarded(Args&&... args) : value_(std::forward<Args>(args)...) {}
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  // Returns what `function` returns. References into the value must not leave it.
  template <class Function>
  auto With(Function&& function) {
    const std::scoped_lock lock(mutex_);
    return std::invoke(std::forward<Function>(function), value_);
  }
  template <class Function>
  auto With(Function&& function) const {
    const std::scoped_lock lock(mutex_);
    return std::invoke(std::forward<Function>(function), std::as_const(value_));
  }

 private:
  mutable std::mutex mutex_;
  T value_;
};

}  // namespace kumiko
