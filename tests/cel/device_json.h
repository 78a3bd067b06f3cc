// Devices in the form of resource.k8s.io/v1 (attributes, capacity, allowMultipleAllocations), for programs that ask the
// engine about devices they read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "cel/device_view.h"

namespace kumiko::cel {

// A device and what its view borrows.
struct Device {
  std::string driver;
  std::vector<DeviceAttribute> attributes;
  std::vector<DeviceCapacity> capacity;
  bool allow_multiple_allocations = false;

  DeviceView view() const { return {driver, attributes, capacity, allow_multiple_allocations}; }
};

// `json` must be well-formed: members of the types that the API has.
Device DeviceFromJson(const Json& json, std::string_view driver);

// Whether the member is there and true.
bool BoolAt(const Json& value, std::string_view name);

}  // namespace kumiko::cel
