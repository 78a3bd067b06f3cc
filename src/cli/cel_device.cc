#include "cli/cel_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>

#include "base/field_path.h"
#include "base/suggest.h"
#include "base/yaml.h"
#include "cel/semver.h"
#include "cli/manifests.h"

namespace kumiko::cli {
namespace {

// "domain/id"; a name without a domain belongs to the driver's.
std::pair<std::string, std::string> SplitName(const std::string& name, const std::string& driver) {
  const auto slash = name.find('/');
  if (slash == std::string::npos) return {driver, name};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

using tl::unexpected;
template <class T>
using Field = tl::expected<T, api::FieldError>;

unexpected<api::FieldError> Wrong(const std::string& path, std::string message) {
  return unexpected(api::FieldError{path, std::move(message)});
}
unexpected<api::FieldError> Expected(const std::string& path, std::string_view what, const Json& json) {
  return Wrong(path, fmt::format("expected {}, got {}", what, JsonTypeName(json)));
}

std::string_view Text(const JsonObject::value_type& member) {
  return {member.key().data(), member.key().size()};
}

Field<std::string> ReadString(const Json& json, const std::string& path) {
  if (!json.is_string()) return Expected(path, "a string", json);
  return std::string(json.get_string().data(), json.get_string().size());
}
Field<std::int64_t> ReadInt(const Json& json, const std::string& path) {
  if (json.is_int64()) return json.get_int64();
  if (json.is_uint64()) return Wrong(path, "the number does not fit into 64 bits");
  return Expected(path, "an integer", json);
}
Field<bool> ReadBool(const Json& json, const std::string& path) {
  if (!json.is_bool()) return Expected(path, "a boolean", json);
  return json.get_bool();
}
Field<cel::Version> ReadVersion(const Json& json, const std::string& path) {
  return ReadString(json, path).map([](std::string text) { return cel::Version{std::move(text)}; });
}

template <class T>
Field<cel::AttributeValue> AsAttribute(Field<T> read) {
  return std::move(read).map([](T value) { return cel::AttributeValue(std::move(value)); });
}

template <class T>
Field<cel::AttributeValue> ReadList(const Json& json, const std::string& path,
                                    Field<T> (*read)(const Json&, const std::string&)) {
  const JsonArray* array = json.if_array();
  if (array == nullptr) return Expected(path, "a list", json);
  std::vector<T> items;
  for (std::size_t i = 0; i < array->size(); ++i) {
    Field<T> item = read((*array)[i], ItemPath(path, i));
    if (!item) return unexpected(std::move(item).error());
    items.push_back(std::move(*item));
  }
  return cel::AttributeValue(std::move(items));
}

Field<cel::AttributeValue> ReadValue(std::string_view word, const Json& json, const std::string& path) {
  if (word == "ints") return ReadList<std::int64_t>(json, path, ReadInt);
  if (word == "bools") return ReadList<bool>(json, path, ReadBool);
  if (word == "strings") return ReadList<std::string>(json, path, ReadString);
  if (word == "versions") return ReadList<cel::Version>(json, path, ReadVersion);
  if (word == "int") return AsAttribute(ReadInt(json, path));
  if (word == "bool") return AsAttribute(ReadBool(json, path));
  if (word == "string") return AsAttribute(ReadString(json, path));
  return AsAttribute(ReadVersion(json, path));
}

// Of several the first is taken, as Kubernetes does.
constexpr std::array<std::string_view, 8> kAttributeWords = {"ints", "bools", "strings", "versions",
                                                             "int",  "bool",  "string",  "version"};

// nullopt: no value is set.
Field<std::optional<cel::AttributeValue>> ReadAttribute(const Json& json, const std::string& path) {
  const JsonObject* object = json.if_object();
  if (object == nullptr) return Expected(path, "an attribute such as {int: 7}", json);
  for (const auto& member : *object) {
    if (std::ranges::find(kAttributeWords, Text(member)) != kAttributeWords.end()) continue;
    const auto suggestion = Suggest(Text(member), kAttributeWords);
    return Wrong(ChildPath(path, Text(member)),
                 suggestion ? fmt::format("unknown field; did you mean \"{}\"?", *suggestion)
                            : fmt::format("unknown field; write one of {}", fmt::join(kAttributeWords, ", ")));
  }
  for (const std::string_view word : kAttributeWords) {
    const Json* value = Find(json, word);
    if (value == nullptr || value->is_null()) continue;
    Field<cel::AttributeValue> read = ReadValue(word, *value, ChildPath(path, word));
    if (!read) return unexpected(std::move(read).error());
    return std::optional(std::move(*read));
  }
  return std::nullopt;
}

Field<Quantity> ReadCapacity(const Json& json, const std::string& path) {
  const Json* value = Find(json, "value");
  if (value == nullptr) return Wrong(path, "expected a capacity such as {value: 80Gi}");
  const std::string value_path = ChildPath(path, "value");
  std::string text;
  if (value->is_string()) {
    text = std::string(value->get_string().data(), value->get_string().size());
  } else if (value->is_number()) {
    text = WriteJson(*value);
  } else {
    return Expected(value_path, "a quantity", *value);
  }
  auto quantity = Quantity::Parse(text);
  if (!quantity) return Wrong(value_path, quantity.error().message);
  return std::move(*quantity);
}

// Why no expression can look at the attribute.
std::optional<std::string> Unusable(std::string_view name, const std::optional<cel::AttributeValue>& value) {
  if (!value) return fmt::format("attribute {}: unsupported attribute value", name);
  std::vector<cel::Version> versions;
  if (const auto* one = std::get_if<cel::Version>(&*value)) versions = {*one};
  if (const auto* many = std::get_if<std::vector<cel::Version>>(&*value)) versions = *many;
  for (const cel::Version& version : versions) {
    const auto parsed = cel::Semver::Parse(version.text);
    if (!parsed) return fmt::format("attribute {}: parse semantic version: {}", name, parsed.error().message);
  }
  return std::nullopt;
}

Field<const JsonObject*> MapAt(const Json& json, std::string_view word, const std::string& path) {
  static const JsonObject kNone;
  const Json* member = Find(json, word);
  if (member == nullptr || member->is_null()) return &kNone;
  if (!member->is_object()) return Expected(ChildPath(path, word), "a map", *member);
  return member->if_object();
}

// By domain and id, the first of each.
template <class Entry>
void Tidy(std::vector<Entry>& entries) {
  const auto key = [](const Entry& entry) { return std::tie(entry.domain, entry.id); };
  std::ranges::stable_sort(entries, std::less<>(), key);
  const auto rest = std::ranges::unique(entries, std::equal_to<>(), key);
  entries.erase(rest.begin(), rest.end());
}

Result<std::vector<CelDevice>> DevicesOf(const Document& document, const std::string& driver) {
  const Json& value = document.value;
  const auto read = [&](const Json& json, const std::string& of, const std::string& path) -> Result<CelDevice> {
    auto device = ReadCelDevice(json, of, path);
    if (device) return std::move(*device);
    const api::FieldError& error = device.error();
    return Fail(Code::kInvalidArgument, "{}: {}{}{}", document.Where(error.path), error.path,
                error.path.empty() ? "" : ": ", error.message);
  };
  std::vector<CelDevice> devices;
  if (StringAt(value, {"kind"}) == "ResourceSlice") {
    const std::string slice_driver(StringAt(value, {"spec", "driver"}));
    const Json* list = FindPath(value, {"spec", "devices"});
    const JsonArray* items = list == nullptr ? nullptr : list->if_array();
    for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
      // resource.k8s.io/v1beta1 has what a device is like one level deeper.
      const Json* basic = Find((*items)[i], "basic");
      std::string path = ItemPath("spec.devices", i);
      if (basic != nullptr) path = ChildPath(path, "basic");
      KU_TRY(CelDevice device, read(basic != nullptr ? *basic : (*items)[i], slice_driver, path));
      if (device.name.empty()) device.name = StringAt((*items)[i], {"name"});
      devices.push_back(std::move(device));
    }
    return devices;
  }
  if (!StringAt(value, {"kind"}).empty()) {
    return Fail(Code::kInvalidArgument, "{}: kind: {} is no device; write a ResourceSlice, or one device of it",
                document.Where("kind"), StringAt(value, {"kind"}));
  }
  const std::string_view own = StringAt(value, {"driver"});
  KU_TRY(CelDevice device, read(value, own.empty() ? driver : std::string(own), ""));
  devices.push_back(std::move(device));
  return devices;
}

template <class T>
Json ListJson(const std::vector<T>& items) {
  JsonArray array;
  for (const auto& item : items) {
    if constexpr (std::is_same_v<T, cel::Version>) {
      array.emplace_back(item.text);
    } else {
      array.emplace_back(static_cast<T>(item));
    }
  }
  return array;
}

}  // namespace

cel::DeviceView CelDevice::View() const {
  return {.driver = driver,
          .attributes = attributes,
          .capacity = capacity,
          .allow_multiple_allocations = allow_multiple_allocations};
}

tl::expected<CelDevice, api::FieldError> ReadCelDevice(const Json& json, const std::string& driver,
                                                       const std::string& path) {
  if (!json.is_object()) return Expected(path, "a device", json);
  constexpr std::array<std::string_view, 3> kRead = {"attributes", "capacity", "allowMultipleAllocations"};
  for (const auto& member : json.get_object()) {
    const auto suggestion = Suggest(Text(member), kRead);
    if (!suggestion || *suggestion == Text(member)) continue;
    return Wrong(ChildPath(path, Text(member)), fmt::format("unknown field; did you mean \"{}\"?", *suggestion));
  }
  CelDevice device;
  device.name = StringAt(json, {"name"});
  device.driver = driver;
  const auto attributes = MapAt(json, "attributes", path);
  if (!attributes) return unexpected(attributes.error());
  for (const auto& member : **attributes) {
    const std::string name(Text(member));
    auto value = ReadAttribute(member.value(), ChildPath(ChildPath(path, "attributes"), name));
    if (!value) return unexpected(std::move(value).error());
    if (!device.unusable) device.unusable = Unusable(name, *value);
    if (!*value) continue;
    auto [domain, id] = SplitName(name, driver);
    device.attributes.push_back({.domain = std::move(domain), .id = std::move(id), .value = std::move(**value)});
  }
  const auto capacity = MapAt(json, "capacity", path);
  if (!capacity) return unexpected(capacity.error());
  for (const auto& member : **capacity) {
    const std::string name(Text(member));
    auto value = ReadCapacity(member.value(), ChildPath(ChildPath(path, "capacity"), name));
    if (!value) return unexpected(std::move(value).error());
    auto [domain, id] = SplitName(name, driver);
    device.capacity.push_back({.domain = std::move(domain), .id = std::move(id), .value = std::move(*value)});
  }
  if (const Json* allowed = Find(json, "allowMultipleAllocations"); allowed != nullptr && !allowed->is_null()) {
    const Field<bool> value = ReadBool(*allowed, ChildPath(path, "allowMultipleAllocations"));
    if (!value) return unexpected(value.error());
    device.allow_multiple_allocations = *value;
  }
  Tidy(device.attributes);
  Tidy(device.capacity);
  return device;
}

Result<std::vector<CelDevice>> ReadCelDevices(const std::string& file, const std::string& driver) {
  KU_TRY(const std::vector<Document> documents, ReadManifests({file}));
  std::vector<CelDevice> devices;
  for (const Document& document : documents) {
    KU_TRY(std::vector<CelDevice> read, DevicesOf(document, driver));
    std::ranges::move(read, std::back_inserter(devices));
  }
  if (devices.empty()) return Fail(Code::kInvalidArgument, "{}: it holds no device", file);
  return devices;
}

Json AttributeJson(const cel::AttributeValue& value) {
  // In the order of cel::AttributeValue.
  constexpr std::array<std::string_view, 8> kWords = {"int",  "bool",  "string",  "version",
                                                      "ints", "bools", "strings", "versions"};
  JsonObject attribute;
  Json member = std::visit(
      []<class T>(const T& it) -> Json {
        if constexpr (std::is_same_v<T, cel::Version>) {
          return Json(it.text);
        } else if constexpr (requires { it.front(); } && !std::is_same_v<T, std::string>) {
          return ListJson(it);
        } else {
          return Json(it);
        }
      },
      value);
  // Kubernetes leaves empty lists out.
  if (!member.is_array() || !member.get_array().empty()) attribute[kWords[value.index()]] = std::move(member);
  return attribute;
}

}  // namespace kumiko::cli
