// Terminal output: whether there is a terminal, its width, colours, and the width and safe form of text in it.
#pragma once

#include <string>
#include <string_view>

namespace kumiko {

bool IsTerminal(int file_descriptor);
// $COLUMNS, else what the terminal says, else `fallback`.
int TerminalWidth(int file_descriptor, int fallback = 80);

// The 16 colours every terminal has, so that people's own palettes apply.
enum class Color {
  kBlack,
  kRed,
  kGreen,
  kYellow,
  kBlue,
  kMagenta,
  kCyan,
  kWhite,
  kBrightBlack,
  kBrightRed,
  kBrightGreen,
  kBrightYellow,
  kBrightBlue,
  kBrightMagenta,
  kBrightCyan,
  kBrightWhite
};

enum class ColorChoice { kAuto, kAlways, kNever };
enum class Coloring { kOff, kOn };
// kAuto: on when the descriptor is a terminal, NO_COLOR is unset or empty, and TERM is not "dumb".
Coloring DecideColoring(ColorChoice choice, int file_descriptor);

// `text` between the escape sequences of `color`; unchanged with kOff. Does not escape `text`.
std::string Colored(std::string_view text, Color color, Coloring coloring);
std::string Bold(std::string_view text, Coloring coloring);

// Text from outside made safe to print: control characters and bytes that are not UTF-8 as \x1b, invisible characters
// that change the direction of writing as \u202e. Line breaks are escaped too.
std::string EscapeControls(std::string_view text);

// Terminal cells that `text` takes: 2 for wide characters (CJK, emoji), 0 for combining ones. Colour sequences count 0.
int DisplayWidth(std::string_view text);
// `text` cut to at most `width` cells, the last one "…" when something was cut off.
std::string Truncate(std::string_view text, int width);

}  // namespace kumiko
