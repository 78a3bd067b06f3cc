#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace kumiko::report {
namespace {

// The length of the first `cells` cells of `text`, in bytes, never inside a character.
std::size_t BytesOf(std::string_view text, std::size_t cells) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t next = at + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
    if (Cells(text.substr(0, next)) > cells) break;
    at = end = next;
  }
  return end;
}

std::string_view Tail(std::string_view text, std::size_t cells) {
  std::size_t at = 0;
  while (at < text.size() && Cells(text.substr(at)) > cells) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  }
  return text.substr(at);
}

}  // namespace

std::size_t Cells(std::string_view text) {
  return static_cast<std::size_t>(DisplayWidth(text));
}

std::string PadRight(std::string_view text, std::size_t cells) {
  const std::size_t width = Cells(text);
  return std::string(text) + std::string(width < cells ? cells - width : 0, ' ');
}

std::string CutMiddle(std::string_view text, std::size_t cells, const Style& style) {
  if (Cells(text) <= cells) return std::string(text);
  if (cells <= 1) return std::string(cells, '~');
  const std::size_t tail = (cells - 1) / 2;
  const std::string_view head = text.substr(0, BytesOf(text, cells - 1 - tail));
  return std::string(head) + std::string(Glyph(style, "…", "~")) + std::string(Tail(text, tail));
}

std::string CutEnd(std::string_view text, std::size_t cells, const Style& style) {
  if (Cells(text) <= cells) return std::string(text);
  if (cells == 0) return "";
  return std::string(text.substr(0, BytesOf(text, cells - 1))) + std::string(Glyph(style, "…", "~"));
}

std::vector<std::string> Wrap(std::string_view text, std::size_t cells) {
  std::vector<std::string> lines(1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, blank - at);
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (Cells(line) + 1 + Cells(word) <= cells) {
      line += ' ';
      line += word;
    } else {
      lines.emplace_back(word);
    }
    at = blank + 1;
  }
  return lines;
}

std::string Worded(std::string text, const Style& style) {
  if (style.unicode) return text;
  for (const auto& [sign, plain] : {std::pair<std::string_view, std::string_view>{"≥ ", ">="},
                                    {"≤ ", "<="},
                                    {"≠ ", "!="},
                                    {"×", "x"},
                                    {"→", "->"}}) {
    for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at)) {
      text.replace(at, sign.size(), plain);
    }
  }
  return text;
}

std::string Percent(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return "-";
  // Bytes of a large cluster times 100 would leave 64 bits; this is a printed share, no account.
  const double exact = static_cast<double>(part) / static_cast<double>(whole) * 100.0;
  return fmt::format("{:.0f} %", exact);
}

std::string BinarySize(std::int64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / (1024.0 * 1024.0);
  std::size_t unit = 0;
  while (value >= 1024.0 && unit + 1 < kUnits.size()) {
    value /= 1024.0;
    ++unit;
  }
  std::string number = fmt::format("{:.{}f}", value, value < 99.95 ? 1 : 0);
  if (number.ends_with(".0")) number.resize(number.size() - 2);
  return fmt::format("{} {}", number, kUnits[unit]);
}

std::string Counted(std::int64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace kumiko::report
