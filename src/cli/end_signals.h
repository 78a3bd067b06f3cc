// The signals that end a command which runs until it is told to stop.
#pragma once

#include <signal.h>

#include "base/time.h"

namespace kumiko::cli {

// Blocks SIGINT and SIGTERM for this thread and those it starts, so that they arrive in Arrived.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  // Waits so long for one; true when one arrived.
  bool Arrived(Duration wait) const;

 private:
  sigset_t signals_{};
  sigset_t before_{};
};

}  // namespace kumiko::cli
