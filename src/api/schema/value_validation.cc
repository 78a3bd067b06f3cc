#include "api/schema/value_validation.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "api/patch/go_text.h"
#include "api/schema/go_error_text.h"
#include "api/schema/text_formats.h"
#include "base/flat_map.h"

namespace kumiko::api::internal {
namespace {

// What one value's validation found, and how many checks went well: among alternatives that all fail, the errors of the
// one with the most such checks are shown.
struct Outcome {
  std::vector<ValueProblem> problems;
  FlatSet<std::string, StringHash> texts = {};  // of the problems
  int matches = 0;

  bool IsValid() const { return problems.empty(); }
  void Add(ValueProblem problem) {
    if (texts.insert(problem.text).second) problems.push_back(std::move(problem));
  }
  void Merge(Outcome other) {
    for (ValueProblem& problem : other.problems) Add(std::move(problem));
    matches += other.matches;
  }
};

// What the validator calls a value.
struct ValueType {
  std::string_view type;
  std::string_view format;
};

ValueType TypeOf(const Json& value) {
  if (value.is_object()) return {"object", ""};
  if (value.is_array()) return {"array", ""};
  if (value.is_string()) return {"string", ""};
  if (value.is_bool()) return {"boolean", ""};
  return value.is_double() ? ValueType{"number", "float64"} : ValueType{"integer", "int64"};
}

double AsDouble(const Json& number) {
  return number.is_double() ? number.get_double() : number.to_number<double>();
}

bool IsWhole(double number) {
  constexpr double kLargest = 9007199254740991.0;  // beyond it neighbours are not told apart
  return std::abs(number) <= kLargest && number == std::trunc(number);
}

// A number is compared as one of the kind that the enum has, so that 1.5 is as good as 1 there.
bool IsAllowed(const Json& value, const Json& allowed) {
  if (!value.is_number() || !allowed.is_number()) return value == allowed;
  return (allowed.is_double() ? AsDouble(value) : std::trunc(AsDouble(value))) == AsDouble(allowed);
}

std::size_t CountCharacters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

std::string JoinPath(const std::string& path, std::string_view name) {
  return fmt::format("{}.{}", path, name);
}

class Validator {
 public:
  // `path` in the validator's form: "spec.list[0]", ".key" below the root.
  Outcome Validate(const Json& value, const Json* old, const StructuralNode& node, const std::string& path) {
    Outcome outcome = ValidateAnew(value, old, node, path);
    // What an update leaves alone may stay as wrong as it was.
    if (!outcome.IsValid() && old != nullptr && *old == value) outcome.problems.clear();
    return outcome;
  }

 private:
  // The error of a field that has the validator's words as its reason.
  static ValueProblem Invalid(const std::string& path, const Json& value, std::string text) {
    return {InvalidValue(FieldOf(path), value, text), std::move(text)};
  }
  static ValueProblem WrongType(const std::string& path, std::string_view type, const Json& got) {
    std::string text = fmt::format("{} in body must be of type {}: {}", path, type, GoQuoted(got.get_string()));
    return {InvalidValue(FieldOf(path), got, text), std::move(text), true};
  }
  // Of errors that name no field.
  static ValueProblem Unplaced(std::string text) { return {InvalidValue("", Json(""), text), std::move(text)}; }
  static std::string_view FieldOf(std::string_view path) { return path.starts_with('.') ? path.substr(1) : path; }

  Outcome ValidateAnew(const Json& value, const Json* old, const StructuralNode& node, const std::string& path) {
    Outcome outcome;
    if (value.is_null()) {
      CheckNull(node, path, outcome);
      CheckEnum(value, node, path, outcome);
      return outcome;
    }
    const auto applied = [&](auto check) {
      check();
      ++outcome.matches;
    };
    if (!node.types.empty() || !node.format.empty()) applied([&] { CheckType(value, node, path, outcome); });
    applied([&] { CheckAlternatives(value, old, node, path, outcome); });
    if (value.is_string()) {
      applied([&] { CheckText(value.get_string(), node, path, outcome); });
      if (!node.format.empty()) applied([&] { CheckFormat(value, node, path, outcome); });
    }
    if (value.is_number()) applied([&] { CheckNumber(value, node, path, outcome); });
    if (value.is_array()) applied([&] { CheckList(value, old, node, path, outcome); });
    applied([&] { CheckEnum(value, node, path, outcome); });
    if (value.is_object()) applied([&] { CheckObject(value.get_object(), old, node, path, outcome); });
    ++outcome.matches;
    return outcome;
  }

