// Zstandard (RFC 8878) for large texts that are kept and seldom read.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kumiko {

// One frame with its size inside.
std::string Compress(std::string_view text);

// Fails with kInvalidArgument when `frame` is damaged or would be longer than `max_bytes`.
Result<std::string> Decompress(std::string_view frame, std::size_t max_bytes);

}  // namespace kumiko
