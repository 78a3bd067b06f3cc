#include "cli/exit_code.h"

namespace kumiko::cli {

ExitCode ExitCodeFor(const Error& error) {
  switch (error.code) {
    case Code::kInvalidArgument:
    case Code::kNotFound:
    case Code::kAlreadyExists:
    case Code::kPermission:
      return ExitCode::kBadInput;
    case Code::kConflict:
    case Code::kUnavailable:
    case Code::kDeadline:
    case Code::kInternal:
      return ExitCode::kInternalFailure;
  }
  return ExitCode::kInternalFailure;
}

}  // namespace kumiko::cli
