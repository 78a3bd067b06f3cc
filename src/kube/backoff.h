// Waiting longer after each failure, with jitter so that a thousand clients do not come back at the same moment.
#pragma once

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "base/time.h"

namespace kumiko::kube {

// Those of client-go's reflector (tools/cache, reflector.go): a delay of 0.8 s that doubles up to 30 s, lengthened by a
// random part of itself, and begun anew when two minutes pass without a failure.
struct BackoffOptions {
  Duration first{std::chrono::milliseconds(800)};
  Duration longest{std::chrono::seconds(30)};
  Duration forgotten_after{std::chrono::minutes(2)};
};

// Used by one thread at a time.
class Backoff {
 public:
  explicit Backoff(Random random, BackoffOptions options = {}) : options_(options), random_(random) {}

  // How long to wait after a failure at `now`.
  Duration Next(Time now) {
    if (now - last_ > options_.forgotten_after) next_ = Duration(0);
    last_ = now;
    next_ = next_ == Duration(0) ? options_.first : std::min(next_ * 2, options_.longest);
    return next_ + Duration(static_cast<Duration::rep>(random_.Fraction() * static_cast<double>(next_.count())));
  }
  // It works again.
  void Reset() { next_ = Duration(0); }

 private:
  BackoffOptions options_;
  Random random_;
  Duration next_{0};
  Time last_;
};

}  // namespace kumiko::kube
