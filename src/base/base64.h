// Base64 with padding (RFC 4648 §4), as JSON carries bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kumiko {

std::string EncodeBase64(std::string_view bytes);

// Line breaks are allowed anywhere. Nothing when `text` is not base64 or lacks its padding.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace kumiko
