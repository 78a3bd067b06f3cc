// Devices for `kumiko cel`: read from JSON or a file into the form that expressions look at, list attributes included.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/codec.h"
#include "base/json.h"
#include "base/result.h"
#include "cel/device_view.h"

namespace kumiko::cli {

struct CelDevice {
  std::string name;
  std::string driver;
  std::vector<cel::DeviceAttribute> attributes;
  std::vector<cel::DeviceCapacity> capacity;
  bool allow_multiple_allocations = false;
  // Set: every evaluation on this device fails with it, e.g. "attribute x: unsupported attribute value".
  std::optional<std::string> unusable;

  cel::DeviceView View() const;
};

// `json` in the form of resource.k8s.io/v1; `path` of it, for the error. Members that say nothing about the device to
// an expression (taints, consumesCounters) are skipped.
tl::expected<CelDevice, api::FieldError> ReadCelDevice(const Json& json, const std::string& driver,
                                                       const std::string& path);

// The devices of a YAML or JSON file: devices as they stand in a slice (with a member `driver`, or of `driver`), and
// ResourceSlices with all of theirs. "-" is stdin. Errors: "FILE:LINE:COL: attributes.x.int: ...".
Result<std::vector<CelDevice>> ReadCelDevices(const std::string& file, const std::string& driver);

// {"int": 7}, {"strings": ["a"]}: the member of a device attribute.
Json AttributeJson(const cel::AttributeValue& value);

}  // namespace kumiko::cli
