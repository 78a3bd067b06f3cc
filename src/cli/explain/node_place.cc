#include "cli/explain/node_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "report/text.h"

namespace kumiko::cli {
namespace {

using localcluster::NodeRefusal;
using localcluster::NodeUse;

constexpr std::size_t kNearestNodes = 4;

std::string_view CodeOf(NodeRefusal::Reason reason) {
  switch (reason) {
    case NodeRefusal::Reason::kCordoned:
      return "Cordoned";
    case NodeRefusal::Reason::kTaint:
      return "NodeTaint";
    case NodeRefusal::Reason::kLabel:
      return "NodeLabel";
    case NodeRefusal::Reason::kAffinity:
      return "NodeAffinity";
    case NodeRefusal::Reason::kPods:
    case NodeRefusal::Reason::kCpu:
    case NodeRefusal::Reason::kMemory:
      return "Host";
  }
  return "";
}

std::string Left(const NodeRefusal& least, const NodeRefusal& most) {
  const std::string low = AmountText(least, least.left);
  const std::string high = AmountText(most, most.left);
  return low == high ? low : low + " to " + high;
}

// `least` and `most` are equal but for what is left.
std::string TextOf(const NodeRefusal& least, const NodeRefusal& most) {
  switch (least.reason) {
    case NodeRefusal::Reason::kCordoned:
      return "cordoned";
    case NodeRefusal::Reason::kTaint:
      return fmt::format("taint {}{} not tolerated", least.key, least.value.empty() ? "" : "=" + least.value);
    case NodeRefusal::Reason::kLabel:
      return least.is ? fmt::format("label {} is {}, needs {}", least.key, *least.is, least.value)
                      : fmt::format("label {} does not exist, needs {}", least.key, least.value);
    case NodeRefusal::Reason::kAffinity:
      return "does not match the pod's node affinity";
    case NodeRefusal::Reason::kPods:
      return "no room for another pod";
    case NodeRefusal::Reason::kCpu:
    case NodeRefusal::Reason::kMemory:
      return fmt::format("too little {}: {} left, needs {}",
                         least.reason == NodeRefusal::Reason::kCpu ? "cpu" : "memory", Left(least, most),
                         AmountText(least, least.needs));
  }
  return "";
}

// A row in the making.
struct Row {
  report::PlaceRow row;
  std::size_t free = 0;
  std::optional<NodeRefusal> least;
  std::optional<NodeRefusal> most;
  bool devices_free = false;
  std::string noun;
};
using RowKey = std::tuple<Stage, std::size_t, std::string, std::string>;  // stage, free devices, code, what

class Partition {
 public:
  Partition(const Subject& subject, const std::vector<const api::ResourceClaim*>& wanted)
      : subject_(subject), wanted_(wanted) {
    for (const auto* claim : wanted) requests_ += claim->spec.devices.requests.size();
  }

  void Refused(const std::string& node, Stage stage, const NodeRefusal& refusal, const DeviceStage* devices) {
    NodeRefusal what = refusal;
    what.left = 0;
    const std::string key = what.key + "=" + what.value + (what.is ? "/" + *what.is : "") + (devices ? "" : "+") +
                            std::to_string(static_cast<int>(what.reason));
    Row& row = rows_[{stage, 0, std::string(CodeOf(refusal.reason)), key}];
    if (!row.least || refusal.left < row.least->left) row.least = refusal;
    if (!row.most || refusal.left > row.most->left) row.most = refusal;
    row.devices_free = stage == Stage::kHost && devices == nullptr && !wanted_.empty();
    Count(row, node, CodeOf(refusal.reason));
    situations_.push_back({.nodes = {node}, .stage = stage, .refusal = refusal, .explanation = {}});
  }

  void OutOfReach(const std::string& node, const std::string& claim) {
    Row& row = rows_[{Stage::kReach, 0, "Reach", claim}];
    row.row.text = fmt::format("the devices of claim {} are not there", claim);
    Count(row, node, "Reach");
    situations_.push_back({.nodes = {node}, .stage = Stage::kReach, .refusal = {}, .explanation = {}});
  }

  void Devices(const std::string& node, const DeviceStage& stage, const std::string& request) {
    const std::string text = stage.text + (requests_ > 1 && !request.empty() ? " (request " + request + ")" : "");
    Row& row = rows_[{stage.stage, stage.free, stage.code, text}];
    row.row.text = text;
    Count(row, node, stage.code);
  }

  void Room(const std::string& node) {
    Row& row = rows_[{Stage::kRoom, 0, std::string(report::kRoomCode), ""}];
    row.row.text = "room for it now";
    Count(row, node, report::kRoomCode);
  }

  void Situation(NodeSituation situation) { situations_.push_back(std::move(situation)); }

