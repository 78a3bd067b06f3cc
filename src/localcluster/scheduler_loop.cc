#include "localcluster/scheduler_loop.h"

#include <fmt/core.h>

#include <algorithm>
#include <compare>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "allocator/explain.h"
#include "allocator/smallest_change.h"
#include "api/resource/types.h"
#include "base/random.h"
#include "kube/retry.h"
#include "kube/typed.h"
#include "localcluster/binding.h"
#include "localcluster/cluster_model.h"
#include "localcluster/controllers/step_result.h"
#include "localcluster/pod_claims.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

using kube::Subresource;
using PodPointer = std::shared_ptr<const api::Pod>;

constexpr std::size_t kMaxMessage = 256;

constexpr EventSource kSource{"default-scheduler"};

std::string Shortened(std::string text) {
  if (text.size() <= kMaxMessage) return text;
  std::size_t end = kMaxMessage - 3;
  // Not inside a UTF-8 character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

// How much of a board claims need: memory first, then compute units.
struct Size {
  std::int64_t memory = 0;
  std::int64_t compute = 0;
  auto operator<=>(const Size&) const = default;
};

std::int64_t CapacityOf(const allocator::DeviceRef& device, std::string_view name) {
  for (const auto& capacity : device.capacities()) {
    if (capacity.name == name) return capacity.value.Value();
  }
  return 0;
}

void AddFinalizer(Json& claim) {
  Json& list = claim.at("metadata").as_object()["finalizers"];
  if (!list.is_array()) list = JsonArray();
  list.get_array().push_back(Json(api::kClaimFinalizer));
}

}  // namespace

struct SchedulerLoop::Impl {
  Impl(Store& objects, kube::ApiClient& client, const Clock& time, EventRecorder& recorder, SchedulerOptions given)
      : store(objects),
        api(client),
        clock(time),
        events(recorder),
        options(std::move(given)),
        random(options.seed),
        model(client, allocator::DefaultFeatures(allocator::kNewestRelease), ClusterModel::Slices::kInInventory) {}

  // Takes in every change; `freed` rises when something may fit that did not.
  Result<bool> Sync() {
    KU_TRY(const ClusterModel::Changes changes, model.Sync());
    if (changes.published || changes.freed) ++freed;
    if (changes.published) sizes.clear();
    for (const kube::ObjectKey& key : changes.pods) {
      const auto pod = model.pods().objects().find(key);
      if (pod == model.pods().objects().end() || !IsWaiting(*pod->second)) {
        waiting.erase(key);
      } else {
        waiting.emplace(key, "");
      }
    }
    return changes.any;
  }

  static bool IsWaiting(const api::Pod& pod) {
    return pod.spec.node_name.empty() && !pod.metadata.deletion_timestamp && !api::IsFinished(pod);
  }

  // What the claims of a pod would take on an empty cluster. Equal claims share the answer.
  Size SizeOf(const api::Pod& pod) {
    const PodClaims found = FindClaims(pod, model);
    std::string text;
    std::vector<const api::ResourceClaim*> wanted;
    for (const auto& claim : found.claims) {
      if (claim->status.allocation) continue;
      wanted.push_back(claim.get());
      api::ResourceClaim bare;
      bare.spec = claim->spec;
      text += WriteJson(api::Encode(bare));
    }
    if (wanted.empty()) return {};
    const auto known = sizes.find(text);
    if (known != sizes.end()) return known->second;
    allocator::State empty(model.inventory());
    const allocator::Placement placement =
        allocator::Place(model.inventory(), empty, wanted, model.inventory().NodeNames(), AllocatorOptions());
    Size size;
    for (const api::AllocationResult& result : placement.results) {
      for (const api::DeviceRequestAllocationResult& device : result.devices.results) {
        const allocator::DeviceRef published =
            model.inventory().FindDevice({device.driver, device.pool, device.device});
        if (published.slice == nullptr) continue;
        size.memory += CapacityOf(published, "memory");
        size.compute += CapacityOf(published, "multiprocessors");
      }
    }
    sizes[text] = size;
    return size;
  }

