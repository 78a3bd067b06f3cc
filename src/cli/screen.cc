#include "cli/screen.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/text.h"

namespace kumiko::cli {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// The first of the three that is set decides, as in setlocale(3).
bool LocaleIsUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = ToLower(Environment(name));
    if (value.empty()) continue;
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

ColorChoice ChoiceOf(When color) {
  switch (color) {
    case When::kAuto:
      return ColorChoice::kAuto;
    case When::kAlways:
      return ColorChoice::kAlways;
    case When::kNever:
      return ColorChoice::kNever;
  }
  return ColorChoice::kAuto;
}

}  // namespace

report::Style StyleOfStdout(When color, bool ascii) {
  const std::string terminal = Environment("TERM");
  report::Style style;
  style.coloring = DecideColoring(ChoiceOf(color), STDOUT_FILENO);
  style.unicode = !ascii && LocaleIsUtf8() && terminal != "dumb" && terminal != "linux";
  style.width = IsTerminal(STDOUT_FILENO) ? TerminalWidth(STDOUT_FILENO) : 0;
  return style;
}

}  // namespace kumiko::cli
