// What a command should print, as a file that people write: the text itself, with marks where it does not matter.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kumiko::localcluster {

// Nothing when `printed` is as `expected`; else what differs, with the line of `expected`. A line of `expected` that is
// `...` stands for any number of lines, a `*` in a line for any text. Blanks at the ends of lines do not count.
std::optional<std::string> Difference(std::string_view expected, std::string_view printed);

}  // namespace kumiko::localcluster
