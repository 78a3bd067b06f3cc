#include "localcluster/tables/json_path.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/overloaded.h"
#include "base/text.h"

namespace kumiko::localcluster {

class SimpleJsonPath::Reader {
 public:
  explicit Reader(std::string_view text) : all_(text), left_(text) {}

  Result<std::vector<Step>> Read() {
    std::vector<Step> steps;
    while (!left_.empty()) {
      if (Skip(".")) {
        if (left_.starts_with('[') || left_.empty()) continue;  // "." alone is the whole object
        steps.emplace_back(Member{Name()});
        if (std::get<Member>(steps.back()).name.empty()) return Refuse("a name must follow the dot");
        if (std::get<Member>(steps.back()).name == "*") steps.back() = All{};
      } else if (Skip("[")) {
        KU_TRY(Step step, Bracket());
        steps.push_back(std::move(step));
      } else {
        return Refuse("expected . or [");
      }
    }
    return steps;
  }

 private:
  tl::unexpected<Error> Refuse(std::string_view why) const {
    return Fail(Code::kInvalidArgument, "\"{}\", character {}: {}", all_, all_.size() - left_.size() + 1, why);
  }

  bool Skip(std::string_view text) {
    if (!left_.starts_with(text)) return false;
    left_.remove_prefix(text.size());
    return true;
  }

  void SkipBlanks() {
    while (Skip(" ")) {
    }
  }

  // Up to what ends a member; a backslash keeps the next character.
  std::string Name() {
    std::string name;
    while (!left_.empty() && std::string_view(".[]()=!<> ").find(left_.front()) == std::string_view::npos) {
      if (left_.front() == '\\' && left_.size() > 1) left_.remove_prefix(1);
      name += left_.front();
      left_.remove_prefix(1);
    }
    return name;
  }

  std::optional<std::string> Quoted() {
    const char quote = left_.empty() ? ' ' : left_.front();
    if (quote != '\'' && quote != '"') return std::nullopt;
    std::string text;
    for (std::size_t i = 1; i < left_.size(); ++i) {
      if (left_[i] == quote) {
        left_.remove_prefix(i + 1);
        return text;
      }
      if (left_[i] == '\\' && i + 1 < left_.size()) ++i;
      text += left_[i];
    }
    return std::nullopt;
  }

  Result<Step> Bracket() {
    Step step;
    if (Skip("*")) {
      step = All{};
    } else if (Skip("?(")) {
      KU_TRY(Filter filter, ReadFilter());
      step = std::move(filter);
    } else if (auto name = Quoted()) {
      step = Member{*std::move(name)};
    } else {
      const std::size_t end = left_.find(']');
      const auto index = ParseInt64(left_.substr(0, end));
      if (!index) return Refuse("expected a number, a quoted name, * or ?( in the brackets");
      left_.remove_prefix(std::min(end, left_.size()));
      step = Item{*index};
    }
    if (!Skip("]")) return Refuse("expected ]");
    return step;
  }

  Result<Filter> ReadFilter() {
    Filter filter;
    SkipBlanks();
    if (!Skip("@")) return Refuse("a filter starts with @");
    while (Skip(".")) filter.path.push_back(Name());
    SkipBlanks();
    for (const std::string_view comparison : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!Skip(comparison)) continue;
      filter.comparison = comparison;
      SkipBlanks();
      if (auto text = Quoted()) {
        filter.literal = Json(*text);
      } else {
        const std::size_t end = std::min(left_.find_first_of(") "), left_.size());
        Result<Json> literal = ParseJson(left_.substr(0, end));
        if (!literal) return Refuse("expected text in quotes, a number, true or false");
        filter.literal = *std::move(literal);
        left_.remove_prefix(end);
      }
      break;
    }
    SkipBlanks();
    if (!Skip(")")) return Refuse("expected )");
    return filter;
  }

  std::string_view all_;
  std::string_view left_;
};

Result<SimpleJsonPath> SimpleJsonPath::Parse(std::string_view text) {
  SimpleJsonPath path;
  KU_TRY(path.steps_, Reader(text).Read());
  return path;
}

bool SimpleJsonPath::Holds(const Filter& filter, const Json& item) {
  const Json* value = &item;
  for (const std::string& name : filter.path) {
    value = Find(*value, name);
    if (value == nullptr) return false;
  }
  if (filter.comparison.empty()) return true;
  if (filter.comparison == "==") return *value == filter.literal;
  if (filter.comparison == "!=") return *value != filter.literal;
  if (!value->is_number() || !filter.literal.is_number()) return false;
  const auto a = value->to_number<double>();
  const auto b = filter.literal.to_number<double>();
  if (filter.comparison == "<") return a < b;
  if (filter.comparison == "<=") return a <= b;
  if (filter.comparison == ">") return a > b;
  return a >= b;
}

const Json* SimpleJsonPath::First(const Json& value, std::size_t step) const {
  if (step == steps_.size()) return &value;
  const auto first_of = [&](auto accepts) -> const Json* {
    const JsonArray* list = value.if_array();
    if (list == nullptr) return nullptr;
    for (const Json& item : *list) {
      if (!accepts(item)) continue;
      if (const Json* found = First(item, step + 1)) return found;
    }
    return nullptr;
  };
  return std::visit(
      Overloaded{[&](const Member& member) -> const Json* {
                   const Json* found = Find(value, member.name);
                   return found == nullptr ? nullptr : First(*found, step + 1);
                 },
                 [&](const Item& item) -> const Json* {
                   const JsonArray* list = value.if_array();
                   if (list == nullptr) return nullptr;
                   const auto size = static_cast<std::int64_t>(list->size());
                   const std::int64_t at = item.index < 0 ? size + item.index : item.index;
                   if (at < 0 || at >= size) return nullptr;
                   return First((*list)[static_cast<std::size_t>(at)], step + 1);
                 },
                 [&](const All&) { return first_of([](const Json&) { return true; }); },
                 [&](const Filter& filter) { return first_of([&](const Json& item) { return Holds(filter, item); }); }},
      steps_[step]);
}

}  // namespace kumiko::localcluster
