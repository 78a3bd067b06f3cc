// Answers questions about expressions and devices, one JSON line each, in the protocol of oracle/main.go: what
// reference/compare.py holds against the engine of Kubernetes.
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "base/json.h"
#include "cel/device_json.h"
#include "cel/expression.h"

namespace kumiko::cel {
namespace {

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
  // The text ends before the expression does, as in programs.
  const auto expression = Expression::Compile(std::string(StringAt(question, {"expression"})), options);
  JsonObject answer;
  if (!expression) {
    answer["compileError"] = expression.error().message;
    return answer;
  }
  answer["outputType"] = expression->output_type();
  if (expression->max_cost() != 0) answer["maxCost"] = expression->max_cost();
  const Json* device_json = Find(question, "device");
  if (device_json == nullptr) return answer;
  const Device device = DeviceFromJson(*device_json, StringAt(question, {"driver"}));
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
