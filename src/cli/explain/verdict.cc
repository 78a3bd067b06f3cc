#include "cli/explain/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/explain/nearest_board.h"
#include "cli/explain/wording.h"
#include "gpu/layout.h"

namespace kumiko::cli {
namespace {

using localcluster::NodeRefusal;
using Reason = allocator::Rejection::Reason;
using report::Verdict;

// Boards are only looked at one by one where there are few.
constexpr std::size_t kFewNodes = 64;

std::string NumberWord(std::int64_t number) {
  static constexpr std::array<const char*, 9> kWords = {"no",   "one", "two",   "three", "four",
                                                        "five", "six", "seven", "eight"};
  return number >= 0 && static_cast<std::size_t>(number) < kWords.size() ? kWords[static_cast<std::size_t>(number)]
                                                                         : fmt::format("{}", number);
}

// The noun of what a situation's explanation asks for: "a free H100 GPU", "8 free H100 GPUs".
std::string Needed(const Subject& subject, const NodeSituation& situation, std::string_view free) {
  const auto wanted = subject.Wanted();
  const api::DeviceSubRequest* request =
      situation.explanation ? FindRequest(wanted, situation.explanation->claim, situation.explanation->request)
                            : nullptr;
  if (request == nullptr) return fmt::format("{}devices", free);
  if (situation.needed == 1) return fmt::format("a {}{}", free, NounFor(*request, false));
  return fmt::format("{} {}{}", situation.needed, free, NounFor(*request, true));
}

std::string HostText(const NodeRefusal& refusal) {
  const char* what = refusal.reason == NodeRefusal::Reason::kCpu ? "cpu" : "memory";
  if (refusal.reason == NodeRefusal::Reason::kPods) return "no node has room for another pod";
  return fmt::format("no node has {} {} for it; the nearest has {}", AmountText(refusal, refusal.needs), what,
                     AmountText(refusal, refusal.left));
}

// What the nodes as a whole refuse, from the row with most of them.
std::string ClosedText(const NodePlace& place) {
  const auto largest =
      std::max_element(place.place.rows.begin(), place.place.rows.end(),
                       [](const report::PlaceRow& a, const report::PlaceRow& b) { return a.count < b.count; });
  if (largest == place.place.rows.end()) return "there are no nodes";
  const auto others = place.place.total - largest->count;
  return fmt::format("none of {} is open to it: {}{}",
                     place.place.total == 1 ? "1 node" : fmt::format("{} nodes", place.place.total), largest->text,
                     others == 0 ? "" : fmt::format(" on {}", largest->count));
}

// How many slots side by side a part needs that has enough of them on its board, but not so; 0 when that is not it.
int WidthOf(const Subject& subject, const NodeSituation& situation) {
  for (const allocator::Rejection& row : situation.explanation->rows) {
    if (row.reason != Reason::kNoSlot || row.names.empty()) continue;
    for (const auto& [key, slice] : subject.model->slices()) {
      if (slice->spec.driver != row.names.front().driver || slice->spec.pool.name != row.names.front().pool) continue;
      for (const api::Device& device : slice->spec.devices) {
        const auto slots = device.name == row.names.front().device ? gpu::SlotsOf(device) : std::nullopt;
        if (slots) return slots->size;
      }
    }
  }
  return 0;
}

std::string WideSlots(const Subject& subject, const NodePlace& place, const NodeSituation& nearest,
                      const Holders& holders) {
  std::vector<std::string> nodes;
  for (const NodeSituation& situation : place.situations) {
    if (situation.explanation) nodes.insert(nodes.end(), situation.nodes.begin(), situation.nodes.end());
  }
  const int width = nodes.size() > kFewNodes ? 0 : WidthOf(subject, nearest);
  if (width == 0) return "";
  const SlotCount slots = CountSlots(*subject.model, nodes, holders);
  return fmt::format("{} of {} slots are free, but nowhere {} side by side, as {} needs", slots.free, slots.total,
                     NumberWord(width), Needed(subject, nearest, ""));
}

std::string RoomText(const Subject& subject, const NodePlace& place, const Holders& holders) {
  const NodeSituation* nearest = place.Nearest();
  if (nearest == nullptr) return "there are no nodes";
  if (nearest->stage == Stage::kHost) return HostText(*nearest->refusal);
  if (!nearest->explanation) return ClosedText(place);
  if (nearest->stage == Stage::kTaken && nearest->needed == 1) {
    std::string slots = WideSlots(subject, place, *nearest, holders);
    if (!slots.empty()) return slots;
  }
  if (nearest->stage == Stage::kTogether) {
    return fmt::format("no node has room for all its requests together: {}",
                       place.place.rows.empty() ? "" : place.place.rows.back().text);
  }
  const std::string lacks = fmt::format("no node has {}", Needed(subject, *nearest, "free "));
  std::size_t most = 0;
  for (const NodeSituation& situation : place.situations) most = std::max(most, situation.free);
  return nearest->needed == 1 ? lacks : fmt::format("{}; the nearest has {}", lacks, most);
}

// Of a situation in a cluster that is empty and open.
Judgement Never(const Subject& subject, const NodePlace& ever) {
  const NodeSituation* nearest = ever.Nearest();
  if (nearest == nullptr) return {Verdict::kNeverInCluster, "it has no nodes"};
  if (nearest->stage == Stage::kLabel && nearest->refusal->reason == NodeRefusal::Reason::kAffinity) {
    return {Verdict::kNeverAsWritten, "no node matches its node affinity"};
  }
  if (nearest->stage == Stage::kLabel) {
    return {Verdict::kNeverAsWritten,
            fmt::format("no node has the label {}={}", nearest->refusal->key, nearest->refusal->value)};
  }
  if (nearest->stage == Stage::kHost) return {Verdict::kNeverInCluster, HostText(*nearest->refusal)};
  if (!nearest->explanation) return {Verdict::kNeverInCluster, ClosedText(ever)};
  const allocator::Explanation& why = *nearest->explanation;
  if (!why.rows.empty() && why.rows.front().reason == Reason::kClassMissing) {
    return {Verdict::kNeverAsWritten, why.rows.front().detail};
  }
  if (nearest->stage == Stage::kSelector && nearest->free == 0) return {Verdict::kNeverAsWritten, ""};
  if (nearest->stage == Stage::kNoDevices && nearest->free == 0 && nearest->needed == 1) {
    return {Verdict::kNeverInCluster, why.devices == 0
                                          ? "no node publishes a device"
                                          : fmt::format("no node publishes a device of class {}", why.device_class)};
  }
  if (nearest->needed > 1 && nearest->stage <= Stage::kTaken) {
    return {Verdict::kNeverInCluster, fmt::format("it needs {} on one node, and no node has more than {}",
                                                  Needed(subject, *nearest, ""), nearest->free)};
  }
  return {Verdict::kNeverInCluster,
          "no node serves it with every device free: " + (ever.place.rows.empty() ? "" : ever.place.rows.back().text)};
}

// Which of its selectors no device passes, over all nodes.
std::string SelectorText(const Subject& subject, const allocator::State& empty,
                         const std::vector<const api::ResourceClaim*>& wanted, const NodePlace& ever) {
  std::vector<std::string> nodes;
  for (const NodeSituation& situation : ever.situations) {
    if (situation.explanation) nodes.insert(nodes.end(), situation.nodes.begin(), situation.nodes.end());
  }
  std::sort(nodes.begin(), nodes.end());
  const auto why = allocator::Explain(subject.model->inventory(), empty, wanted, nodes);
  const allocator::Rejection* most = nullptr;
  bool all_missing = true;
  std::size_t counted = 0;
  for (const allocator::Rejection& row : why.rows) {
    if (StageOf(row) != Stage::kSelector) continue;
    all_missing = all_missing && row.reason == Reason::kAttributeMissing;
    counted += row.devices;
    if (most == nullptr || row.devices > most->devices) most = &row;
  }
  if (most == nullptr) return "no device passes its selectors";
  const std::string none = fmt::format("its selector is true for none of {} devices", counted);
  if (all_missing) return none + ", because no device has the attribute it reads";
  return fmt::format("{}: {}{}", none, most->detail,
                     most->devices == counted ? "" : fmt::format(" on {} of them", most->devices));
}

}  // namespace

Judgement Judge(const Subject& subject, const NodePlace& place, const Holders& holders) {
  // The same in a cluster where nothing runs, and where taints and cordons keep nobody off.
  std::vector<api::ResourceClaim> tolerant;
  for (const auto* claim : subject.Wanted()) {
    tolerant.push_back(*claim);
    for (api::DeviceRequest& request : tolerant.back().spec.devices.requests) {
      const api::DeviceToleration all{
          .key = "", .operator_ = "Exists", .value = "", .effect = "", .toleration_seconds = std::nullopt};
      if (request.exactly) request.exactly->tolerations.push_back(all);
      for (api::DeviceSubRequest& sub : request.first_available) sub.tolerations.push_back(all);
    }
  }
  std::vector<const api::ResourceClaim*> wanted;
  for (const api::ResourceClaim& claim : tolerant) wanted.push_back(&claim);
  Subject other = subject;
  api::Pod pod;
  if (subject.pod != nullptr) {
    pod = *subject.pod;
    pod.spec.tolerations.push_back({"", "Exists", "", "", std::nullopt});
    other.pod = &pod;
  }
  const allocator::State empty(subject.model->inventory());
  const NodePlace ever = PlaceNodes(other, empty, wanted, false);
  if (ever.HasRoom()) return {Verdict::kWaitingForRoom, RoomText(subject, place, holders)};
  Judgement never = Never(subject, ever);
  if (never.because.empty()) never.because = SelectorText(subject, empty, wanted, ever);
  return never;
}

}  // namespace kumiko::cli
