#include "base/clock.h"

#include <chrono>

namespace kumiko {

Time RealClock::Now() const {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<Duration>(since_epoch).count()};
}

}  // namespace kumiko
