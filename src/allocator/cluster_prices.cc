#include "allocator/cluster_prices.h"

#include <algorithm>

namespace kumiko::allocator {
void ClusterPrices::StartAnew(const ClusterBoards& boards, const Demand* demand) {
  const auto& classes = boards.classes();
  auto sizes = ClassSizes(boards.census(), classes.size());
  classes_.clear();
  ArrivalMix mix(0);
  if (classes.known() && !classes.declared()) {
    for (std::size_t c = 0; c < classes.size(); ++c) classes_.push_back(classes.index(c));
    mix = demand->mix().ForClasses(classes_);
  } else {
    std::vector<double> weights;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const auto equal_work = sizes[c] > 0 ? 1 / sizes[c] : 0;
      weights.push_back(classes.known() ? classes.weight(c) : equal_work);
    }
    mix = ArrivalMix::Declared(std::move(weights));
  }
  book_ = std::make_unique<PriceBook>(std::move(sizes), std::move(mix));
  shapes_.clear();
  for (const auto& entry : boards.census()) {
    if (!entry.shape) continue;
    Shape shape{
        .index = entry.shape->index(), .id = book_->AddShape(entry.shape->merged()), .layouts = {}, .boards = {}};
    shapes_.push_back(std::move(shape));
  }
}

void ClusterPrices::Follow(const ClusterBoards& boards, const Demand* demand) {
  const auto& census = boards.census();
  const auto shape_count = static_cast<std::size_t>(
      std::count_if(census.begin(), census.end(), [](const Census& entry) { return entry.shape != nullptr; }));
  if (!book_ || epoch_ != boards.epoch() || shape_count != shapes_.size()) {
    epoch_ = boards.epoch();
    StartAnew(boards, demand);
  }
  for (auto& shape : shapes_) {
    const auto& counted = census[shape.index].boards;
    if (counted.size() > shape.layouts.size()) {
      book_->Grow(shape.id, census[shape.index].shape->merged());
      for (auto k = shape.layouts.size(); k < counted.size(); ++k) {
        shape.layouts.push_back(book_->AddLayout(shape.id, Layout::Staying(static_cast<std::uint32_t>(k))));
      }
      shape.boards.resize(counted.size(), 0);
    }
    for (std::size_t k = 0; k < counted.size(); ++k) {
      const auto now = static_cast<std::int64_t>(counted[k]);
      if (now != shape.boards[k]) book_->AddBoards(shape.layouts[k], now - shape.boards[k]);
      shape.boards[k] = now;
    }
  }
  if (!classes_.empty()) book_->SetMix(demand->mix().ForClasses(classes_));
  book_->Rounds(PriceBook::kRoundsPerArrival);
  worths_.tolerance = book_->tolerance();
  for (const auto& shape : shapes_) {
    if (worths_.of.size() <= shape.index) worths_.of.resize(shape.index + std::size_t{1});
    auto& of = worths_.of[shape.index];
    of.resize(shape.layouts.size());
    for (std::uint32_t k = 0; k < of.size(); ++k) of[k] = book_->Worth(shape.id, k);
  }
}

}  // namespace kumiko::allocator
