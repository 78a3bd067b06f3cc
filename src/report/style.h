// How text is drawn: colour, Unicode and width are decided once by the caller and handed down as a value.
#pragma once

#include <string>
#include <string_view>

#include "base/term.h"

namespace kumiko::report {

struct Style {
  Coloring coloring = Coloring::kOff;
  bool unicode = true;
  int width = 0;  // display cells of a line; 0: nothing is cut
};

// What a colour means here. Colour never stands alone: every state has a mark or a letter.
enum class Hue { kNone, kBold, kDim, kRed, kGreen, kYellow, kBlue };

std::string Paint(std::string_view text, Hue hue, const Style& style);

// `unicode` where the style allows it, else `ascii`.
std::string_view Glyph(const Style& style, std::string_view unicode, std::string_view ascii);

}  // namespace kumiko::report
