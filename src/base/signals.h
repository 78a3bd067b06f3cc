// Which thread hears of signals.
#pragma once

#include <csignal>

namespace kumiko {

// While it lives, this thread takes no signals, and threads that it starts never do: those that libraries of ours start
// leave signals to the threads of the program, which may wait for them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace kumiko
