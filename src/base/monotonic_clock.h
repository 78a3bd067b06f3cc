// Time that only goes forward: for deadlines that must hold whatever happens to the time of day.
#pragma once

#include "base/clock.h"

namespace kumiko {

// Since the machine was started, its sleep included.
class MonotonicClock final : public Clock {
 public:
  Time Now() const override;
};

}  // namespace kumiko