  static void CheckNull(const StructuralNode& node, const std::string& path, Outcome& outcome) {
    if (node.types.empty() || node.nullable) {
      if (!node.types.empty() || !node.format.empty()) ++outcome.matches;
      return;
    }
    outcome.Add(WrongType(path, fmt::format("{}", fmt::join(node.types, ",")), "null"));
  }

  static void CheckType(const Json& value, const StructuralNode& node, const std::string& path, Outcome& outcome) {
    const auto has = [&](std::string_view type) { return std::ranges::find(node.types, type) != node.types.end(); };
    const auto [type, format] = TypeOf(value);
    const bool fits = has(type) || (type == "number" && has("integer") && IsWhole(value.get_double())) ||
                      (type == "integer" && has("number"));
    const bool is_text = value.is_string() || value.is_array();
    if (!is_text && !node.format.empty() && !fits && format != node.format) {
      outcome.Add(WrongType(path, node.format, Json(format)));
    } else if (!has("number") && !has("integer") && !node.format.empty() && is_text) {
      ++outcome.matches;  // the format will tell
    } else if (!fits) {
      outcome.Add(WrongType(path, fmt::format("{}", fmt::join(node.types, ",")), Json(type)));
    } else {
      ++outcome.matches;
    }
  }

  static void CheckText(std::string_view text, const StructuralNode& node, const std::string& path, Outcome& outcome) {
    const auto length = static_cast<std::int64_t>(CountCharacters(text));
    if (node.max_length && length > *node.max_length) {
      outcome.Add({TooLongValue(FieldOf(path), *node.max_length),
                   fmt::format("{} in body should be at most {} chars long", path, *node.max_length), true});
    } else if (node.min_length && length < *node.min_length) {
      outcome.Add(Invalid(path, Json(text),
                          fmt::format("{} in body should be at least {} chars long", path, *node.min_length)));
    } else if (node.pattern != nullptr &&
               !re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *node.pattern)) {
      outcome.Add(Invalid(path, Json(text), fmt::format("{} in body should match '{}'", path, node.pattern_text)));
    }
  }

  static void CheckFormat(const Json& value, const StructuralNode& node, const std::string& path, Outcome& outcome) {
    if (node.types == std::vector<std::string>{"integer"} || node.types == std::vector<std::string>{"number"}) return;
    if (HasFormat(value.get_string(), node.format)) return;
    outcome.Add(WrongType(path, node.format, value));
  }

  // Whether a number, or a limit of numbers, is one of the type; adds what `what` of it is not.
  static bool CheckRange(const Json& number, std::string_view what, const StructuralNode& node, const std::string& path,
                         Outcome& outcome) {
    const bool integer = node.types == std::vector<std::string>{"integer"};
    const double value = AsDouble(number);
    bool fits = true;
    if (integer && node.format == "int32") {
      fits = IsWhole(value) && value >= std::numeric_limits<std::int32_t>::min() &&
             value <= std::numeric_limits<std::int32_t>::max();
    } else if (integer) {
      fits = number.is_int64() || (number.is_double() && IsWhole(value));
    } else if (node.format == "float") {
      fits = std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());
    }
    if (fits) return true;
    const std::string_view type = integer ? "integer" : "number";
    outcome.Add(
        Unplaced(node.format.empty()
                     ? fmt::format("{} value must be of type {} (default format) in {}", what, type, path)
                     : fmt::format("{} value must be of type {} with format {} in {}", what, type, node.format, path)));
    return false;
  }

  // A limit as a value is compared with it: whole where the value is, unless the type has no such limit.
  struct Bound {
    double limit;
    std::string text;
  };
  static Bound BoundOf(double limit, std::string_view what, const Json& value, const StructuralNode& node,
                       const std::string& path, Outcome& outcome) {
    const bool fits = CheckRange(Json(limit), what, node, path, outcome);
    if (!fits || value.is_double()) return {limit, GoNumber(Json(limit))};
    return {std::trunc(limit), std::to_string(static_cast<std::int64_t>(limit))};
  }

