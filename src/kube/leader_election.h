// One leader among the processes of a component, elected by a Lease. The rules: kube/lease_contest.h.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>

#include "base/clock.h"
#include "kube/api_client.h"
#include "kube/lease_contest.h"

namespace kumiko::kube {

struct LeaderCallbacks {
  // From the thread in Run. `stopped` may come late, when a request hangs: what must not be done by two at once asks
  // Leads() each time.
  std::function<void()> started = {};
  std::function<void()> stopped = {};
};

class LeaderElection {
 public:
  // Client and clocks must outlive it. `clock` never jumps (MonotonicClock), `wall` is the time of day. Give it a
  // client of its own, with a request timeout below renew_deadline. Errors: those of CheckElection.
  static Result<std::unique_ptr<LeaderElection>> Create(ApiClient& client, const Clock& clock, const Clock& wall,
                                                        Random random, LeaderElectionOptions options,
                                                        LeaderCallbacks callbacks = {});

  // For Create.
  LeaderElection(ApiClient& client, const Clock& clock, const Clock& wall, LeaseContest contest, ObjectKey key,
                 LeaderCallbacks callbacks);

  // Takes part until stopped; then gives the Lease up, so that another leads at once.
  void Run(const std::stop_token& stop);
  // Cheap; from any thread.
  bool Leads() const { return clock_.Now() < Time{leads_until_.load()}; }

  // The parts of Run, for tests: asks what is due and returns when to be called again; and the end.
  Time Step();
  void Resign();

 private:
  Result<std::shared_ptr<const Json>> Ask(const LeaseContest::Request& request);
  void Publish();

  ApiClient& client_;
  const Clock& clock_;
  const Clock& wall_;
  LeaseContest contest_;
  ObjectKey key_;
  LeaderCallbacks callbacks_;
  bool told_ = false;  // that it leads
  std::atomic<std::int64_t> leads_until_ = 0;
};

}  // namespace kumiko::kube
