#include "base/term.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/text.h"

namespace kumiko {
namespace {

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

struct Range {
  char32_t first;
  char32_t last;
};

// Ranges of Unicode's East Asian Width W and F, emoji shown as pictures included, joined across unassigned gaps.
constexpr Range kWide[] = {{0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x25FD, 0x25FE},
                           {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26A1, 0x26A1},   {0x26BD, 0x26BE},
                           {0x26D4, 0x26D4},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
                           {0x274C, 0x274C},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
                           {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2E80, 0x303E},   {0x3041, 0x33FF},
                           {0x3400, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
                           {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
                           {0x16FE0, 0x18CFF}, {0x1B000, 0x1B2FF}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
                           {0x1F7E0, 0x1F7EB}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}};
// Combining marks of the common scripts, joiners and variation selectors.
constexpr Range kZero[] = {{0x0300, 0x036F}, {0x0483, 0x0489},  {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
                           {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E},  {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},
                           {0x20D0, 0x20FF}, {0x302A, 0x302D},  {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
                           {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF}};
// Change the direction or order of what is shown around them.
constexpr Range kBidi[] = {{0x061C, 0x061C}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}};

template <std::size_t Size>
bool Within(const Range (&ranges)[Size], char32_t point) {
  const Range* range = std::upper_bound(std::begin(ranges), std::end(ranges), point,
                                        [](char32_t value, const Range& r) { return value < r.first; });
  return range != std::begin(ranges) && point <= std::prev(range)->last;
}

// Bytes of the escape sequence that `text` begins with, or 0.
std::size_t EscapeSequence(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end == std::string_view::npos ? text.size() : end + 1;
}

int CharacterWidth(std::string_view character) {
  const char32_t point = DecodeUtf8(character);
  if (point < 0x20 || (point >= 0x7F && point < 0xA0) || Within(kZero, point)) return 0;
  return Within(kWide, point) ? 2 : 1;
}

}  // namespace

bool IsTerminal(int file_descriptor) {
  return ::isatty(file_descriptor) == 1;
}

int TerminalWidth(int file_descriptor, int fallback) {
  const auto columns = ParseInt64(Environment("COLUMNS"));
  if (columns && *columns > 0 && *columns < 10'000) return static_cast<int>(*columns);
  winsize size{};
  if (::ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return fallback;
}

Coloring DecideColoring(ColorChoice choice, int file_descriptor) {
  switch (choice) {
    case ColorChoice::kAlways:
      return Coloring::kOn;
    case ColorChoice::kNever:
      return Coloring::kOff;
    case ColorChoice::kAuto:
      break;
  }
  const bool wanted = Environment("NO_COLOR").empty() && Environment("TERM") != "dumb";
  return wanted && IsTerminal(file_descriptor) ? Coloring::kOn : Coloring::kOff;
}

std::string Colored(std::string_view text, Color color, Coloring coloring) {
  if (coloring == Coloring::kOff) return std::string(text);
  const int index = static_cast<int>(color);
  return fmt::format("\x1b[{}m{}\x1b[0m", index < 8 ? 30 + index : 82 + index, text);
}

std::string Bold(std::string_view text, Coloring coloring) {
  return coloring == Coloring::kOff ? std::string(text) : fmt::format("\x1b[1m{}\x1b[0m", text);
}

std::string EscapeControls(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    if (length == 0) {
      safe += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
      text.remove_prefix(1);
      continue;
    }
    const char32_t point = DecodeUtf8(text.substr(0, length));
    if (point < 0x20 || (point >= 0x7F && point < 0xA0)) {
      safe += fmt::format("\\x{:02x}", static_cast<unsigned>(point));
    } else if (Within(kBidi, point)) {
      safe += fmt::format("\\u{:04x}", static_cast<unsigned>(point));
    } else {
      safe += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return safe;
}

int DisplayWidth(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    if (const std::size_t skip = EscapeSequence(text); skip > 0) {
      text.remove_prefix(skip);
      continue;
    }
    const std::size_t length = Utf8Length(text);
    width += length == 0 ? 1 : CharacterWidth(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return width;
}

std::string Truncate(std::string_view text, int width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  if (width <= 0) return {};
  std::string cut;
  int used = 0;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(Utf8Length(text), 1);
    const int cells = DisplayWidth(text.substr(0, length));
    if (used + cells > width - 1) break;
    used += cells;
    cut += text.substr(0, length);
    text.remove_prefix(length);
  }
  return cut + "…";
}

}  // namespace kumiko
