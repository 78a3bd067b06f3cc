// What a selector sees as `device`: borrowed, flat and already resolved, so that evaluation copies nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/quantity.h"

namespace kumiko::cel {

// A version attribute as written in the slice. It is parsed when an expression reads it.
struct Version {
  std::string text;
  bool operator==(const Version&) const = default;
};

// One attribute value of a device. Lists come from the alpha list attributes.
using AttributeValue = std::variant<std::int64_t, bool, std::string, Version, std::vector<std::int64_t>,
                                    std::vector<bool>, std::vector<std::string>, std::vector<Version>>;

// `domain` is already the full one: a name without a domain belongs to the driver's domain.
struct DeviceAttribute {
  std::string domain;
  std::string id;
  AttributeValue value;
};

// An attribute that many devices share: its name is kept once.
struct AttributeName {
  std::string domain;
  std::string id;
};
struct SharedAttribute {
  const AttributeName* name = nullptr;
  AttributeValue value;
};

// One attribute as an evaluation reads it.
struct AttributeRef {
  std::string_view domain;
  std::string_view id;
  const AttributeValue& value;
};

// The attributes of one device: values side by side, or pointers to shared ones. Borrowed.
class AttributeList {
 public:
  AttributeList() = default;
  AttributeList(const std::vector<DeviceAttribute>& own)  // NOLINT: a list is what it is made of
      : own_(own.data()), size_(own.size()) {}
  AttributeList(std::span<const SharedAttribute* const> shared)  // NOLINT
      : shared_(shared.data()), size_(shared.size()) {}

  std::size_t size() const { return size_; }
  AttributeRef operator[](std::size_t i) const {
    if (own_ != nullptr) return {own_[i].domain, own_[i].id, own_[i].value};
    return {shared_[i]->name->domain, shared_[i]->name->id, shared_[i]->value};
  }

  class Iterator {
   public:
    Iterator(const AttributeList& list, std::size_t at) : list_(&list), at_(at) {}
    AttributeRef operator*() const { return (*list_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const AttributeList* list_;
    std::size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size_}; }

 private:
  const DeviceAttribute* own_ = nullptr;
  const SharedAttribute* const* shared_ = nullptr;
  std::size_t size_ = 0;
};

struct DeviceCapacity {
  std::string domain;
  std::string id;
  Quantity value;
};

// Borrows everything. (domain, id) is unique in each list; order decides the order of iteration only.
struct DeviceView {
  std::string_view driver;
  AttributeList attributes;
  std::span<const DeviceCapacity> capacity;
  bool allow_multiple_allocations = false;
};

}  // namespace kumiko::cel
