// Whether the certificates that connections are made with have been replaced meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/guarded.h"
#include "base/result.h"
#include "kube/http/transport.h"

namespace kumiko::kube {

// Thread safe.
class TlsWatch {
 public:
  using Read = std::function<Result<TlsMaterial>()>;

  TlsWatch(Read read, bool may_change) : read_(std::move(read)), may_change_(may_change) {}

  struct Current {
    std::shared_ptr<const TlsMaterial> material;
    std::uint64_t version = 0;  // rises with every change
  };
  // Reads at the first call, and then at most once a second. Errors: those of reading, at the first call only: later
  // what was read last stands.
  Result<Current> Look();

 private:
  using Instant = std::chrono::steady_clock::time_point;
  struct State {
    Current current;
    TlsMaterial candidate;  // what the last look found
    Instant looked;
  };

  bool IsDue(const State& state, Instant now) const;

  Read read_;
  bool may_change_;
  Guarded<State> state_;
};

}  // namespace kumiko::kube
