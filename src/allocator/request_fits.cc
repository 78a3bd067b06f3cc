#include "allocator/request_fits.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "allocator/device_match.h"
#include "base/check.h"

namespace kumiko::allocator {
namespace {

constexpr std::size_t kMaxRequests = 4096;

void Append(std::string& text, std::string_view part) {
  const auto size = part.size();
  text.append(reinterpret_cast<const char*>(&size), sizeof(size));
  text += part;
}

enum class Suits { kNo, kYes, kError };

// What a search would find of this device before it looks at what is taken (Search::Usable).
Suits Ask(const Inventory& inventory, const AlternativePlan& alternative, const NodeView& view, std::uint32_t device) {
  const auto& features = inventory.features();
  const auto& entry = view.layout->devices[device];
  const auto ref = view.Device(device);
  const auto* extras = ref.shape().ExtrasOf(ref.device());
  if (extras && !extras->binding_conditions.empty() && !features.device_binding_and_status) return Suits::kNo;
  switch (MatchSelectors(inventory, alternative, ref).kind) {
    case Verdict::Kind::kFalse:
      return Suits::kNo;
    case Verdict::Kind::kError:
      return Suits::kError;
    case Verdict::Kind::kTrue:
      break;
  }
  const auto& request = alternative.request->capacity;
  if (features.consumable_capacity && (entry.has_capacity || request)) {
    const auto take = TakeOf(ref.capacities(), request ? &*request : nullptr, features);
    if (!take) return Suits::kError;
    if (!take->possible || !FitsCapacity(ref.capacities(), take->amounts, {})) return Suits::kNo;
  }
  if (entry.skips_node_operations && !(features.optional_node_operations && view.optional_node_operations)) {
    return Suits::kNo;
  }
  if (entry.tainted && features.device_taints && UntoleratedTaint(alternative, view, device)) return Suits::kNo;
  return Suits::kYes;
}

}  // namespace

KindFit::KindFit(const Inventory& inventory, const AlternativePlan& alternative, const NodeView& view,
                 const NodeLayout::Board& board, const BoardModel& model)
    : shape_(model.shape) {
  std::vector<std::uint32_t> suitable(shape_->types().size(), 0);
  for (std::size_t place = 0; place < board.devices.size(); ++place) {
    const auto suits = Ask(inventory, alternative, view, board.devices[place]);
    errs_ = errs_ || suits == Suits::kError;
    suits_.push_back(suits == Suits::kYes ? 1 : 0);
    suitable[model.types[place]] += suits_.back();
  }
  for (std::uint32_t t = 0; t < suitable.size(); ++t) {
    if (suitable[t] == 0) continue;
    types_.push_back(t);
    exact_ = exact_ && suitable[t] == shape_->types()[t].count;
  }
}

void KindFit::Extend(BoardShape::State state) const {
  while (most_.size() <= state) {
    const auto next = static_cast<BoardShape::State>(most_.size());
    const auto children = shape_->ChildrenOf(next);
    std::uint32_t most = 0;
    const auto begin = ways_.size();
    for (const auto type : types_) {
      const auto child = children[type];
      if (child == BoardShape::kNoState) continue;
      // What remains of a state has a smaller number.
      KU_CHECK(child < next) << "state " << child << " after " << next;
      most = std::max(most, 1 + most_[child]);
      ways_.push_back({.share_ppm = shape_->SharePpm(shape_->types()[type]),
                       .merged_child = shape_->MergedOf(child),
                       .type = type});
    }
    std::stable_sort(ways_.begin() + static_cast<std::ptrdiff_t>(begin), ways_.end(),
                     [](const WayToServe& a, const WayToServe& b) { return a.share_ppm < b.share_ppm; });
    most_.push_back(most);
    ranges_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(ways_.size())});
  }
}

std::span<const WayToServe> KindFit::Ways(BoardShape::State state) const {
  Extend(state);
  return std::span(ways_).subspan(ranges_[state].begin, ranges_[state].size());
}

std::uint32_t KindFit::Most(BoardShape::State state) const {
  Extend(state);
  return most_[state];
}

std::optional<std::uint32_t> RequestFits::NumberOf(const AlternativePlan& alternative, ClusterBoards& boards) {
  if (alternative.all || alternative.admin_access || alternative.count == 0 || !alternative.derived.empty()) {
    return std::nullopt;
  }
  text_.clear();
  for (const auto& selector : alternative.selectors) {
    if (!selector.expression) return std::nullopt;
    Append(text_, selector.expression->text());
  }
  Append(text_, "");
  for (const auto& toleration : alternative.request->tolerations) {
    for (const auto* part : {&toleration.key, &toleration.operator_, &toleration.value, &toleration.effect}) {
      Append(text_, *part);
    }
  }
  if (alternative.request->capacity) {
    Append(text_, "");
    for (const auto& [name, amount] : alternative.request->capacity->requests) {
      Append(text_, name);
      Append(text_, amount.ToString());
    }
  }
  const auto found = numbers_.find(text_);
  if (found != numbers_.end()) return found->second;
  std::optional<std::uint32_t> number = static_cast<std::uint32_t>(fits_.size());
  for (const auto& selector : alternative.selectors) {
    const auto& keys = selector.expression->ReadKeys();
    if (!keys || !boards.TellApart(*keys)) number.reset();
  }
  if (number) fits_.emplace_back();
  numbers_.emplace(text_, number);
  return number;
}

const KindFit& RequestFits::FitOf(const Inventory& inventory, const ClusterBoards& boards, std::uint32_t request,
                                  const AlternativePlan& alternative, ClusterBoards::KindId kind) {
  if (epoch_ != boards.epoch()) {
    for (auto& of_request : fits_) of_request.clear();
    epoch_ = boards.epoch();
  }
  auto& of_request = fits_[request];
  if (of_request.size() <= kind) of_request.resize(kind + std::size_t{1});
  auto& fit = of_request[kind];
  if (!fit) {
    const auto& entry = boards.kinds()[kind];
    const auto key = *entry.groups[entry.in_use.front()].boards.begin();
    const auto& view = inventory.ViewOf(boards.NodeOf(key));
    fit = std::make_unique<KindFit>(inventory, alternative, view, view.layout->boards[ClusterBoards::BoardOf(key)],
                                    *entry.model);
  }
  return *fit;
}

void RequestFits::Tidy() {
  if (numbers_.size() <= kMaxRequests) return;
  numbers_.clear();
  fits_.clear();
}

}  // namespace kumiko::allocator
