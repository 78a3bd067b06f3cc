// Answers questions about expressions and devices, one JSON line each, in the protocol of oracle/main.go: what
// reference/compare.py holds against the engine of Kubernetes.
#include <fmt/core.h>

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "base/json.h"
#include "cel/expression.h"

namespace kumiko::cel {
namespace {

bool BoolAt(const Json& value, std::string_view name) {
  const Json* member = Find(value, name);
  return member != nullptr && member->is_bool() && member->get_bool();
}

// A device and what its view borrows.
struct Device {
  std::string driver;
  std::vector<DeviceAttribute> attributes;
  std::vector<DeviceCapacity> capacity;
  bool allow_multiple_allocations = false;

  DeviceView view() const { return {driver, attributes, capacity, allow_multiple_allocations}; }
};

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

Device DeviceOf(const Json& json, std::string_view driver) {
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

struct AttributeJson {
  JsonObject operator()(std::int64_t value) const { return {{"int", value}}; }
  JsonObject operator()(bool value) const { return {{"bool", value}}; }
  JsonObject operator()(const std::string& value) const { return {{"string", value}}; }
  JsonObject operator()(const Version& value) const { return {{"version", value.text}}; }
  // Go leaves empty lists out.
  JsonObject operator()(const std::vector<std::int64_t>& items) const {
    return Named("ints", JsonArray(items.begin(), items.end()));
  }
  JsonObject operator()(const std::vector<bool>& items) const {
    return Named("bools", JsonArray(items.begin(), items.end()));
  }
  JsonObject operator()(const std::vector<std::string>& items) const {
    return Named("strings", JsonArray(items.begin(), items.end()));
  }
  JsonObject operator()(const std::vector<Version>& items) const {
    JsonArray texts;
    for (const Version& item : items) texts.emplace_back(item.text);
    return Named("versions", std::move(texts));
  }

 private:
  static JsonObject Named(std::string_view name, JsonArray items) {
    JsonObject object;
    if (!items.empty()) object[name] = std::move(items);
    return object;
  }
};

void PutCost(JsonObject& answer, std::int64_t cost) {
  if (cost != 0) answer["actualCost"] = cost;
}

JsonObject Answer(const Json& question) {
  CompileOptions options;
  options.mode = BoolAt(question, "new") ? Mode::kNew : Mode::kStored;
  options.derived_attribute = BoolAt(question, "derived");
  if (const Json* features = Find(question, "features")) {
    options.features.consumable_capacity = BoolAt(*features, "EnableConsumableCapacity");
    options.features.list_type_attributes = BoolAt(*features, "EnableListTypeAttributes");
  }
  const auto expression = Expression::Compile(StringAt(question, {"expression"}), options);
  JsonObject answer;
  if (!expression) {
    answer["compileError"] = expression.error().message;
    return answer;
  }
  answer["outputType"] = expression->output_type();
  if (expression->max_cost() != 0) answer["maxCost"] = expression->max_cost();
  const Json* device_json = Find(question, "device");
  if (device_json == nullptr) return answer;
  const Device device = DeviceOf(*device_json, StringAt(question, {"driver"}));
  if (options.derived_attribute) {
    const DerivedAttribute result = expression->EvaluateAttribute(device.view());
    if (result.value) {
      answer["value"] = std::visit(AttributeJson{}, *result.value);
    } else {
      answer["error"] = result.value.error().message;
    }
    PutCost(answer, result.cost);
    return answer;
  }
  const Match result = expression->Evaluate(device.view());
  if (result.matches) {
    answer["match"] = *result.matches;
  } else {
    answer["error"] = result.matches.error().message;
  }
  PutCost(answer, result.cost);
  return answer;
}

int Serve() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto question = ParseJson(line);
    const JsonObject answer =
        question ? Answer(*question) : JsonObject{{"error", "reading the question: " + question.error().message}};
    std::string text = WriteJson(answer);
    text += '\n';
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace kumiko::cel

int main() {
  return kumiko::cel::Serve();
}