  allocator::Options AllocatorOptions() const {
    allocator::Options result;
    result.policy = options.policy;
    if (options.demand.declared()) result.demand = &options.demand;
    return result;
  }

  // The waiting pods in the order in which they are tried.
  std::vector<PodPointer> Queue() {
    struct Entry {
      PodPointer pod;
      Size size;
    };
    std::vector<Entry> entries;
    const bool by_size = options.policy == allocator::Policy::kPacked;
    for (const auto& [key, tried] : waiting) {
      const PodPointer& pod = model.pods().objects().at(key);
      entries.push_back({pod, by_size ? SizeOf(*pod) : Size()});
    }
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      if (a.pod->metadata.creation_timestamp != b.pod->metadata.creation_timestamp) {
        return a.pod->metadata.creation_timestamp < b.pod->metadata.creation_timestamp;
      }
      return a.size > b.size;
    });
    std::vector<PodPointer> queue;
    for (Entry& entry : entries) queue.push_back(std::move(entry.pod));
    return queue;
  }

  // Changes whenever a pod that did not fit may fit.
  std::string Situation(const PodClaims& found) const {
    std::string text = std::to_string(freed) + "/" + found.reason;
    for (const auto& claim : found.claims) {
      text += "/" + claim->metadata.uid + (claim->status.allocation ? "+" : "-");
    }
    return text;
  }

  void Try(const PodPointer& pod, StepResult& result) {
    const PodClaims found = FindClaims(*pod, model);
    if (found.state == PodClaims::State::kWaiting) return;
    const std::string situation = Situation(found);
    std::string& tried = waiting[kube::KeyOf(*pod)];
    if (tried == situation) return;
    tried = situation;
    if (found.state == PodClaims::State::kBlocked) {
      Refuse(*pod, found.reason, result);
      return;
    }

    std::vector<const api::ResourceClaim*> wanted;
    for (const auto& claim : found.claims) {
      if (!claim->status.allocation) wanted.push_back(claim.get());
    }
    std::string why_no_node;
    const std::vector<std::string> candidates = Candidates(*pod, found, why_no_node);
    if (candidates.empty()) {
      Refuse(*pod, why_no_node, result);
      return;
    }
    allocator::Placement placement;
    placement.kind = allocator::Outcome::Kind::kFits;
    placement.node = candidates.front();
    if (!wanted.empty()) placement = Place(wanted, candidates);
    switch (placement.kind) {
      case allocator::Outcome::Kind::kFits:
        Bind(*pod, found, std::move(placement), result);
        return;
      case allocator::Outcome::Kind::kDoesNotFit: {
        Refuse(*pod, WhyNowhere(wanted, candidates), result);
        return;
      }
      case allocator::Outcome::Kind::kNodeError:
      case allocator::Outcome::Kind::kFatal: {
        // A selector that fails on devices is a reason like any other, said per device; what else is wrong with the
        // input stands in the error.
        using Reason = allocator::Rejection::Reason;
        const allocator::Explanation explanation =
            allocator::Explain(model.inventory(), model.state(), wanted, candidates);
        const bool by_selector =
            std::any_of(explanation.rows.begin(), explanation.rows.end(), [](const allocator::Rejection& row) {
              return row.reason == Reason::kAttributeMissing || row.reason == Reason::kSelectorError;
            });
        Refuse(*pod, by_selector ? allocator::Text(explanation) : placement.error, result);
        return;
      }
    }
  }

  // Why the claims fit on none of the candidates. Where waiting cannot help, also what does.
  std::string WhyNowhere(const std::vector<const api::ResourceClaim*>& wanted,
                         const std::vector<std::string>& candidates) const {
    const allocator::Explanation explanation = allocator::Explain(model.inventory(), model.state(), wanted, candidates);
    std::string why = allocator::Text(explanation);
    if (allocator::MayPass(explanation)) return why;
    // One change, looked for in a few milliseconds: the loop does not stop for more.
    const allocator::ChangeLimits limits{.max_trials = 40, .most_changes = 1};
    const allocator::Proposal proposal =
        allocator::SmallestChange(model.inventory(), model.state(), wanted, explanation.nearest_nodes, limits);
    if (proposal.changes.empty()) return why;
    const std::string helps = "; to fit: " + allocator::Text(proposal.changes);
    return why.size() + helps.size() <= allocator::kMaxExplanationText ? why + helps : why;
  }

  // Where every node is a candidate, the allocator need not go through them.
  allocator::Placement Place(const std::vector<const api::ResourceClaim*>& wanted,
                             const std::vector<std::string>& candidates) {
    if (candidates.size() == model.nodes().objects().size() && candidates == model.inventory().NodeNames()) {
      return allocator::Place(model.inventory(), model.state(), wanted, AllocatorOptions());
    }
    return allocator::Place(model.inventory(), model.state(), wanted, candidates, AllocatorOptions());
  }

  // In name order.
  std::vector<std::string> Candidates(const api::Pod& pod, const PodClaims& found, std::string& why) const {
    std::vector<std::string> candidates;
    std::map<std::string, int> refused;
    const auto& nodes = model.nodes().objects();
    const std::string only = NamedNode(pod);
    const auto named = only.empty() ? nodes.end() : nodes.find({api::Node::kKind, "", only});
    const bool is_known = named != nodes.end();
    for (auto at = is_known ? named : nodes.begin(); at != nodes.end(); at = is_known ? nodes.end() : std::next(at)) {
      const auto& [key, node] = *at;
      std::optional<std::string> reason;
      if (const auto refusal = WhyNot(pod, *node, model.uses().Of(key.name))) reason = Text(*refusal);
      for (const auto& claim : found.claims) {
        if (reason || !claim->status.allocation || !claim->status.allocation->node_selector) continue;
        const Result<bool> matches =
            api::Matches(*claim->status.allocation->node_selector, key.name, node->metadata.labels);
        if (!matches.value_or(false)) {
          reason = fmt::format("cannot reach the devices of claim {}", claim->metadata.name);
        }
      }
      if (reason) {
        ++refused[*reason];
      } else {
        candidates.push_back(key.name);
      }
    }
    if (!candidates.empty()) return candidates;
    if (is_known && nodes.size() > 1) {
      refused[Text({.reason = NodeRefusal::Reason::kAffinity})] += static_cast<int>(nodes.size()) - 1;
    }
    why = nodes.empty() ? "no nodes available to schedule pods"
                        : fmt::format("none of {} nodes is open to the pod", nodes.size());
    std::string separator = ": ";
    for (const auto& [reason, count] : refused) {
      why += separator + std::to_string(count) + " " + reason;
      separator = "; ";
    }
    return candidates;
  }

  void Refuse(const api::Pod& pod, const std::string& reason, StepResult& result) {
    bool wrote = false;
    const auto written = kube::UpdateWithRetry(api, kube::KeyOf(pod), Subresource::kStatus, [&](Json& object) {
      wrote = SetPodCondition(object, {"PodScheduled", "False", "Unschedulable", Shortened(reason), std::nullopt},
                              clock.Now());
      return Result<bool>(wrote);
    });
    if (!written || wrote) result.Note(written);
    if (wrote) events.Warning(kSource, SubjectOf(pod), "FailedScheduling", reason);
  }

  void Bind(const api::Pod& pod, const PodClaims& found, allocator::Placement placement, StepResult& result) {
    std::size_t next = 0;
    for (const auto& claim : found.claims) {
      const api::AllocationResult* allocation = nullptr;
      if (!claim->status.allocation) allocation = &placement.results[next++];
      const Status reserved = Reserve(pod, *claim, allocation);
      if (!reserved) {
        waiting[kube::KeyOf(pod)].clear();
        if (reserved.error().Retryable() || reserved.error().code == Code::kNotFound) {
          result.Note(reserved);
        } else {
          Refuse(pod, reserved.error().message, result);
        }
        return;
      }
    }
    const auto bound = BindPod(store, {kube::KeyOf(pod), pod.metadata.uid, placement.node}, clock.Now());
    if (!result.Note(bound ? Status() : tl::unexpected<Error>(kube::ToError(bound.error())))) return;
    events.Normal(
        kSource, SubjectOf(pod), "Scheduled",
        fmt::format("Successfully assigned {}/{} to {}", pod.metadata.namespace_, pod.metadata.name, placement.node));
  }

  // The finalizer first, then allocation and consumer in one status write, as the reference does: no moment has an
  // allocation without its protection.
  Status Reserve(const api::Pod& pod, const api::ResourceClaim& claim, const api::AllocationResult* allocation) {
    const kube::ObjectKey key = kube::KeyOf(claim);
    if (allocation != nullptr) {
      KU_TRY_OK(kube::UpdateWithRetry(api, key, Subresource::kNone, [&](Json& object) -> Result<bool> {
        const auto& finalizers = claim.metadata.finalizers;
        if (std::find(finalizers.begin(), finalizers.end(), api::kClaimFinalizer) != finalizers.end()) return false;
        AddFinalizer(object);
        return true;
      }));
    }
    KU_TRY_OK(kube::UpdateWithRetry(api, key, Subresource::kStatus, [&](Json& object) -> Result<bool> {
      JsonObject& status = StatusOf(object);
      if (allocation != nullptr) {
        if (FindPath(object, {"status", "allocation"}) != nullptr) {
          return Fail(Code::kConflict, "claim {} was allocated by someone else", key.name);
        }
        status["allocation"] = AllocationTree(*allocation);
      }
      Json& list = status["reservedFor"];
      if (!list.is_array()) list = JsonArray();
      for (const Json& consumer : list.get_array()) {
        if (StringAt(consumer, {"uid"}) == pod.metadata.uid) return allocation != nullptr;
      }
      list.get_array().push_back(
          JsonObject{{"resource", "pods"}, {"name", pod.metadata.name}, {"uid", pod.metadata.uid}});
      return true;
    }));
    return {};
  }

  Json AllocationTree(const api::AllocationResult& allocation) {
    api::ResourceClaim carrier;
    carrier.status.allocation = allocation;
    for (api::DeviceRequestAllocationResult& device : carrier.status.allocation->devices.results) {
      if (device.share_id) device.share_id = RandomUuid(random);
    }
    const Json tree = api::Encode(carrier);
    const Json* found = FindPath(tree, {"status", "allocation"});
    return found == nullptr ? Json(JsonObject()) : *found;
  }

  Store& store;
  kube::ApiClient& api;
  const Clock& clock;
  EventRecorder& events;
  SchedulerOptions options;
  Random random;
  ClusterModel model;
  std::map<kube::ObjectKey, std::string> waiting;  // with the situation in which the pod was last tried
  std::map<std::string, Size> sizes;
  std::uint64_t freed = 1;
  bool again = false;
};

SchedulerLoop::SchedulerLoop(Store& store, kube::ApiClient& api, const Clock& clock, EventRecorder& events,
                             SchedulerOptions options)
    : impl_(std::make_unique<Impl>(store, api, clock, events, std::move(options))) {}
SchedulerLoop::~SchedulerLoop() = default;

Result<bool> SchedulerLoop::Step() {
  Impl& impl = *impl_;
  KU_TRY(const bool any, impl.Sync());
  if (!any && !impl.again) return false;
  StepResult result("scheduler");
  for (const PodPointer& pod : impl.Queue()) {
    impl.Try(pod, result);
    // What was just written counts for the next pod.
    KU_TRY_OK(impl.Sync());
  }
  impl.again = result.again();
  return result.changed();
}

const allocator::Inventory& SchedulerLoop::inventory() const {
  return impl_->model.inventory();
}
const allocator::State& SchedulerLoop::allocations() const {
  return impl_->model.state();
}

}  // namespace kumiko::localcluster
