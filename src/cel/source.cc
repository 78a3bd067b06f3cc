#include "cel/source.h"

#include <fmt/core.h>

#include <algorithm>

#include "cel/utf8.h"

namespace kumiko::cel {
namespace {

constexpr std::size_t kMaxErrorsShown = 100;
// A line of hostile text can be huge; its snippet is left out beyond this.
constexpr std::size_t kMaxSnippetBytes = 4096;

}  // namespace

std::string FormatSourceError(std::string_view text, const SourceError& error) {
  const std::size_t offset = std::min(error.offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t line_begin = line == 1 ? 0 : before.rfind('\n') + 1;
  const std::size_t line_end = std::min(text.find('\n', offset), text.size());
  const std::size_t column = CodePointCount(text.substr(line_begin, offset - line_begin));
  std::string shown = fmt::format("ERROR: <input>:{}:{}: {}", line, column + 1, error.message);
  if (line_end - line_begin > kMaxSnippetBytes) return shown;

  std::string snippet(text.substr(line_begin, line_end - line_begin));
  std::replace(snippet.begin(), snippet.end(), '\t', ' ');
  shown += "\n | " + snippet + "\n | ";
  for (std::size_t at = line_begin; at < offset;) {
    const std::size_t length = CodePointLength(text, at);
    shown += length > 1 ? "\uFF0E" : ".";
    at += length;
  }
  shown += offset < line_end && CodePointLength(text, offset) > 1 ? "\uFF3E" : "^";
  return shown;
}

std::string FormatSourceErrors(std::string_view text, std::vector<SourceError> errors) {
  std::stable_sort(errors.begin(), errors.end(),
                   [](const SourceError& a, const SourceError& b) { return a.offset < b.offset; });
  std::string shown;
  for (std::size_t i = 0; i < errors.size() && i < kMaxErrorsShown; ++i) {
    if (i > 0) shown += '\n';
    shown += FormatSourceError(text, errors[i]);
  }
  return shown;
}

}  // namespace kumiko::cel
