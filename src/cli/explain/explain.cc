#include "cli/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "api/core/pod_annotations.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/explain/changes.h"
#include "cli/explain/device_place.h"
#include "cli/explain/holders.h"
#include "cli/explain/nearest_board.h"
#include "cli/explain/node_place.h"
#include "cli/explain/verdict.h"
#include "cli/explain/wording.h"
#include "localcluster/pod_claims.h"
#include "report/text.h"

namespace kumiko::cli {
namespace {

using report::Explanation;
using report::Verdict;

// More devices than these are counted without their names.
constexpr std::size_t kNamedNodes = 64;

template <class T>
Error NoSuch(const char* what, const kube::Informer<T>& informer, const std::string& namespace_,
             const std::string& name) {
  std::vector<std::string> names;
  std::set<std::string> namespaces;
  for (const auto& [key, object] : informer.objects()) {
    if (key.namespace_ == namespace_) names.push_back(key.name);
    if (key.name == name) namespaces.insert(key.namespace_);
  }
  std::string message = fmt::format("{} {}/{} does not exist", what, namespace_, name);
  if (!namespaces.empty()) {
    message += fmt::format("; there is one in namespace {}: add -n {}", *namespaces.begin(), *namespaces.begin());
  } else if (const auto near = Suggest(name, names)) {
    message += fmt::format("; did you mean {}?", *near);
  } else if (names.empty()) {
    message += fmt::format("; namespace {} has none: choose another with -n", namespace_);
  } else {
    message += fmt::format("; kubectl get {}s -n {} lists those that do", ToLower(T::kKind), namespace_);
  }
  return {Code::kNotFound, message};
}

template <class T>
Explanation About(const T& object) {
  Explanation explanation;
  explanation.kind = T::kKind;
  explanation.namespace_ = object.metadata.namespace_;
  explanation.name = object.metadata.name;
  explanation.seen.resource_version = object.metadata.resource_version;
  return explanation;
}

const api::Condition* FindCondition(const std::vector<api::Condition>& conditions, std::string_view type) {
  for (const api::Condition& condition : conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

std::string DevicesOf(const std::vector<std::string>& holds) {
  if (holds.empty()) return "";
  return fmt::format(" with {}", report::Counted(static_cast<std::int64_t>(holds.size()), "device", "devices"));
}

// When somebody ends who is waited for, or why nobody knows.
std::string WhenText(const Advice& advice, Verdict verdict, Time now) {
  if (verdict != Verdict::kWaitingForRoom) return "no estimate: it does not depend on waiting";
  if (advice.wait_for.empty()) return "no estimate: nothing that is known to end makes room";
  const Holder* last = nullptr;  // of all, or the first of any
  for (const Holder& holder : advice.wait_for) {
    if (!holder.ends && advice.wait_for_all) return fmt::format("no estimate: {} declares no end", holder.name);
    if (!holder.ends) continue;
    if (last == nullptr || (*holder.ends < *last->ends) != advice.wait_for_all) last = &holder;
  }
  if (last == nullptr) return fmt::format("no estimate: {} declares no end", advice.wait_for.front().name);
  const Duration left = std::max(*last->ends - now, Duration(0));
  return fmt::format("about {} (declared end of {} on {})", FormatAge(left), last->name, advice.wait_on);
}

// The place of a claim, or of a pod that may go to one node only: devices are counted, not nodes.
report::Place DevicesOn(const Subject& subject, const NodePlace& place) {
  std::vector<std::string> nodes;
  for (const NodeSituation& situation : place.situations) {
    nodes.insert(nodes.end(), situation.nodes.begin(), situation.nodes.end());
  }
  std::sort(nodes.begin(), nodes.end());
  const auto wanted = subject.Wanted();
  const auto names = nodes.size() <= kNamedNodes ? allocator::DeviceNames::kListed : allocator::DeviceNames::kLeftOut;
  return PlaceDevices(allocator::Explain(subject.model->inventory(), subject.model->state(), wanted, nodes, names),
                      nodes);
}

// `count_devices`: rather than nodes, where devices are what is missing.
void ExplainWaiting(const Subject& subject, const NodePlace& place, bool count_devices, Time now,
                    Explanation& explanation) {
  const Holders holders(*subject.model);
  Judgement judgement = Judge(subject, place, holders);
  explanation.verdict = judgement.verdict;
  explanation.because = std::move(judgement.because);
  const NodeSituation* nearest = place.Nearest();
  const bool of_devices = nearest != nullptr && nearest->explanation.has_value();
  explanation.place = count_devices && of_devices ? DevicesOn(subject, place) : place.place;
  explanation.nearest = NearestBoards(subject, place, holders);
  const bool could_ever = explanation.verdict == Verdict::kWaitingForRoom;
  Advice advice = Advise(subject, place, holders, could_ever);
  explanation.when = WhenText(advice, explanation.verdict, now);
  explanation.changes = std::move(advice.changes);
}

std::string RoomText(const NodePlace& place) {
  const std::size_t open = place.place.rows.back().count;
  return fmt::format("{} of {} {} room for it now", open,
                     report::Counted(static_cast<std::int64_t>(place.place.total), "node", "nodes"),
                     open == 1 ? "has" : "have");
}

// Bound, ended or being deleted: nothing to place.
bool ExplainSettled(const Subject& subject, Time now, Explanation& explanation) {
  const api::Pod& pod = *subject.pod;
  if (api::IsFinished(pod)) {
    explanation.verdict = Verdict::kEnded;
    std::vector<std::string> words;
    for (const std::string& word : {pod.status.reason, pod.status.message}) {
      if (!word.empty()) words.push_back(word);
    }
    explanation.because = pod.status.phase == "Succeeded" ? "well" : "with an error";
    if (!words.empty()) explanation.because += ": " + Join(words, ": ");
    return true;
  }
  if (!pod.spec.node_name.empty()) {
    explanation.holds = HoldsLines(subject);
    explanation.because = "on " + pod.spec.node_name + DevicesOf(explanation.holds);
    explanation.verdict = pod.status.phase == "Running" ? Verdict::kRuns : Verdict::kStarting;
    if (explanation.verdict == Verdict::kRuns && pod.status.start_time) {
      explanation.because += ", for " + FormatAge(now - *pod.status.start_time);
    }
    return true;
  }
  if (pod.metadata.deletion_timestamp) {
    explanation.verdict = Verdict::kHeld;
    explanation.because = "it is being deleted";
    return true;
  }
  const api::Condition* scheduled = FindCondition(pod.status.conditions, "PodScheduled");
  if (scheduled != nullptr && scheduled->reason == "SchedulingGated") {
    explanation.verdict = Verdict::kHeld;
    explanation.because = "its schedulingGates are not empty; whoever set them has to take them away";
    return true;
  }
  return false;
}

}  // namespace

Result<Explanation> ExplainPod(const localcluster::ClusterModel& model, const std::string& namespace_,
                               const std::string& name, Time now) {
  const auto pod = model.pods().Find(namespace_, name);
  if (pod == nullptr) return tl::unexpected<Error>(NoSuch("pod", model.pods(), namespace_, name));
  Explanation explanation = About(*pod);
  const Subject subject{.model = &model, .pod = pod.get(), .claims = ClaimsOf(model, *pod)};
  explanation.asked = AskedLines(subject);
  if (ExplainSettled(subject, now, explanation)) return explanation;
  const localcluster::PodClaims found = localcluster::FindClaims(*pod, model);
  if (found.state != localcluster::PodClaims::State::kReady) {
    explanation.verdict = Verdict::kHeld;
    explanation.because = found.state == localcluster::PodClaims::State::kBlocked
                              ? found.reason
                              : "a claim that its template asks for is not made yet";
    return explanation;
  }
  const NodePlace place = PlaceNodes(subject, model.state(), subject.Wanted());
  if (place.HasRoom()) {
    explanation.verdict = Verdict::kHeld;
    explanation.because =
        fmt::format("{}, but scheduler {} has not taken it up", RoomText(place),
                    pod->spec.scheduler_name.empty() ? "default-scheduler" : pod->spec.scheduler_name);
    explanation.place = place.place;
    return explanation;
  }
  ExplainWaiting(subject, place, place.place.total == 1, now, explanation);
  return explanation;
}

Result<Explanation> ExplainClaim(const localcluster::ClusterModel& model, const std::string& namespace_,
                                 const std::string& name, Time now) {
  const auto claim = model.claims().Find(namespace_, name);
  if (claim == nullptr) return tl::unexpected<Error>(NoSuch("claim", model.claims(), namespace_, name));
  Explanation explanation = About(*claim);
  const Subject subject{.model = &model, .pod = nullptr, .claims = {claim}};
  explanation.asked = AskedLines(subject);
  if (claim->status.allocation) {
    explanation.holds = HoldsLines(subject);
    std::vector<std::string> users;
    for (const auto& user : claim->status.reserved_for) users.push_back(user.name);
    explanation.verdict = users.empty() ? Verdict::kPromised : Verdict::kRuns;
    explanation.because =
        users.empty() ? "it has its devices, but no pod uses it" : fmt::format("for {}", Join(users, ", "));
    return explanation;
  }
  if (auto missing = localcluster::MissingClass(*claim, model.inventory())) {
    explanation.verdict = Verdict::kHeld;
    explanation.because = std::move(*missing);
    return explanation;
  }
  const NodePlace place = PlaceNodes(subject, model.state(), subject.Wanted());
  if (place.HasRoom()) {
    explanation.verdict = Verdict::kHeld;
    explanation.because = RoomText(place) + ", but devices are given out only with a pod that uses it";
    explanation.place = place.place;
    return explanation;
  }
  ExplainWaiting(subject, place, true, now, explanation);
  return explanation;
}

}  // namespace kumiko::cli
