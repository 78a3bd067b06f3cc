// What the terminal at stdout can show: colour, Unicode, width.
#pragma once

#include "cli/command_line.h"
#include "report/style.h"

namespace kumiko::cli {

// Not a terminal: nothing coloured unless asked for, nothing cut. Unicode only in a UTF-8 locale on a terminal that
// draws it.
report::Style StyleOfStdout(When color, bool ascii);

}  // namespace kumiko::cli
