// Digests of texts, as raw bytes.
#pragma once

#include <string>
#include <string_view>

namespace kumiko::localcluster {

std::string Sha256(std::string_view text);
std::string HmacSha256(std::string_view key, std::string_view text);

}  // namespace kumiko::localcluster
