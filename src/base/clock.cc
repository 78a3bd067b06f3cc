#include "base/clock.h"

#include <chrono>
#include <ctime>

#include "base/monotonic_clock.h"

namespace kumiko {

Time RealClock::Now() const {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<Duration>(since_epoch).count()};
}

Time MonotonicClock::Now() const {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return {std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000};
}

}  // namespace kumiko
