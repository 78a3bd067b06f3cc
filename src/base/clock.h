// Where time comes in: everything that needs the time takes a Clock&, so that tests and the simulator own it.
#pragma once

#include <atomic>

#include "base/time.h"

namespace kumiko {

// Thread safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time Now() const = 0;
};

class RealClock final : public Clock {
 public:
  Time Now() const override;
};

// Stands still until told otherwise.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Time start = {}) : micros_(start.micros) {}
  Time Now() const override { return {micros_.load()}; }
  void Advance(Duration duration) { micros_ += duration.count(); }
  void Set(Time time) { micros_ = time.micros; }

 private:
  std::atomic<std::int64_t> micros_;
};

}  // namespace kumiko
