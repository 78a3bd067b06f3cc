#include "kube/leader_election.h"

#include <condition_variable>
#include <mutex>

#include "base/log.h"

namespace kumiko::kube {

Result<std::unique_ptr<LeaderElection>> LeaderElection::Create(ApiClient& client, const Clock& clock, const Clock& wall,
                                                               Random random, LeaderElectionOptions options,
                                                               LeaderCallbacks callbacks) {
  KU_TRY_OK(CheckElection(options));
  ObjectKey key{"Lease", options.namespace_, options.name};
  return std::make_unique<LeaderElection>(client, clock, wall, LeaseContest(std::move(options), random), std::move(key),
                                          std::move(callbacks));
}

LeaderElection::LeaderElection(ApiClient& client, const Clock& clock, const Clock& wall, LeaseContest contest,
                               ObjectKey key, LeaderCallbacks callbacks)
    : client_(client),
      clock_(clock),
      wall_(wall),
      contest_(std::move(contest)),
      key_(std::move(key)),
      callbacks_(std::move(callbacks)) {}

Result<std::shared_ptr<const Json>> LeaderElection::Ask(const LeaseContest::Request& request) {
  switch (request.verb) {
    case LeaseContest::Request::Verb::kGet:
      return client_.Get(key_);
    case LeaseContest::Request::Verb::kCreate:
      return client_.Create(request.lease);
    case LeaseContest::Request::Verb::kUpdate:
      return client_.Update(request.lease, Subresource::kNone);
  }
  return Fail(Code::kInternal, "a request of no kind");
}

Time LeaderElection::Step() {
  Publish();
  while (const std::optional<LeaseContest::Request> request = contest_.Next(clock_.Now(), wall_.Now())) {
    const Result<std::shared_ptr<const Json>> answer = Ask(*request);
    contest_.Answer(*request, clock_.Now(), answer);
    Publish();
  }
  return told_ ? std::min(contest_.NextAt(), contest_.leads_until()) : contest_.NextAt();
}

void LeaderElection::Publish() {
  leads_until_ = contest_.leads_until().micros;
  const bool leads = Leads();
  if (leads == told_) return;
  told_ = leads;
  Log(LogLevel::kInfo, leads ? "leads" : "leads no more", {{"lease", key_.namespace_ + "/" + key_.name}});
  const std::function<void()>& callback = leads ? callbacks_.started : callbacks_.stopped;
  if (callback) callback();
}

void LeaderElection::Resign() {
  const std::optional<Json> lease = contest_.Resign(wall_.Now());
  // Before anybody else can know.
  Publish();
  if (!lease) return;
  const auto released = client_.Update(*lease, Subresource::kNone);
  if (!released) Log(LogLevel::kWarning, "the lease is not released", {{"error", released.error().message}});
}

void LeaderElection::Run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any waiting;
  while (!stop.stop_requested()) {
    const Duration wait = Step() - clock_.Now();
    std::unique_lock lock(mutex);
    waiting.wait_for(lock, stop, wait, [] { return false; });
  }
  Resign();
}

}  // namespace kumiko::kube
