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

struct DeviceCapacity {
  std::string domain;
  std::string id;
  Quantity value;
};

// Borrows everything. (domain, id) is unique in each list; order decides the order of iteration only.
struct DeviceView {
  std::string_view driver;
  std::span<const DeviceAttribute> attributes;
  std::span<const DeviceCapacity> capacity;
  bool allow_multiple_allocations = false;
};

}  // namespace kumiko::cel
