// Text padded and cut by what a terminal shows, and numbers with their unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/style.h"

namespace kumiko::report {

std::size_t Cells(std::string_view text);  // DisplayWidth, as a size

std::string PadRight(std::string_view text, std::size_t cells);

// At most `cells` wide. Names lose their middle, since both ends tell them apart; sentences lose their end.
std::string CutMiddle(std::string_view text, std::size_t cells, const Style& style);
std::string CutEnd(std::string_view text, std::size_t cells, const Style& style);

// `text` in lines of at most `cells`, broken at blanks; a longer word stays whole on its own line.
std::vector<std::string> Wrap(std::string_view text, std::size_t cells);

// With the signs that sentences are worded with ("×", "≥", "→") in ASCII, where only that is drawn.
std::string Worded(std::string text, const Style& style);

// "61 %", rounded to the nearest; "-" when the whole is 0.
std::string Percent(std::int64_t part, std::int64_t whole);
// "79.3 GiB", "640 MiB", "1.2 TiB": one decimal below 100, a zero decimal left out.
std::string BinarySize(std::int64_t bytes);
// "1 pod", "3 pods".
std::string Counted(std::int64_t n, std::string_view one, std::string_view many);

}  // namespace kumiko::report
