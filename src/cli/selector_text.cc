#include "cli/selector_text.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "gpu/device_classes.h"

namespace kumiko::cli {
namespace {

// Positions of `text` outside strings and brackets, where the next bytes are `token`.
std::vector<std::size_t> TopLevel(std::string_view text, std::string_view token) {
  std::vector<std::size_t> found;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') {
        ++i;
      } else if (c == quote) {
        quote = 0;
      }
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth == 0 && text.substr(i, token.size()) == token) {
      found.push_back(i);
      i += token.size() - 1;
    }
  }
  return found;
}

// The text between the first pair of quotes, if `text` has one.
std::optional<std::string> Quoted(std::string_view text) {
  const std::size_t open = text.find_first_of("\"'");
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t close = text.find(text[open], open + 1);
  if (close == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(open + 1, close - open - 1));
}

// "memory" for device.capacity["gpu.nvidia.com"].memory and for the same with dots only.
std::string LastMember(std::string_view path) {
  path = Trim(path);
  const std::size_t dot = path.find_last_of(".]");
  std::string_view name = dot == std::string_view::npos ? path : path.substr(dot + 1);
  if (name.empty()) {
    if (const auto quoted = Quoted(path.substr(path.find_last_of('[')))) return *quoted;
  }
  return std::string(name);
}

// x.multiprocessors for x.multiprocessors.asInteger()
std::string_view WithoutCalls(std::string_view path) {
  path = Trim(path);
  const std::size_t dot = path.find_last_of('.');
  return path.ends_with("()") && dot != std::string_view::npos ? path.substr(0, dot) : path;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kComparisons = {
    {{">=", "≥"}, {"<=", "≤"}, {"==", "="}, {"!=", "≠"}, {">", ">"}, {"<", "<"}}};

// The place of the comparison outside brackets, and which.
struct Comparison {
  std::size_t at = 0;
  std::string_view token;
  std::string_view sign;
};
std::optional<Comparison> FindComparison(std::string_view conjunct) {
  for (const auto& [token, sign] : kComparisons) {
    const auto at = TopLevel(conjunct, token);
    if (at.size() == 1) return Comparison{at.front(), token, sign};
  }
  return std::nullopt;
}

// x.memory.compareTo(quantity("16Gi")) >= 0
std::optional<std::string> QuantityComparison(std::string_view left, std::string_view sign, std::string_view right) {
  const std::size_t call = left.find(".compareTo(");
  if (call == std::string_view::npos || Trim(right) != "0") return std::nullopt;
  const auto value = Quoted(left.substr(call));
  if (!value) return std::nullopt;
  return fmt::format("{} {} {}", LastMember(left.substr(0, call)), sign, *value);
}

std::optional<std::string> QuantityCall(std::string_view conjunct) {
  for (const auto& [call, sign] : {std::pair<std::string_view, std::string_view>{".isGreaterThan(", ">"},
                                   std::pair<std::string_view, std::string_view>{".isLessThan(", "<"}}) {
    const std::size_t at = conjunct.find(call);
    if (at == std::string_view::npos) continue;
    const auto value = Quoted(conjunct.substr(at));
    if (value) return fmt::format("{} {} {}", LastMember(conjunct.substr(0, at)), sign, *value);
  }
  return std::nullopt;
}

std::string ClassWords(const std::string& name) {
  if (name == gpu::kGpuClass) return "GPU";
  if (name == gpu::kMigClass) return "part";
  if (name == gpu::kGpuOrPartClass) return "GPU or part";
  return name;
}

// "NVIDIA H200" is an H200 to everyone.
std::string WithoutVendor(const std::string& name) {
  constexpr std::string_view kVendor = "NVIDIA ";
  return name.starts_with(kVendor) ? name.substr(kVendor.size()) : name;
}

std::string RequestWords(const api::DeviceSubRequest& request) {
  std::string names;
  std::string rest;
  for (const api::DeviceSelector& selector : request.selectors) {
    if (!selector.cel) continue;
    for (const std::string& conjunct : Conjuncts(selector.cel->expression)) {
      const Wording wording = ShortForm(conjunct);
      (wording.names ? names : rest) += wording.names ? wording.text + " " : ", " + wording.text;
    }
  }
  std::string words = names + ClassWords(request.device_class_name) + rest;
  if (request.allocation_mode == api::kAll) return "every " + words;
  return request.count > 1 ? fmt::format("{} × {}", request.count, words) : words;
}

}  // namespace

std::vector<std::string> Conjuncts(std::string_view expression) {
  if (!TopLevel(expression, "||").empty() || !TopLevel(expression, "?").empty()) {
    return {std::string(Trim(expression))};
  }
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (const std::size_t at : TopLevel(expression, "&&")) {
    parts.emplace_back(Trim(expression.substr(from, at - from)));
    from = at + 2;
  }
  parts.emplace_back(Trim(expression.substr(from)));
  return parts;
}

Wording ShortForm(std::string_view conjunct) {
  if (const auto call = QuantityCall(conjunct)) return {false, *call};
  if (const auto comparison = FindComparison(conjunct)) {
    const std::string_view left = conjunct.substr(0, comparison->at);
    const std::string_view right = conjunct.substr(comparison->at + comparison->token.size());
    if (const auto quantity = QuantityComparison(left, comparison->sign, right)) return {false, *quantity};
    const auto value = Quoted(right);
    if (comparison->token == "==" && value) return {true, WithoutVendor(*value)};
    return {false, fmt::format("{} {} {}", LastMember(WithoutCalls(left)), comparison->sign,
                               value ? *value : std::string(Trim(right)))};
  }
  if (conjunct.find('(') == std::string_view::npos) return {false, LastMember(conjunct)};
  return {false, std::string(Trim(conjunct))};
}

std::string AskedFor(const api::DeviceClaim& claim) {
  std::vector<std::string> requests;
  for (const api::DeviceRequest& request : claim.requests) {
    if (request.exactly) {
      requests.push_back(RequestWords(*request.exactly));
      continue;
    }
    std::vector<std::string> alternatives;
    for (const api::DeviceSubRequest& sub : request.first_available) alternatives.push_back(RequestWords(sub));
    requests.push_back(Join(alternatives, ", else "));
  }
  std::string words = Join(requests, "; ");
  for (const api::DeviceConstraint& constraint : claim.constraints) {
    const auto& attribute = constraint.match_attribute ? constraint.match_attribute : constraint.distinct_attribute;
    if (!attribute) continue;
    const std::size_t slash = attribute->find('/');
    words += fmt::format(", {} {}", constraint.match_attribute ? "same" : "distinct",
                         slash == std::string::npos ? *attribute : attribute->substr(slash + 1));
  }
  return words;
}

}  // namespace kumiko::cli
