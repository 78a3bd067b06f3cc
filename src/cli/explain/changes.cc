#include "cli/explain/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "allocator/node_world.h"
#include "allocator/smallest_change.h"
#include "base/text.h"
#include "cel/expression_cache.h"

namespace kumiko::cli {
namespace {

using allocator::Change;
using Claims = std::vector<const api::ResourceClaim*>;

constexpr std::size_t kMostChanges = 5;
constexpr std::size_t kMostWaits = 3;
constexpr std::size_t kMostHolders = 64;
constexpr std::int64_t kMostSteps = 10'000;

std::size_t Requests(const Claims& claims) {
  std::size_t requests = 0;
  for (const auto* claim : claims) requests += claim->spec.devices.requests.size();
  return requests;
}

// Changes of one claim with one request need not name it.
std::string TextOf(std::span<const Change> changes, const Claims& claims) {
  std::string text = allocator::Text(changes);
  if (Requests(claims) > 1) return text;
  for (const auto* claim : claims) {
    for (const auto& request : claim->spec.devices.requests) {
      const std::string name = api::QualifiedName(claim->metadata);
      for (const std::string& where :
           {fmt::format(" (claim {}, request {})", name, request.name), fmt::format(" (claim {})", name)}) {
        for (std::size_t at = text.find(where); at != std::string::npos; at = text.find(where, at)) {
          text.erase(at, where.size());
        }
      }
    }
  }
  return text;
}

// `name` as a word of its own, replaced.
std::string Renamed(const std::string& expression, const std::string& name, const std::string& with) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::string out;
  for (std::size_t at = 0; at < expression.size();) {
    const std::size_t found = expression.find(name, at);
    if (found == std::string::npos) return out + expression.substr(at);
    const std::size_t end = found + name.size();
    const bool whole =
        (found == 0 || !in_word(expression[found - 1])) && (end == expression.size() || !in_word(expression[end]));
    out += expression.substr(at, found - at) + (whole ? with : name);
    at = end;
  }
  return out;
}

class Adviser {
 public:
  Adviser(const Subject& subject, const NodePlace& place, const Holders& holders)
      : subject_(subject),
        place_(place),
        holders_(holders),
        wanted_(subject.Wanted()),
        expressions_(std::make_shared<cel::ExpressionCache>()) {}

  Advice Take() { return std::move(advice_); }

  // Another name for an attribute that does not exist.
  void Rename() {
    std::set<std::string> tried;
    for (const NodeSituation& situation : place_.situations) {
      if (!situation.explanation) continue;
      for (const allocator::Rejection& row : situation.explanation->rows) {
        if (!row.selector || row.selector->near.empty() || !row.of_class) continue;
        if (!tried.insert(row.selector->attribute + row.selector->near).second) continue;
        const allocator::RelaxSelector edit{
            .of = {situation.explanation->claim, situation.explanation->request},
            .selector = row.selector->index,
            .expression = Renamed(row.selector->expression, row.selector->attribute, row.selector->near),
            .condition = row.selector->condition};
        const std::string text = fmt::format("{} → {}", row.selector->attribute, row.selector->near);
        for (const std::string& node : situation.nodes) {
          if (Works(node, {edit})) return Add(true, text, "starts now on " + node);
          if (tried.size() > 4) return;
          break;
        }
      }
    }
  }

  // As many as the nearest node has, instead of more than any has.
  void AskForFewer() {
    const NodeSituation* nearest = place_.Nearest();
    if (nearest == nullptr || !nearest->explanation || nearest->free == 0 || nearest->free >= nearest->needed) return;
    const allocator::Explanation& why = *nearest->explanation;
    if (why.wanted == 0) return;
    const auto count = static_cast<std::int64_t>(nearest->free);
    const auto instead_of = static_cast<std::int64_t>(why.wanted);
    if (Works(nearest->nodes.front(), {allocator::LowerCount{{why.claim, why.request}, count, instead_of}})) {
      Add(true, fmt::format("ask for {} instead of {}", count, instead_of), "starts now on " + nearest->nodes.front());
    }
  }