  static void CheckNumber(const Json& value, const StructuralNode& node, const std::string& path, Outcome& outcome) {
    CheckRange(value, "Checked", node, path, outcome);
    const double number = AsDouble(value);
    if (node.multiple_of) {
      const auto [factor, text] = BoundOf(*node.multiple_of, "MultipleOf", value, node, path, outcome);
      if (factor <= 0) {
        outcome.Add(Invalid(path, value.is_double() ? Json(factor) : Json(static_cast<std::int64_t>(factor)),
                            fmt::format("factor MultipleOf declared for {} must be positive: {}", path, text)));
      } else if (!IsWhole(factor < 1 ? 1 / factor * number : number / factor)) {
        outcome.Add(Invalid(path, value, fmt::format("{} in body should be a multiple of {}", path, text)));
      }
    }
    if (node.minimum) {
      const auto [limit, text] = BoundOf(*node.minimum, "Minimum boundary", value, node, path, outcome);
      if (node.exclusive_minimum ? number <= limit : number < limit) {
        const std::string_view equal = node.exclusive_minimum ? "" : "or equal to ";
        outcome.Add(Invalid(path, value, fmt::format("{} in body should be greater than {}{}", path, equal, text)));
      }
    }
    if (node.maximum) {
      const auto [limit, text] = BoundOf(*node.maximum, "Maximum boundary", value, node, path, outcome);
      if (node.exclusive_maximum ? number >= limit : number > limit) {
        const std::string_view equal = node.exclusive_maximum ? "" : "or equal to ";
        outcome.Add(Invalid(path, value, fmt::format("{} in body should be less than {}{}", path, equal, text)));
      }
    }
    ++outcome.matches;
  }

  void CheckList(const Json& value, const Json* old, const StructuralNode& node, const std::string& path,
                 Outcome& outcome) {
    const JsonArray& list = value.get_array();
    const auto size = static_cast<std::int64_t>(list.size());
    const OldItems before(node, old);
    for (std::size_t index = 0; node.items != nullptr && index < list.size(); ++index) {
      outcome.Merge(Validate(list[index], before.Find(list[index]), *node.items, fmt::format("{}[{}]", path, index)));
    }
    if (node.min_items && size < *node.min_items) {
      outcome.Add(Invalid(path, size, fmt::format("{} in body should have at least {} items", path, *node.min_items)));
    }
    if (node.max_items && size > *node.max_items) {
      outcome.Add({TooManyItems(FieldOf(path), size, *node.max_items),
                   fmt::format("{} in body should have at most {} items", path, *node.max_items), true});
    }
    if (node.unique_items) {
      for (std::size_t index = 1; index < list.size(); ++index) {
        if (std::find(list.begin(), list.begin() + index, list[index]) == list.begin() + index) continue;
        outcome.Add(Invalid(path, Json(""), fmt::format("{} in body shouldn't contain duplicates", path)));
        break;
      }
    }
    ++outcome.matches;
  }

  static void CheckEnum(const Json& value, const StructuralNode& node, const std::string& path, Outcome& outcome) {
    if (node.allowed.empty()) return;
    if (!value.is_null() && std::ranges::any_of(node.allowed, [&](const Json& it) { return IsAllowed(value, it); }))
      return;
    std::vector<std::string> words;
    std::vector<std::string> texts;
    for (const Json& allowed : node.allowed) {
      words.push_back(allowed.is_string() ? std::string(allowed.get_string()) : GoJson(allowed));
      texts.push_back(GoValue(allowed));
    }
    outcome.Add({UnsupportedValue(FieldOf(path), value, words),
                 fmt::format("{} in body should be one of [{}]", path, fmt::join(texts, " ")), true});
  }

  void CheckObject(const JsonObject& object, const Json* old, const StructuralNode& node, const std::string& path,
                   Outcome& outcome) {
    const auto size = static_cast<std::int64_t>(object.size());
    if (node.min_properties && size < *node.min_properties) {
      outcome.Add(Invalid(path, size,
                          fmt::format("{} in body should have at least {} properties", path, *node.min_properties)));
    }
    if (node.max_properties && size > *node.max_properties) {
      outcome.Add({TooManyItems(FieldOf(path), size, *node.max_properties),
                   fmt::format("{} in body should have at most {} properties", path, *node.max_properties), true});
    }
    const auto before = [&](std::string_view name) { return old == nullptr ? nullptr : Find(*old, name); };
    for (const auto& [name, value] : object) {
      if (node.Property(name) != nullptr) continue;
      if (node.forbids_additional) {
        outcome.Add(Invalid(path, Json(name),
                            fmt::format("{}.{} in body is a forbidden property", path, std::string_view(name))));
      } else if (node.additional != nullptr) {
        outcome.Merge(Validate(value, before(name), *node.additional, JoinPath(path, name)));
      }
    }
    for (const auto& [name, property] : node.properties) {
      const Json* value = object.if_contains(name);
      if (value == nullptr) continue;
      outcome.Merge(Validate(*value, before(name), *property, path.empty() ? name : JoinPath(path, name)));
    }
    for (const std::string& name : node.required) {
      if (object.contains(name)) continue;
      const std::string at = JoinPath(path, name);
      outcome.Add({RequiredValue(FieldOf(at)), fmt::format("{} in body is required", at), true});
    }
  }

