#include "cli/end_signals.h"

namespace kumiko::cli {

EndSignals::EndSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

EndSignals::~EndSignals() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool EndSignals::Arrived(Duration wait) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
  const timespec time{.tv_sec = seconds.count(),
                      .tv_nsec = std::chrono::duration_cast<std::chrono::nanoseconds>(wait - seconds).count()};
  return sigtimedwait(&signals_, nullptr, &time) > 0;
}

}  // namespace kumiko::cli