  // What the allocator finds; waiting is said by who has to end.
  void Smallest() {
    if (place_.nearest.empty()) return;
    const allocator::ChangeLimits limits{.max_trials = 200, .most_changes = 2};
    const auto proposal = allocator::SmallestChange(subject_.model->inventory(), subject_.model->state(), wanted_,
                                                    place_.nearest, limits);
    if (proposal.changes.empty()) return;
    for (const Change& change : proposal.changes) {
      if (std::holds_alternative<allocator::ReleaseDevices>(change)) return;
      if (std::holds_alternative<allocator::LowerCount>(change) && !advice_.changes.empty()) return;
    }
    const bool later = std::any_of(proposal.changes.begin(), proposal.changes.end(), [](const Change& change) {
      return std::holds_alternative<allocator::AddDevices>(change) ||
             std::holds_alternative<allocator::CompletePool>(change);
    });
    Add(true, TextOf(proposal.changes, wanted_), (later ? "starts then on " : "starts now on ") + proposal.node);
  }

  // Those that hold what is needed: any one of them, else all of a node.
  void Wait() {
    for (const std::string& node : place_.nearest) {
      const auto world = WorldOf(node);
      std::map<std::string, std::vector<allocator::DeviceId>> held;
      for (const auto& device : world.held) {
        const Holder* holder = holders_.Of(device.device);
        if (holder != nullptr) held[holder->name].push_back(device.device);
      }
      std::vector<std::string> helping;
      for (const auto& [name, devices] : held) {
        if (helping.size() == kMostWaits) break;
        if (Works(world, {allocator::ReleaseDevices{devices}})) helping.push_back(name);
      }
      if (!helping.empty()) return AddWait(helping, node, "or");
      const std::vector<std::string> needed = FewestOf(world, held);
      if (needed.empty()) continue;
      if (needed.size() <= kMostWaits) return AddWait(needed, node, "and");
      return Add(true, fmt::format("wait for {} holders on {} to end", needed.size(), node), "starts then");
    }
  }

  // Devices that are there and free but tainted.
  void Untaint() {
    for (const std::string& node : place_.nearest) {
      auto world = WorldOf(node);
      std::set<std::string> keys;
      for (api::ResourceSlice& slice : world.slices) {
        for (api::Device& device : slice.spec.devices) {
          for (const api::DeviceTaint& taint : device.taints) keys.insert(taint.key);
          device.taints.clear();
        }
      }
      for (const api::DeviceTaintRule& rule : world.taint_rules) keys.insert(rule.spec.taint.key);
      world.taint_rules.clear();
      if (keys.empty() || !Works(world, {})) continue;
      const std::vector<std::string> names(keys.begin(), keys.end());
      return Add(true, fmt::format("wait until taint {} is gone from {}", Join(names, ", "), node), "starts there");
    }
  }

  // Nodes that do not let the pod in, or are too small for the rest of it.
  void OpenNodes() {
    if (subject_.pod == nullptr) return;
    std::set<std::string> tried;
    for (const NodeSituation& situation : place_.situations) {
      if (!situation.refusal) continue;
      const localcluster::NodeRefusal& refusal = *situation.refusal;
      const std::string what = fmt::format("{}/{}", static_cast<int>(refusal.reason), refusal.key);
      if (tried.size() > 6 || !tried.insert(what).second) continue;
      TryOpening(refusal, situation.nodes.front());
    }
  }

  void NothingHelpsButHardware(bool could_ever) {
    if (could_ever || subject_.model->nodes().objects().empty()) return;
    Add(false, "wait for others to end", "does not help: it fits nowhere even with every device free");
  }

 private:
  void Add(bool helps, std::string text, std::string effect) {
    if (advice_.changes.size() < kMostChanges) {
      advice_.changes.push_back({.helps = helps, .text = std::move(text), .effect = std::move(effect)});
    }
  }

  void AddWait(const std::vector<std::string>& names, const std::string& node, std::string_view word) {
    std::string text = "wait for ";
    for (std::size_t i = 0; i < names.size(); ++i) {
      text += i == 0 ? "" : i + 1 == names.size() ? fmt::format(" {} ", word) : ", ";
      text += names[i];
    }
    for (const Holder& holder : holders_.all()) {
      if (std::find(names.begin(), names.end(), holder.name) != names.end()) advice_.wait_for.push_back(holder);
    }
    advice_.wait_on = node;
    advice_.wait_for_all = word == "and";
    Add(true, text + " to end", "starts then on " + node);
  }