  NodePlace Finish(std::size_t nodes) {
    NodePlace result;
    result.place.unit = "node";
    result.place.total = nodes;
    for (auto& [key, row] : rows_) {
      if (row.least) row.row.text = TextOf(*row.least, *row.most);
      if (row.devices_free) row.row.text += ", although devices are free";
      result.place.rows.push_back(std::move(row.row));
    }
    std::stable_sort(situations_.begin(), situations_.end(), [](const NodeSituation& a, const NodeSituation& b) {
      return std::tie(a.stage, a.free) > std::tie(b.stage, b.free);
    });
    result.situations = std::move(situations_);
    for (const NodeSituation& situation : result.situations) {
      if (!situation.explanation) continue;
      for (const std::string& node : situation.nodes) {
        if (result.nearest.size() < kNearestNodes) result.nearest.push_back(node);
      }
    }
    return result;
  }

  const Subject& subject() const { return subject_; }

 private:
  static void Count(Row& row, const std::string& node, std::string_view code) {
    ++row.row.count;
    row.row.code = code;
    row.row.names.push_back(node);
  }

  const Subject& subject_;
  const std::vector<const api::ResourceClaim*>& wanted_;
  std::size_t requests_ = 0;
  std::map<RowKey, Row> rows_;
  std::vector<NodeSituation> situations_;
};

// The claim of the pod whose devices the node cannot reach; null when it reaches all.
const api::ResourceClaim* OutOfReach(const Subject& subject, const std::string& name, const api::Node& node) {
  for (const auto& claim : subject.claims) {
    if (!claim->status.allocation || !claim->status.allocation->node_selector) continue;
    if (!api::Matches(*claim->status.allocation->node_selector, name, node.metadata.labels).value_or(false)) {
      return claim.get();
    }
  }
  return nullptr;
}

// Counts the nodes that let the pod in under what is against their devices, else against their host.
void CountOpen(const std::vector<std::string>& open, const allocator::State& state,
               const std::vector<const api::ResourceClaim*>& wanted, bool beside_pods, Partition& rows) {
  const Subject& subject = rows.subject();
  const auto full = [&](const std::string& name) -> std::optional<NodeRefusal> {
    const auto node = subject.model->nodes().Find("", name);
    if (subject.pod == nullptr || node == nullptr) return std::nullopt;
    return localcluster::WhyFull(*subject.pod, *node, beside_pods ? subject.model->uses().Of(name) : NodeUse());
  };
  for (auto& entry :
       allocator::ExplainEach(subject.model->inventory(), state, wanted, open, allocator::DeviceNames::kListed)) {
    std::optional<DeviceStage> devices;
    if (!entry.fits) devices = StageOf(entry.explanation, NounOf(entry.explanation.device_class));
    // Names of devices are those of the first node.
    NodeSituation situation;
    for (const std::string& name : entry.nodes) {
      if (!devices || devices->stage > Stage::kHost) {
        if (const auto refusal = full(name)) {
          rows.Refused(name, Stage::kHost, *refusal, devices ? &*devices : nullptr);
          continue;
        }
      }
      situation.nodes.push_back(name);
      devices ? rows.Devices(name, *devices, entry.explanation.request) : rows.Room(name);
    }
    if (situation.nodes.empty()) continue;
    situation.stage = devices ? devices->stage : Stage::kRoom;
    if (devices) {
      situation.free = devices->free;
      situation.needed = devices->needed;
      situation.explanation = std::move(entry.explanation);
    }
    rows.Situation(std::move(situation));
  }
}

}  // namespace

std::string AmountText(const NodeRefusal& refusal, std::int64_t amount) {
  switch (refusal.reason) {
    case NodeRefusal::Reason::kCpu:
      return amount % 1000 == 0 ? std::to_string(amount / 1000) : fmt::format("{}m", amount);
    case NodeRefusal::Reason::kMemory:
      return amount == 0 ? "0" : report::BinarySize(amount);
    case NodeRefusal::Reason::kCordoned:
    case NodeRefusal::Reason::kTaint:
    case NodeRefusal::Reason::kLabel:
    case NodeRefusal::Reason::kAffinity:
    case NodeRefusal::Reason::kPods:
      break;
  }
  return std::to_string(amount);
}

NodePlace PlaceNodes(const Subject& subject, const allocator::State& state,
                     const std::vector<const api::ResourceClaim*>& wanted, bool beside_pods) {
  Partition rows(subject, wanted);
  std::vector<std::string> open;
  for (const auto& [key, node] : subject.model->nodes().objects()) {
    std::optional<NodeRefusal> closed;
    if (subject.pod != nullptr) closed = localcluster::WhyClosed(*subject.pod, *node);
    if (closed) {
      const bool by_label =
          closed->reason == NodeRefusal::Reason::kLabel || closed->reason == NodeRefusal::Reason::kAffinity;
      rows.Refused(key.name, by_label ? Stage::kLabel : Stage::kClosed, *closed, nullptr);
    } else if (const api::ResourceClaim* claim = OutOfReach(subject, key.name, *node)) {
      rows.OutOfReach(key.name, claim->metadata.name);
    } else {
      open.push_back(key.name);
    }
  }
  CountOpen(open, state, wanted, beside_pods, rows);
  return rows.Finish(subject.model->nodes().objects().size());
}

}  // namespace kumiko::cli
