#include "api/schema/field_path_text.h"

#include <fmt/format.h>

namespace kumiko::api::internal {
namespace {

// Quoted text as one token, '.', '[' and ']' by themselves, and what stands between them.
std::string_view NextToken(std::string_view& rest) {
  std::size_t size = 1;
  if (rest.front() == '\'') {
    while (size < rest.size() && (rest[size] != '\'' || rest[size - 1] == '\\')) ++size;
    size = std::min(size + 1, rest.size());
  } else if (rest.front() != '.' && rest.front() != '[' && rest.front() != ']') {
    size = std::min(rest.find_first_of(".[]"), rest.size());
  }
  const std::string_view token = rest.substr(0, size);
  rest.remove_prefix(size);
  return token;
}

Result<std::string> Unescaped(std::string_view text) {
  constexpr std::string_view kEscapes = "a\ab\bf\fn\nr\rt\tv\v''\\\\";
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      plain += text[at];
      continue;
    }
    std::size_t escape = 0;
    while (escape < kEscapes.size() && kEscapes[escape] != text[at + 1]) escape += 2;
    if (escape >= kEscapes.size()) {
      return Fail(Code::kInvalidArgument, "invalid string literal: invalid escape char {}", text.substr(at, 2));
    }
    plain += kEscapes[escape + 1];
    ++at;
  }
  return plain;
}

}  // namespace

Result<std::string> FieldPathText(std::string_view path, const StructuralNode& root) {
  const StructuralNode* node = &root;
  std::string text;
  const auto step = [&](const std::string& name) -> Status {
    const bool named = !node->properties.empty();
    const StructuralNode* next = named ? node->Property(name) : node->additional;
    if (next == nullptr) return Fail(Code::kInvalidArgument, "does not refer to a valid field");
    text += named ? fmt::format("{}{}", text.empty() ? "" : ".", name) : fmt::format("[{}]", name);
    node = next;
    return {};
  };
  while (!path.empty()) {
    const std::string_view token = NextToken(path);
    if (token != "." && token != "[") return Fail(Code::kInvalidArgument, "expected [ or . but got: {}", token);
    if (path.empty()) return Fail(Code::kInvalidArgument, "unexpected end of JSON path");
    const std::string_view name = NextToken(path);
    if (token == ".") {
      KU_TRY_OK(step(std::string(name)));
      continue;
    }
    if (name.size() < 2 || name.front() != '\'' || name.back() != '\'') {
      return Fail(Code::kInvalidArgument, "expected single quoted string but got {}", name);
    }
    KU_TRY(const std::string key, Unescaped(name.substr(1, name.size() - 2)));
    KU_TRY_OK(step(key));
    if (path.empty()) return Fail(Code::kInvalidArgument, "unexpected end of JSON path");
    if (const std::string_view end = NextToken(path); end != "]") {
      return Fail(Code::kInvalidArgument, "expected ] but got {}", end);
    }
  }
  return text;
}

}  // namespace kumiko::api::internal