  // Holders that have to end all of them; none when that does not help either. Not always the fewest, but none of them
  // can be left out.
  std::vector<std::string> FewestOf(const allocator::NodeWorld& world,
                                    const std::map<std::string, std::vector<allocator::DeviceId>>& held) const {
    std::set<std::string> names;
    for (const auto& [name, devices] : held) names.insert(name);
    const auto helps = [&](const std::set<std::string>& who) {
      std::vector<allocator::DeviceId> all;
      for (const std::string& name : who) all.insert(all.end(), held.at(name).begin(), held.at(name).end());
      return !all.empty() && Works(world, {allocator::ReleaseDevices{all}});
    };
    if (held.size() > kMostHolders || !helps(names)) return {};
    for (const auto& [name, devices] : held) {
      std::set<std::string> fewer = names;
      fewer.erase(name);
      if (helps(fewer)) names = std::move(fewer);
    }
    return {names.begin(), names.end()};
  }

  allocator::NodeWorld WorldOf(const std::string& node) const {
    return allocator::CopyNode(subject_.model->inventory(), subject_.model->state(), node, wanted_);
  }

  bool Works(allocator::NodeWorld world, const std::vector<Change>& changes) const {
    for (const Change& change : changes) allocator::Apply(change, world);
    const auto inventory = allocator::MakeInventory(world, expressions_);
    return allocator::Decide(*inventory, world, kMostSteps).kind == allocator::Outcome::Kind::kFits;
  }
  bool Works(const std::string& node, const std::vector<Change>& changes) const {
    return Works(WorldOf(node), changes);
  }

  // Lets the pod as a whole ask for what the node has left.
  static std::string AskHostForLess(const localcluster::NodeRefusal& refusal, api::Pod& pod) {
    const bool cpu = refusal.reason == localcluster::NodeRefusal::Reason::kCpu;
    const std::string name = cpu ? "cpu" : "memory";
    for (auto* containers : {&pod.spec.containers, &pod.spec.init_containers}) {
      for (api::Container& container : *containers) {
        container.resources.requests.erase(name);
        container.resources.limits.erase(name);
      }
    }
    const auto amount = Quantity::Parse(fmt::format("{}{}", refusal.left, cpu ? "m" : ""));
    if (!pod.spec.containers.empty() && amount) pod.spec.containers.front().resources.requests[name] = *amount;
    return fmt::format("ask for {} {} instead of {}", AmountText(refusal, refusal.left), name,
                       AmountText(refusal, refusal.needs));
  }

  void TryOpening(const localcluster::NodeRefusal& refusal, const std::string& node) {
    using Reason = localcluster::NodeRefusal::Reason;
    api::Pod changed = *subject_.pod;
    std::string text;
    switch (refusal.reason) {
      case Reason::kCordoned:
        changed.spec.tolerations.push_back({"node.kubernetes.io/unschedulable", "Exists", "", "", std::nullopt});
        text = "uncordon ";
        break;
      case Reason::kTaint:
        changed.spec.tolerations.push_back({refusal.key, "Exists", "", "", std::nullopt});
        text = "tolerate taint " + refusal.key + " of the node";
        break;
      case Reason::kLabel:
        changed.spec.node_selector.erase(refusal.key);
        text = fmt::format("drop {}={} from nodeSelector", refusal.key, refusal.value);
        break;
      case Reason::kAffinity:
        // A pod of a DaemonSet is made for that node.
        if (!localcluster::NamedNode(changed).empty()) return;
        changed.spec.affinity.node_affinity.required.reset();
        text = "drop the required node affinity";
        break;
      case Reason::kCpu:
      case Reason::kMemory:
        if (refusal.left <= 0) return;
        text = AskHostForLess(refusal, changed);
        break;
      case Reason::kPods:
        return;
    }
    Subject other = subject_;
    other.pod = &changed;
    const NodePlace place = PlaceNodes(other, subject_.model->state(), wanted_);
    if (!place.HasRoom()) return;
    const auto& nodes = place.Nearest()->nodes;
    const std::string& there = std::find(nodes.begin(), nodes.end(), node) != nodes.end() ? node : nodes.front();
    if (refusal.reason == Reason::kCordoned) text += there;
    Add(true, text, "starts now on " + there);
  }

  const Subject& subject_;
  const NodePlace& place_;
  const Holders& holders_;
  Claims wanted_;
  std::shared_ptr<cel::ExpressionCache> expressions_;
  Advice advice_;
};

}  // namespace

Advice Advise(const Subject& subject, const NodePlace& place, const Holders& holders, bool could_ever) {
  Adviser adviser(subject, place, holders);
  adviser.Rename();
  adviser.AskForFewer();
  adviser.Smallest();
  adviser.OpenNodes();
  if (could_ever) {
    adviser.Wait();
    adviser.Untaint();
  }
  adviser.NothingHelpsButHardware(could_ever);
  return adviser.Take();
}

}  // namespace kumiko::cli
