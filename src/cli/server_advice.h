// What to do about an API server that does not answer as hoped.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"

namespace kumiko::cli {

// The error of a list, with what to do about it: which right is missing, which release serves the kind.
Error Advised(const Error& error);

// "reading the cluster took 3.2 s" when it took more than a second, else "".
std::string SlowReading(Duration took);

}  // namespace kumiko::cli
