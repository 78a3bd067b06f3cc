#include "cel/device_json.h"

#include <cstdint>
#include <utility>

namespace kumiko::cel {
namespace {

std::pair<std::string, std::string> SplitName(std::string_view name, std::string_view driver) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return {std::string(driver), std::string(name)};
  return {std::string(name.substr(0, slash)), std::string(name.substr(slash + 1))};
}

AttributeValue ValueOf(const Json& json) {
  if (const Json* value = Find(json, "int")) return value->to_number<std::int64_t>();
  if (const Json* value = Find(json, "bool")) return value->as_bool();
  if (const Json* value = Find(json, "string")) return std::string(value->as_string());
  if (const Json* value = Find(json, "version")) return Version{std::string(value->as_string())};
  if (const Json* value = Find(json, "ints")) {
    std::vector<std::int64_t> items;
    for (const Json& item : value->as_array()) items.push_back(item.to_number<std::int64_t>());
    return items;
  }
  if (const Json* value = Find(json, "bools")) {
    std::vector<bool> items;
    for (const Json& item : value->as_array()) items.push_back(item.as_bool());
    return items;
  }
  if (const Json* value = Find(json, "strings")) {
    std::vector<std::string> items;
    for (const Json& item : value->as_array()) items.emplace_back(item.as_string());
    return items;
  }
  std::vector<Version> items;
  if (const Json* value = Find(json, "versions")) {
    for (const Json& item : value->as_array()) items.push_back({std::string(item.as_string())});
  }
  return items;
}

// A name with the driver's domain and the same name without one are one attribute; the reference keeps either.
template <class Entry>
void Put(std::vector<Entry>& entries, Entry entry) {
  for (Entry& other : entries) {
    if (other.domain == entry.domain && other.id == entry.id) {
      other = std::move(entry);
      return;
    }
  }
  entries.push_back(std::move(entry));
}

}  // namespace

bool BoolAt(const Json& value, std::string_view name) {
  const Json* member = Find(value, name);
  return member != nullptr && member->is_bool() && member->get_bool();
}

Device DeviceFromJson(const Json& json, std::string_view driver) {
  Device device;
  device.driver = driver;
  device.allow_multiple_allocations = BoolAt(json, "allowMultipleAllocations");
  if (const Json* attributes = Find(json, "attributes")) {
    for (const auto& [name, value] : attributes->as_object()) {
      auto [domain, id] = SplitName(name, driver);
      Put(device.attributes, {std::move(domain), std::move(id), ValueOf(value)});
    }
  }
  if (const Json* capacity = Find(json, "capacity")) {
    for (const auto& [name, value] : capacity->as_object()) {
      auto [domain, id] = SplitName(name, driver);
      Put(device.capacity, {std::move(domain), std::move(id), *Quantity::Parse(StringAt(value, {"value"}))});
    }
  }
  return device;
}

}  // namespace kumiko::cel
