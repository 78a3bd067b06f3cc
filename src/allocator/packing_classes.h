// The kinds of request that packing keeps room for, and which devices serve each (spec packing-partitions §4.3).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/demand.h"
#include "allocator/inventory.h"

namespace kumiko::allocator {

// Bit c: the device serves class c.
using ClassMask = std::uint64_t;

class PackingClasses {
 public:
  static constexpr std::size_t kMaxClasses = 64;  // bits of a ClassMask

  // Without demand, one class for each label of a device in `views`, in equal demand by work.
  PackingClasses(const Inventory& inventory, const Demand* demand, std::span<const NodeView* const> views);

  std::size_t size() const { return classes_.size(); }
  // No further label becomes a class.
  bool full() const { return classes_.size() >= kMaxClasses; }
  // Share of arrivals; 0 when nothing is known about it.
  double weight(std::size_t c) const { return classes_[c].weight; }
  // Its number in the demand's mix.
  std::size_t index(std::size_t c) const { return classes_[c].index; }
  bool known() const { return known_; }
  bool declared() const { return declared_; }
  double drift() const { return drift_; }
  ClassMask MaskOf(const DeviceRef& device) const;
  // Equal texts: equal classes.
  const std::string& key() const { return key_; }

 private:
  struct Class {
    std::string label;
    std::vector<cel::Expression> selectors;
    double weight = 0;
    std::size_t index = 0;
  };
  void Add(Demand::Class entry);

  const Inventory* inventory_;
  std::vector<Class> classes_;
  std::string key_;
  bool known_ = false;
  bool declared_ = false;
  double drift_ = 0;
};

// Whether an attribute with this id, of any domain, labels its device.
bool IsLabel(std::string_view id);
// The `profile` attribute of a device, or its `type` when it has none; "" without either.
std::string LabelOf(const Inventory& inventory, const DeviceRef& device);

}  // namespace kumiko::allocator
