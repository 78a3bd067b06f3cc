// The exit codes of every kumiko binary.
#pragma once

#include "base/result.h"

namespace kumiko::cli {

enum class ExitCode {
  kDone = 0,
  kBadInput = 1,         // a file, a flag or an object is wrong; stderr names file, line and field
  kInternalFailure = 2,  // not the caller's fault: no memory, no port, a defect
  kCheckFailed = 3,      // a check that was asked for did not hold
};

// The code for an error that ends a command: what the caller can mend is bad input, the rest is an internal failure.
ExitCode ExitCodeFor(const Error& error);

}  // namespace kumiko::cli
