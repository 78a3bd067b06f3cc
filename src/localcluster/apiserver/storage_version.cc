#include "localcluster/apiserver/storage_version.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <string_view>

#include "base/base64.h"
#include "base/check.h"

namespace kumiko::localcluster {

std::string StorageVersionHash(const api::KindInfo& kind) {
  constexpr std::size_t kShown = 8;
  const std::string text = fmt::format("{}/{}/{}", kind.group, kind.version, kind.kind);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  const int hashed = EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  KU_CHECK(hashed == 1) << "SHA-256 is not to be had from OpenSSL";
  std::string bytes;
  for (std::size_t i = 0; i < kShown; ++i) bytes.push_back(static_cast<char>(digest[i]));
  return EncodeBase64(bytes);
}

}  // namespace kumiko::localcluster
