#include "allocator/equivalence.h"

#include <algorithm>
#include <map>
#include <string>

#include "allocator/constraint.h"
#include "allocator/verdict_cache.h"

namespace kumiko::allocator {
namespace {

// The place of a counter among those of its board, so that equal boards give equal texts.
std::string ConsumptionText(const ViewDevice& device, const BoardView& board) {
  std::string text;
  for (const auto& consumption : device.consumes) {
    const auto found = std::lower_bound(board.counters.begin(), board.counters.end(), consumption.counter);
    text += std::to_string(found - board.counters.begin()) + "=" + std::to_string(consumption.amount) + ",";
  }
  return text;
}

std::string AttributeText(const DeviceContent& content, const std::string& name) {
  DeviceContent one;
  if (const auto* value = FindAttribute(content, name)) {
    one.attributes.push_back({.domain = "", .id = "", .value = *value});
  }
  return ProjectContent(one, std::nullopt);
}

std::uint32_t Number(std::map<std::string, std::uint32_t>& numbers, const std::string& text) {
  return numbers.try_emplace(text, static_cast<std::uint32_t>(numbers.size())).first->second;
}

}  // namespace

void Equivalence::Classify(DeviceMatches& matches) {
  classified_ = true;
  class_of_device_.resize(view_->devices.size(), 0);
  place_on_board_.resize(view_->devices.size(), 0);
  std::map<std::string, std::uint32_t> device_numbers;
  std::map<std::string, std::uint32_t> board_numbers;
  for (const auto& board : view_->boards) {
    std::string board_text;
    for (const auto counter : board.counters) {
      board_text += std::to_string(view_->pools[board.pool].counters[counter].declared) + ",";
    }
    for (std::uint32_t place = 0; place < board.devices.size(); ++place) {
      const auto d = board.devices[place];
      const auto& device = view_->devices[d];
      std::string text = ConsumptionText(device, board) + "|";
      for (const auto& claim : plan_->claims) {
        for (const auto& request : claim.requests) {
          for (const auto& alternative : request.alternatives) {
            text += matches.Selected(alternative, d) == Verdict::Kind::kTrue && matches.Tolerated(alternative, d) ? '1'
                                                                                                                  : '0';
          }
        }
        for (const auto& constraint : claim.constraints) text += AttributeText(*device.content, constraint.attribute);
      }
      text += "|";
      for (const auto& [name, capacity] : device.device->capacity) text += name + "=" + capacity.value.ToString() + ",";
      class_of_device_[d] = Number(device_numbers, text);
      place_on_board_[d] = place;
      board_text += std::to_string(class_of_device_[d]) + ";";
    }
    class_of_board_.push_back(Number(board_numbers, board_text));
  }
}

bool Equivalence::BoardsEqual(const InFlight& in_flight, std::uint32_t a, std::uint32_t b) const {
  const auto& board_a = view_->boards[a];
  const auto& board_b = view_->boards[b];
  if (class_of_board_[a] != class_of_board_[b]) return false;
  if (in_flight.PoolBlocked(board_a.pool) != in_flight.PoolBlocked(board_b.pool)) return false;
  for (std::size_t i = 0; i < board_a.counters.size(); ++i) {
    if (in_flight.Remaining(board_a.pool, board_a.counters[i]) !=
        in_flight.Remaining(board_b.pool, board_b.counters[i])) {
      return false;
    }
  }
  for (std::size_t i = 0; i < board_a.devices.size(); ++i) {
    const auto device_a = board_a.devices[i];
    const auto device_b = board_b.devices[i];
    if (in_flight.InUse(device_a) != in_flight.InUse(device_b)) return false;
    for (std::uint32_t c = 0; c < plan_->claims.size(); ++c) {
      if (in_flight.PickedBy(c, device_a) != in_flight.PickedBy(c, device_b)) return false;
    }
  }
  return true;
}

bool Equivalence::Interchangeable(const InFlight& in_flight, DeviceMatches& matches, std::uint32_t a, std::uint32_t b) {
  const auto& device_a = view_->devices[a];
  const auto& device_b = view_->devices[b];
  // Shares make a device's state richer than its counters, and a node selector shows in the result only.
  if (device_a.content->allow_multiple_allocations || device_b.content->allow_multiple_allocations) return false;
  if (!classified_) Classify(matches);
  if (class_of_device_[a] != class_of_device_[b]) return false;
  if (device_a.board == device_b.board) return in_flight.InUse(a) == in_flight.InUse(b);
  return place_on_board_[a] == place_on_board_[b] && BoardsEqual(in_flight, device_a.board, device_b.board);
}

}  // namespace kumiko::allocator
