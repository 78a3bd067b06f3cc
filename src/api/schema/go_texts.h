// The texts that Go's types read by code of their own: quantities, times and bytes. Each reader gives the
// canonical text that the API server writes back, or the message of Go's reader (kInvalidArgument).
#pragma once

#include <string>
#include <string_view>

#include "api/schema/schema.h"
#include "base/result.h"

namespace kumiko::api {

enum class GoTextKind { kPlain, kBase64, kTime, kMicroTime };

GoTextKind GoTextKindOf(const Schema& schema);

Result<std::string> CanonicalGoText(GoTextKind kind, std::string_view text);

// "1000m" is "1"; `quantities must match the regular expression '...'`.
Result<std::string> CanonicalQuantity(std::string_view text);

}  // namespace kumiko::api
