#include "cli/allocate_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "api/kinds.h"
#include "base/field_path.h"
#include "cli/question.h"

namespace kumiko::cli {
namespace {

template <class T>
using Field = tl::expected<T, api::FieldError>;
using tl::unexpected;

Field<allocator::Features> ReadFeatures(const Json& json, allocator::Features features) {
  const Json* member = Find(json, "features");
  if (member == nullptr || member->is_null()) return features;
  if (!member->is_object()) {
    return Wrong("features", fmt::format("expected a map, got {}", JsonTypeName(*member)));
  }
  std::array<std::string_view, allocator::kFeatureTable.size()> names;
  std::ranges::transform(allocator::kFeatureTable, names.begin(), &allocator::FeatureRow::name);
  if (auto unknown = UnknownMember(member->get_object(), names, "features")) return unexpected(std::move(*unknown));
  for (const allocator::FeatureRow& row : allocator::kFeatureTable) {
    if (Find(*member, row.name) == nullptr) continue;
    const auto on = FlagAt(*member, row.name, "features");
    if (!on) return unexpected(on.error());
    features.*row.on = *on;
  }
  return features;
}

// The items of a list member of `json`; absent and null are no items.
Field<const JsonArray*> ListAt(const Json& json, std::string_view name, const std::string& path) {
  static const JsonArray kNone;
  const Json* member = Find(json, name);
  if (member == nullptr || member->is_null()) return &kNone;
  if (!member->is_array()) {
    return Wrong(ChildPath(path, name), fmt::format("expected a list, got {}", JsonTypeName(*member)));
  }
  return &member->get_array();
}

// The object with its apiVersion and kind, which must be those of T where it names them.
template <class T>
Field<JsonObject> Labelled(const JsonObject& json, const std::string& path) {
  JsonObject object = json;
  for (const auto& [member, wanted] : {std::pair("apiVersion", T::kApiVersion), std::pair("kind", T::kKind)}) {
    const Json& found = object.emplace(member, wanted).first->value();
    if (found != Json(wanted)) {
      return Wrong(ChildPath(path, member), fmt::format("expected \"{}\", got {}", wanted, WriteJson(found)));
    }
  }
  return object;
}

template <class T>
Field<T> ReadObject(const Json& json, const std::string& path, bool validate) {
  if (!json.is_object()) return Wrong(path, fmt::format("expected a {}, got {}", T::kKind, JsonTypeName(json)));
  const auto object = Labelled<T>(json.get_object(), path);
  if (!object) return unexpected(object.error());
  if (validate) {
    const auto errors = api::Validate(*object);
    if (!errors.empty()) return Wrong(path, api::Describe(errors));
  }
  auto value = api::Decode<T>(*object);
  if (!value) return Wrong(path, value.error().message);
  return std::move(*value);
}

enum class Names { kUnique, kAny };

template <class T>
Field<std::vector<T>> ReadObjects(const Json& json, std::string_view name, const std::string& path, bool validate,
                                  Names names) {
  const auto list = ListAt(json, name, path);
  if (!list) return unexpected(list.error());
  std::vector<T> objects;
  objects.reserve((*list)->size());
  std::set<std::string> seen;
  for (const Json& item : **list) {
    const std::string at = ItemPath(ChildPath(path, name), objects.size());
    auto object = ReadObject<T>(item, at, validate);
    if (!object) return unexpected(std::move(object).error());
    if (names == Names::kUnique && !seen.insert(object->metadata.name).second) {
      return Wrong(ChildPath(ChildPath(at, "metadata"), "name"),
                   fmt::format("a {} \"{}\" stands before it; give it another name", T::kKind, object->metadata.name));
    }
    objects.push_back(std::move(*object));
  }
  return objects;
}

struct DeviceEntry {
  allocator::DeviceId device;
  std::string share_id;
  std::map<std::string, Quantity> consumed;
};

Field<std::map<std::string, Quantity>> ReadConsumed(const Json& json, const std::string& path) {
  std::map<std::string, Quantity> consumed;
  const Json* member = Find(json, "consumed");
  if (member == nullptr || member->is_null()) return consumed;
  const std::string at = ChildPath(path, "consumed");
  if (!member->is_object()) return Wrong(at, fmt::format("expected a map, got {}", JsonTypeName(*member)));
  for (const auto& amount : member->get_object()) {
    const std::string name(amount.key());
    const auto* text = amount.value().if_string();
    auto quantity =
        Quantity::Parse(text != nullptr ? std::string(text->begin(), text->end()) : WriteJson(amount.value()));
    if (!quantity) return Wrong(ChildPath(at, name), quantity.error().message);
    consumed.emplace(name, std::move(*quantity));
  }
  return consumed;
}

Field<DeviceEntry> ReadDeviceEntry(const Json& json, const std::string& path) {
  constexpr std::array<std::string_view, 5> kKnown = {"driver", "pool", "device", "shareID", "consumed"};
  if (!json.is_object()) return Wrong(path, fmt::format("expected a map, got {}", JsonTypeName(json)));
  if (auto unknown = UnknownMember(json.get_object(), kKnown, path)) return unexpected(std::move(*unknown));
  DeviceEntry entry;
  std::string* const texts[] = {&entry.device.driver, &entry.device.pool, &entry.device.device, &entry.share_id};
  for (std::size_t i = 0; i < std::size(texts); ++i) {
    auto text = TextAt(json, kKnown[i], path);
    if (!text) return unexpected(std::move(text).error());
    *texts[i] = std::move(*text);
  }
  auto consumed = ReadConsumed(json, path);
  if (!consumed) return unexpected(std::move(consumed).error());
  entry.consumed = std::move(*consumed);
  return entry;
}

Field<std::vector<DeviceEntry>> ReadDeviceEntries(const Json& json, std::string_view name) {
  const auto list = ListAt(json, name, "allocated");
  if (!list) return unexpected(list.error());
  std::vector<DeviceEntry> entries;
  for (const Json& item : **list) {
    auto entry = ReadDeviceEntry(item, ItemPath(ChildPath("allocated", name), entries.size()));
    if (!entry) return unexpected(std::move(entry).error());
    entries.push_back(std::move(*entry));
  }
  return entries;
}

// Devices held and shares are sets: an entry that stands twice counts once.
api::AllocationResult Holding(const std::vector<DeviceEntry>& devices, const std::vector<DeviceEntry>& shares) {
  api::AllocationResult result;
  std::set<std::pair<allocator::DeviceId, std::optional<std::string>>> seen;
  const auto add = [&](const allocator::DeviceId& device, const std::optional<std::string>& share) {
    if (!seen.emplace(device, share).second) return;
    auto& added = result.devices.results.emplace_back();
    std::tie(added.driver, added.pool, added.device) = std::tie(device.driver, device.pool, device.device);
    added.share_id = share;
  };
  for (const DeviceEntry& entry : devices) add(entry.device, std::nullopt);
  for (const DeviceEntry& entry : shares) add(entry.device, entry.share_id);
  return result;
}

std::optional<api::FieldError> ReadAllocated(const Json& json, const CaseReading& reading, AllocateCase& out) {
  constexpr std::array<std::string_view, 4> kKnown = {"devices", "shared", "capacity", "claims"};
  const Json* member = Find(json, "allocated");
  if (member == nullptr || member->is_null()) return std::nullopt;
  if (!member->is_object()) {
    return api::FieldError{"allocated", fmt::format("expected a map, got {}", JsonTypeName(*member))};
  }
  if (auto unknown = UnknownMember(member->get_object(), kKnown, "allocated")) return unknown;
  const auto devices = ReadDeviceEntries(*member, "devices");
  if (!devices) return devices.error();
  const auto shares = ReadDeviceEntries(*member, "shared");
  if (!shares) return shares.error();
  auto capacity = ReadDeviceEntries(*member, "capacity");
  if (!capacity) return capacity.error();
  auto claims = ReadObjects<api::ResourceClaim>(*member, "claims", "allocated", reading.validate, Names::kAny);
  if (!claims) return claims.error();
  out.allocations.push_back(Holding(*devices, *shares));
  for (api::ResourceClaim& claim : *claims) {
    if (claim.status.allocation) out.allocations.push_back(std::move(*claim.status.allocation));
  }
  for (DeviceEntry& entry : *capacity) {
    // An entry of nothing still says that the device is in use.
    out.capacity_in_use.push_back({std::move(entry.device), std::move(entry.consumed)});
  }
  return std::nullopt;
}

Field<std::vector<api::Node>> ReadNodes(const Json& json) {
  auto nodes = ReadObjects<api::Node>(json, "nodes", "", false, Names::kUnique);
  if (!nodes || !nodes->empty()) return nodes;
  const Json* node = Find(json, "node");
  if (node == nullptr || node->is_null()) return Wrong("node", "the case has no node; write `node` or `nodes`");
  return ReadObject<api::Node>(*node, "node", false).map([](api::Node one) { return std::vector{std::move(one)}; });
}

}  // namespace

tl::expected<AllocateCase, api::FieldError> ReadAllocateCase(const Json& json, const CaseReading& reading) {
  constexpr std::array<std::string_view, 10> kKnown = {"name",      "features",   "classes", "slices", "claims",
                                                       "allocated", "taintRules", "node",    "nodes",  "channel"};
  if (!json.is_object()) return Wrong("", fmt::format("expected a case, got {}", JsonTypeName(json)));
  if (auto unknown = UnknownMember(json.get_object(), kKnown, "")) return unexpected(std::move(*unknown));
  AllocateCase out;
  auto name = TextAt(json, "name", "");
  if (!name) return unexpected(std::move(name).error());
  out.name = std::move(*name);
  const auto features = ReadFeatures(json, reading.features);
  if (!features) return unexpected(features.error());
  out.features = *features;
  auto classes = ReadObjects<api::DeviceClass>(json, "classes", "", reading.validate, Names::kUnique);
  if (!classes) return unexpected(std::move(classes).error());
  out.classes = std::move(*classes);
  auto slices = ReadObjects<api::ResourceSlice>(json, "slices", "", reading.validate, Names::kUnique);
  if (!slices) return unexpected(std::move(slices).error());
  for (api::ResourceSlice& slice : *slices) {
    out.slices.push_back(std::make_shared<const api::ResourceSlice>(std::move(slice)));
  }
  auto claims = ReadObjects<api::ResourceClaim>(json, "claims", "", reading.validate, Names::kAny);
  if (!claims) return unexpected(std::move(claims).error());
  out.claims = std::move(*claims);
  auto rules = ReadObjects<api::DeviceTaintRule>(json, "taintRules", "", reading.validate, Names::kUnique);
  if (!rules) return unexpected(std::move(rules).error());
  out.taint_rules = std::move(*rules);
  if (auto wrong = ReadAllocated(json, reading, out)) return unexpected(std::move(*wrong));
  auto nodes = ReadNodes(json);
  if (!nodes) return unexpected(std::move(nodes).error());
  out.nodes = std::move(*nodes);
  return out;
}

}  // namespace kumiko::cli
