#include "allocator/board_model.h"

#include <algorithm>
#include <utility>

namespace kumiko::allocator {
namespace {

std::string ShapeText(const PackingClasses& classes, const std::vector<Amount>& declared,
                      const std::vector<BoardShape::Type>& types) {
  std::string text = classes.key();
  for (const auto amount : declared) text += std::to_string(amount) + ",";
  for (const auto& type : types) {
    text += "|" + std::to_string(type.mask) + "x" + std::to_string(type.count) + ":";
    for (const auto amount : type.need) text += std::to_string(amount) + ",";
  }
  return text;
}

}  // namespace

BoardShape& ShapeCache::Get(const PackingClasses& classes, std::vector<Amount> declared,
                            std::vector<BoardShape::Type> types) {
  const auto index = static_cast<std::uint32_t>(shapes_.size());
  auto& shape = shapes_[ShapeText(classes, declared, types)];
  if (!shape) {
    shape = std::make_unique<BoardShape>(std::move(declared), std::move(types), index);
    shape->StateOf(shape->Full());
  }
  return *shape;
}

BoardShape::Free BoardModel::FreeOf(const InFlight& in_flight, const NodeLayout::Board& board) const {
  BoardShape::Free free;
  free.reserve(board.counters.size() + shape->limit_count());
  for (const auto counter : board.counters) free.push_back(in_flight.Remaining(counter));
  const auto& limits = shape->limit_of_type();
  free.resize(free.size() + shape->limit_count(), 0);
  for (std::size_t i = 0; i < board.devices.size(); ++i) {
    const auto limit = limits[types[i]];
    if (limit >= 0 && !in_flight.InUse(board.devices[i])) {
      ++free[board.counters.size() + static_cast<std::size_t>(limit)];
    }
  }
  return free;
}

BoardModel MakeBoardModel(const NodeView& view, const NodeLayout::Board& board, const PackingClasses& classes,
                          ShapeCache& shapes) {
  const auto& layout = *view.layout;
  std::vector<Amount> declared;
  for (const auto counter : board.counters) declared.push_back(layout.counters[counter].declared);
  std::vector<BoardShape::Type> type_of_device;
  for (const auto d : board.devices) {
    BoardShape::Type type{
        .mask = classes.MaskOf(view.Device(d)), .need = std::vector<Amount>(declared.size(), 0), .count = 0};
    for (const auto& consumption : layout.ConsumptionOf(d)) {
      const auto found = std::lower_bound(board.counters.begin(), board.counters.end(), consumption.counter);
      type.need[static_cast<std::size_t>(found - board.counters.begin())] = consumption.amount;
    }
    type_of_device.push_back(std::move(type));
  }
  auto types = type_of_device;
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  BoardModel model;
  for (const auto& type : type_of_device) {
    model.types.push_back(
        static_cast<std::uint32_t>(std::lower_bound(types.begin(), types.end(), type) - types.begin()));
  }
  for (const auto type : model.types) ++types[type].count;
  model.shape = &shapes.Get(classes, std::move(declared), std::move(types));
  return model;
}

std::vector<std::uint32_t> NeighbourhoodsOf(const Inventory& inventory, const NodeView& view) {
  std::vector<std::uint32_t> neighbourhoods;
  std::map<AttributeId, std::uint32_t> numbers;
  const auto near = inventory.attributes().FindName("resource.kubernetes.io", "pcieRoot");
  for (const auto& board : view.layout->boards) {
    AttributeId where = kNoAttribute;
    for (std::size_t i = 0; near && where == kNoAttribute && i < board.devices.size(); ++i) {
      where = view.Device(board.devices[i]).Attribute(*near);
    }
    neighbourhoods.push_back(numbers.try_emplace(where, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return neighbourhoods;
}

std::vector<std::uint32_t> PlacesOnBoards(const NodeLayout& layout) {
  std::vector<std::uint32_t> places(layout.devices.size(), 0);
  for (const auto& board : layout.boards) {
    for (std::uint32_t place = 0; place < board.devices.size(); ++place) places[board.devices[place]] = place;
  }
  return places;
}

}  // namespace kumiko::allocator
