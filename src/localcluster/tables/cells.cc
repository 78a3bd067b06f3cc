#include "localcluster/tables/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"

namespace kumiko::localcluster {
namespace {

std::string Requirement(const Json& expression) {
  const std::string key(StringAt(expression, {"key"}));
  const std::string_view how = StringAt(expression, {"operator"});
  if (how == "Exists") return key;
  if (how == "DoesNotExist") return "!" + key;
  std::vector<std::string> values;
  for (const Json& value : ListAt(expression, {"values"})) values.push_back(PlainText(value));
  std::ranges::sort(values);
  return fmt::format("{} {} ({})", key, how == "In" ? "in" : "notin", Join(values, ","));
}

std::string JoinMember(const JsonArray& objects, std::string_view member) {
  std::string text;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (i > 0) text += ',';
    text += StringAt(objects[i], {member});
  }
  return text;
}

}  // namespace

void Cells::Separate() {
  if (!std::exchange(first_, false)) out_ += ',';
}
void Cells::Text(std::string_view text) {
  Separate();
  AppendJsonText(text, out_);
}
void Cells::Number(std::int64_t number) {
  Separate();
  fmt::format_to(std::back_inserter(out_), "{}", number);
}
void Cells::Flag(bool flag) {
  Separate();
  out_ += flag ? "true" : "false";
}
void Cells::Value(const Json& value) {
  Separate();
  AppendJson(value, out_);
}
void Cells::Age(const Json& object, JsonPath path) {
  Text(AgeText(FindPath(object, path), now_));
}

std::string AgeText(const Json* time, Time now) {
  if (time == nullptr || !time->is_string()) return std::string(kUnknownText);
  const Result<Time> since = ParseRfc3339(std::string_view(time->get_string()));
  return since ? FormatAge(now - *since) : std::string(kUnknownText);
}

std::int64_t NumberAt(const Json& object, JsonPath path) {
  const Json* value = FindPath(object, path);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

bool FlagAt(const Json& object, JsonPath path) {
  const Json* value = FindPath(object, path);
  return value != nullptr && value->is_bool() && value->get_bool();
}

const JsonArray& ListAt(const Json& object, JsonPath path) {
  static const JsonArray nothing;
  const Json* value = FindPath(object, path);
  return value != nullptr && value->is_array() ? value->get_array() : nothing;
}

const JsonObject& MapAt(const Json& object, JsonPath path) {
  static const JsonObject nothing;
  const Json* value = FindPath(object, path);
  return value != nullptr && value->is_object() ? value->get_object() : nothing;
}

std::string PlainText(const Json& value) {
  return value.is_string() ? std::string(std::string_view(value.get_string())) : WriteJson(value);
}

std::string NamesOf(const JsonArray& containers) {
  return JoinMember(containers, "name");
}
std::string ImagesOf(const JsonArray& containers) {
  return JoinMember(containers, "image");
}

std::string LabelsText(const JsonObject& labels) {
  std::vector<std::string> pairs;
  for (const auto& [key, value] : labels) pairs.push_back(std::string(key) + "=" + PlainText(value));
  if (pairs.empty()) return std::string(kNoneText);
  std::ranges::sort(pairs);
  return Join(pairs, ",");
}

std::string SelectorText(const Json* selector) {
  if (selector == nullptr) return "";
  std::vector<std::pair<std::string, std::string>> requirements;  // by key
  for (const auto& [key, value] : MapAt(*selector, {"matchLabels"})) {
    requirements.emplace_back(key, std::string(key) + "=" + PlainText(value));
  }
  for (const Json& expression : ListAt(*selector, {"matchExpressions"})) {
    requirements.emplace_back(StringAt(expression, {"key"}), Requirement(expression));
  }
  std::ranges::stable_sort(requirements, {}, &std::pair<std::string, std::string>::first);
  std::string text;
  for (const auto& [key, requirement] : requirements) {
    if (!text.empty()) text += ',';
    text += requirement;
  }
  return text;
}

std::string FirstThree(const std::vector<std::string>& items) {
  constexpr std::size_t kShown = 3;
  if (items.size() <= kShown) return Join(items, ",");
  return fmt::format("{} + {} more...", Join(std::span(items).first(kShown), ","), items.size() - kShown);
}

}  // namespace kumiko::localcluster
