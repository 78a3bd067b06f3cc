#include "report/style.h"

namespace kumiko::report {

std::string Paint(std::string_view text, Hue hue, const Style& style) {
  if (text.empty()) return "";
  switch (hue) {
    case Hue::kNone:
      return std::string(text);
    case Hue::kBold:
      return Bold(text, style.coloring);
    case Hue::kDim:
      return Colored(text, Color::kBrightBlack, style.coloring);
    case Hue::kRed:
      return Colored(text, Color::kRed, style.coloring);
    case Hue::kGreen:
      return Colored(text, Color::kGreen, style.coloring);
    case Hue::kYellow:
      return Colored(text, Color::kYellow, style.coloring);
    case Hue::kBlue:
      return Colored(text, Color::kBlue, style.coloring);
  }
  return std::string(text);
}

std::string_view Glyph(const Style& style, std::string_view unicode, std::string_view ascii) {
  return style.unicode ? unicode : ascii;
}

}  // namespace kumiko::report
