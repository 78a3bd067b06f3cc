#include "localcluster/expected_text.h"

#include <fmt/core.h>

#include <cstddef>
#include <vector>

#include "base/text.h"

namespace kumiko::localcluster {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::string_view kAnyLines = "...";

Lines LinesOf(std::string_view text) {
  Lines lines;
  for (std::string_view line : Split(text, '\n')) {
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    lines.push_back(line);
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// Greedy: the earliest place for what stands between two stars.
bool Matches(std::string_view pattern, std::string_view line) {
  std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == line;
  if (!line.starts_with(pattern.substr(0, star))) return false;
  line.remove_prefix(star);
  for (;;) {
    pattern.remove_prefix(star + 1);
    star = pattern.find('*');
    const std::string_view piece = pattern.substr(0, star);
    if (star == std::string_view::npos) return line.size() >= piece.size() && line.ends_with(piece);
    const std::size_t found = line.find(piece);
    if (found == std::string_view::npos) return false;
    line.remove_prefix(found + piece.size());
  }
}

// Whether the block of expected lines stands at `at`; `line` becomes the first that does not.
bool StandsAt(const Lines& printed, std::size_t at, const Lines& expected, std::size_t begin, std::size_t end,
              std::size_t& line) {
  for (line = begin; line < end; ++line, ++at) {
    if (at >= printed.size() || !Matches(expected[line], printed[at])) return false;
  }
  return true;
}

std::string Missing(const Lines& expected, std::size_t line, std::string_view is) {
  return fmt::format("line {} of what is expected is not there: \"{}\"{}", line + 1, expected[line], is);
}

}  // namespace

std::optional<std::string> Difference(std::string_view expected_text, std::string_view printed_text) {
  const Lines expected = LinesOf(expected_text);
  const Lines printed = LinesOf(printed_text);
  std::size_t at = 0;
  bool anywhere = false;  // lines may be left out before the next block
  for (std::size_t begin = 0; begin < expected.size();) {
    if (expected[begin] == kAnyLines) {
      anywhere = true;
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < expected.size() && expected[end] != kAnyLines) ++end;
    const bool last = end == expected.size();
    std::size_t wrong = begin;
    std::size_t furthest = begin;
    std::size_t near = at;
    bool found = false;
    for (std::size_t from = at; !found && from <= printed.size(); ++from) {
      // The last block ends the text.
      const bool ends = !last || from + (end - begin) == printed.size();
      if (StandsAt(printed, from, expected, begin, end, wrong) && ends) {
        at = from + (end - begin);
        found = true;
      } else if (wrong >= furthest) {
        furthest = wrong;
        near = from + (wrong - begin);
      }
      if (!anywhere) break;
    }
    if (!found && furthest < end) {
      return Missing(expected, furthest, near < printed.size() ? fmt::format(", but \"{}\"", printed[near]) : "");
    }
    if (!found) return fmt::format("more is printed than expected: \"{}\"", printed[near]);
    begin = end;
    anywhere = false;
  }
  if (anywhere || at >= printed.size()) return std::nullopt;
  return fmt::format("more is printed than expected: \"{}\"", printed[at]);
}

}  // namespace kumiko::localcluster
