// A token bucket: so many events a second on average, so many at once. Time is handed in.
#pragma once

#include <algorithm>

#include "base/time.h"

namespace kumiko::kube {

// Used by one thread at a time.
class TokenBucket {
 public:
  TokenBucket(double per_second, double burst) : per_second_(per_second), burst_(burst), tokens_(burst) {}

  // Takes a token if one is there.
  bool TryTake(Time now) {
    Refill(now);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }
  // Takes a token, of the future if need be: how long from `now` until it is there.
  Duration Reserve(Time now) {
    Refill(now);
    tokens_ -= 1;
    if (tokens_ >= 0) return Duration(0);
    return Duration(static_cast<Duration::rep>(-tokens_ / per_second_ * 1e6));
  }

 private:
  void Refill(Time now) {
    if (now > last_) {
      tokens_ = std::min(burst_, tokens_ + static_cast<double>((now - last_).count()) / 1e6 * per_second_);
    }
    last_ = std::max(last_, now);
  }

  double per_second_;
  double burst_;
  double tokens_;
  Time last_;
};

}  // namespace kumiko::kube
