#include "kube/lease_contest.h"

namespace kumiko::kube {
namespace {

constexpr double kJitter = 1.2;

std::int64_t IntegerAt(const Json& object, std::initializer_list<std::string_view> path) {
  const Json* value = FindPath(object, path);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

std::int64_t Seconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

}  // namespace

Status CheckElection(const LeaderElectionOptions& options) {
  if (options.name.empty() || options.namespace_.empty() || options.identity.empty()) {
    return Fail(Code::kInvalidArgument, "leader election: namespace, name and identity must be given");
  }
  if (Duration(std::chrono::seconds(Seconds(options.lease_duration))) <= options.renew_deadline) {
    return Fail(Code::kInvalidArgument, "leader election: lease duration {} must be above the renew deadline {}",
                FormatDuration(options.lease_duration), FormatDuration(options.renew_deadline));
  }
  const auto longest_pause = static_cast<double>(options.retry_period.count()) * kJitter;
  if (options.retry_period <= Duration(0) || static_cast<double>(options.renew_deadline.count()) <= longest_pause) {
    return Fail(Code::kInvalidArgument,
                "leader election: renew deadline {} must be above 1.2 times the retry period {}",
                FormatDuration(options.renew_deadline), FormatDuration(options.retry_period));
  }
  return {};
}

Duration LeaseContest::Pause() {
  const double factor = 1 + random_.Fraction() * (kJitter - 1);
  return Duration(static_cast<Duration::rep>(static_cast<double>(options_.retry_period.count()) * factor));
}

Json LeaseContest::LeaseFor(std::string_view holder, std::int64_t seconds, Time wall) const {
  const bool same_holder = holder_ == holder;
  Json lease = lease_;
  if (!exists_) {
    lease = JsonObject{{"apiVersion", "coordination.k8s.io/v1"},
                       {"kind", "Lease"},
                       {"metadata", JsonObject{{"name", options_.name}, {"namespace", options_.namespace_}}}};
  }
  JsonObject spec;
  if (const Json* old = Find(lease, "spec"); old != nullptr && old->is_object()) spec = old->get_object();
  // A write that changes nothing would not show others that its writer lives.
  const bool stands_still = StringAt(lease_, {"spec", "renewTime"}) == FormatRfc3339Micros(wall);
  const std::string now = FormatRfc3339Micros(stands_still ? wall + Duration(1) : wall);
  if (!same_holder || !spec.contains("acquireTime")) spec["acquireTime"] = now;
  spec["holderIdentity"] = holder;
  spec["leaseDurationSeconds"] = seconds;
  spec["renewTime"] = now;
  spec["leaseTransitions"] = IntegerAt(lease_, {"spec", "leaseTransitions"}) + (exists_ && !same_holder ? 1 : 0);
  lease.as_object()["spec"] = std::move(spec);
  return lease;
}

void LeaseContest::Observe(const Json& lease, Time now) {
  const Json* spec = Find(lease, "spec");
  std::string text = spec == nullptr ? "{}" : WriteJson(*spec);
  if (!exists_ || text != spec_) seen_changing_ = now;
  exists_ = true;
  lease_ = lease;
  spec_ = std::move(text);
  holder_ = StringAt(lease, {"spec", "holderIdentity"});
  duration_ = std::chrono::seconds(IntegerAt(lease, {"spec", "leaseDurationSeconds"}));
}

bool LeaseContest::MayTake(Time now) const {
  return holder_.empty() || holder_ == options_.identity || now > seen_changing_ + duration_;
}

std::optional<LeaseContest::Request> LeaseContest::Next(Time now, Time wall) {
  if (now < next_at_) return std::nullopt;
  const std::int64_t seconds = Seconds(options_.lease_duration);
  // Who leads writes without reading first: mostly nobody else has written.
  if (read_ || (Leads(now) && !must_read_)) {
    return Request{exists_ ? Request::Verb::kUpdate : Request::Verb::kCreate,
                   LeaseFor(options_.identity, seconds, wall), now};
  }
  return Request{.verb = Request::Verb::kGet, .lease = {}, .sent = now};
}

void LeaseContest::Answer(const Request& request, Time now, const Result<std::shared_ptr<const Json>>& answer) {
  read_ = false;
  if (request.verb != Request::Verb::kGet) {
    if (answer) {
      Observe(**answer, now);
      leads_until_ = request.sent + options_.renew_deadline;
      next_at_ = now + options_.retry_period;
      return;
    }
    // Somebody else wrote, or nobody knows: a leader reads at once, while it may still renew.
    const bool led = Leads(now);
    leads_until_ = led ? leads_until_ : Time{};
    next_at_ = now + (led && answer.error().code == Code::kConflict ? Duration(0) : Pause());
    must_read_ = true;
    return;
  }
  must_read_ = false;
  if (answer) {
    Observe(**answer, now);
    read_ = MayTake(now);
    // Leading while somebody else holds the Lease cannot be; should it be, it ends here.
    if (holder_ != options_.identity) leads_until_ = Time{};
  } else if (answer.error().code == Code::kNotFound) {
    exists_ = false;
    holder_.clear();
    lease_ = nullptr;
    read_ = true;
  } else {
    must_read_ = true;
  }
  next_at_ = read_ ? now : now + Pause();
}

std::optional<Json> LeaseContest::Resign(Time wall) {
  leads_until_ = Time{};
  if (!exists_ || holder_ != options_.identity) return std::nullopt;
  // A second is the shortest that the API allows.
  return LeaseFor("", 1, wall);
}

}  // namespace kumiko::kube