  void CheckAlternatives(const Json& value, const Json* old, const StructuralNode& node, const std::string& path,
                         Outcome& outcome) {
    if (!node.any_of.empty()) CheckAnyOf(value, old, node, path, outcome);
    if (!node.one_of.empty()) CheckOneOf(value, old, node, path, outcome);
    if (!node.all_of.empty()) CheckAllOf(value, old, node, path, outcome);
    if (node.not_this != nullptr && ValidateAnew(value, old, *node.not_this, path).IsValid()) {
      outcome.Add(Unplaced(fmt::format("{} must not validate the schema (not)", GoQuoted(path))));
    }
    ++outcome.matches;
  }

  void CheckAnyOf(const Json& value, const Json* old, const StructuralNode& node, const std::string& path,
                  Outcome& outcome) {
    std::optional<Outcome> best;
    for (const StructuralNode* alternative : node.any_of) {
      Outcome result = ValidateAnew(value, old, *alternative, path);
      if (result.IsValid()) {
        outcome.Merge(std::move(result));
        return;
      }
      if (!best || result.matches > best->matches) best = std::move(result);
    }
    outcome.Add(Unplaced(fmt::format("{} must validate at least one schema (anyOf)", GoQuoted(path))));
    outcome.Merge(std::move(*best));
  }

  void CheckOneOf(const Json& value, const Json* old, const StructuralNode& node, const std::string& path,
                  Outcome& outcome) {
    std::optional<Outcome> best;
    std::optional<Outcome> first;
    int valid = 0;
    for (const StructuralNode* alternative : node.one_of) {
      Outcome result = ValidateAnew(value, old, *alternative, path);
      if (result.IsValid()) {
        ++valid;
        best.reset();
        if (!first) first = std::move(result);
      } else if (valid == 0 && (!best || result.matches > best->matches)) {
        best = std::move(result);
      }
    }
    if (valid == 1) {
      outcome.Merge(std::move(*first));
      return;
    }
    outcome.Add(
        Unplaced(fmt::format("{} must validate one and only one schema (oneOf). {}", GoQuoted(path),
                             valid == 0 ? "Found none valid" : fmt::format("Found {} valid alternatives", valid))));
    if (best) outcome.Merge(std::move(*best));
  }

  void CheckAllOf(const Json& value, const Json* old, const StructuralNode& node, const std::string& path,
                  Outcome& outcome) {
    std::size_t valid = 0;
    for (const StructuralNode* part : node.all_of) {
      Outcome result = ValidateAnew(value, old, *part, path);
      if (result.IsValid()) ++valid;
      outcome.Merge(std::move(result));
    }
    if (valid == node.all_of.size()) return;
    outcome.Add(Unplaced(fmt::format("{} must validate all the schemas (allOf){}", GoQuoted(path),
                                     valid == 0 ? ". None validated" : "")));
  }
};

}  // namespace

std::vector<ValueProblem> ValidateValue(const Json& value, const Json* old, const StructuralNode& node) {
  return Validator().Validate(value, old, node, "").problems;
}

OldItems::OldItems(const StructuralNode& list, const Json* old) : list_(list) {
  if (old == nullptr || !old->is_array() || list.list_type != "map") return;
  for (const Json& item : old->get_array()) items_.try_emplace(KeyOf(item), &item);
}

const Json* OldItems::Find(const Json& item) const {
  if (items_.empty() || !item.is_object()) return nullptr;
  const auto found = items_.find(KeyOf(item));
  return found == items_.end() ? nullptr : found->second;
}

std::string OldItems::KeyOf(const Json& item) const {
  std::string text;
  for (const std::string& key : list_.list_map_keys) {
    const Json* value = kumiko::Find(item, key);
    text += fmt::format("{},", value == nullptr ? std::string() : GoJson(*value));
  }
  return text;
}

}  // namespace kumiko::api::internal
