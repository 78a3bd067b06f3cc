// What Kubernetes asks of literals beyond their types, before anything runs: items of one type, times, durations and
// patterns that parse, formats that fit their arguments.
#pragma once

#include <vector>

#include "cel/checker.h"

namespace kumiko::cel {

// Adds to `errors`, and keeps the patterns that it compiles. The types of `checked` must be final.
void CheckLiterals(CheckedAst& checked, const Environment& environment, std::vector<SourceError>& errors);

}  // namespace kumiko::cel
