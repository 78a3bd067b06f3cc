// Who of several may lead, decided by a Lease that each reads and writes (client-go, tools/leaderelection). Pure: it
// says what to ask the API server, and is told the answers; kube/leader_election.h does the asking.
//
//   nobody leads ──take──► leads ──not renewed for renew_deadline──► leads no more
//
// Never do two lead at once, whatever the clocks show and however long a process stands still, as long as no clock runs
// lease_duration / renew_deadline times faster than another: a leader counts from before it asked for its renewal,
// everybody else from after the Lease was seen to change.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "base/random.h"
#include "base/result.h"
#include "base/time.h"
#include "kube/api_client.h"

namespace kumiko::kube {

struct LeaderElectionOptions {
  std::string namespace_;
  std::string name;
  std::string identity;  // of this process, and of no other, not even of the same program started again
  Duration lease_duration{std::chrono::seconds(15)};  // how long others wait for a leader that says nothing
  Duration renew_deadline{std::chrono::seconds(10)};  // how long a leader that cannot renew goes on
  Duration retry_period{std::chrono::seconds(2)};
};

// Whole seconds of lease_duration > renew_deadline > 1.2 retry_period > 0, and names. Errors: kInvalidArgument.
Status CheckElection(const LeaderElectionOptions& options);

class LeaseContest {
 public:
  // All times are of one clock that never jumps.
  LeaseContest(LeaderElectionOptions options, Random random) : options_(std::move(options)), random_(random) {}

  struct Request {
    enum class Verb { kGet, kCreate, kUpdate };
    Verb verb = Verb::kGet;
    Json lease;  // to be created, or to be updated at its resourceVersion
    Time sent;
  };
  // What to ask now; nothing before NextAt(). `wall` is the time of day, which goes into the Lease for people to read.
  // Each request is answered before the next is taken.
  std::optional<Request> Next(Time now, Time wall);
  void Answer(const Request& request, Time now, const Result<std::shared_ptr<const Json>>& answer);
  Time NextAt() const { return next_at_; }

  bool Leads(Time now) const { return now < leads_until_; }
  // How long it leads if nothing more is heard.
  Time leads_until() const { return leads_until_; }
  // Who holds the Lease as last seen; "" for nobody.
  const std::string& holder() const { return holder_; }

  // Stops leading, at once. Returns what to send so that others need not wait; nothing if there is nothing to give up.
  std::optional<Json> Resign(Time wall);

 private:
  Json LeaseFor(std::string_view holder, std::int64_t seconds, Time wall) const;
  void Observe(const Json& lease, Time now);
  bool MayTake(Time now) const;
  Duration Pause();

  LeaderElectionOptions options_;
  Random random_;
  Time next_at_;
  Time leads_until_;
  bool read_ = false;       // the Lease as it stands was read, or written by us, and may be written over
  bool must_read_ = false;  // what was written may not be what stands there
  bool exists_ = false;
  Json lease_;        // as last seen
  std::string spec_;  // its spec in JSON: a change shows that its holder lives
  std::string holder_;
  Duration duration_{0};  // as its holder promises
  Time seen_changing_;
};

}  // namespace kumiko::kube
