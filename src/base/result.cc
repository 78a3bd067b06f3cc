#include "base/result.h"

namespace kumiko {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return "invalid argument";
    case Code::kNotFound:
      return "not found";
    case Code::kAlreadyExists:
      return "already exists";
    case Code::kConflict:
      return "conflict";
    case Code::kUnavailable:
      return "unavailable";
    case Code::kDeadline:
      return "deadline";
    case Code::kPermission:
      return "permission";
    case Code::kInternal:
      return "internal";
  }
  return "unknown";
}

}  // namespace kumiko
