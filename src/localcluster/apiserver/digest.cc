#include "localcluster/apiserver/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "base/check.h"

namespace kumiko::localcluster {
namespace {

using Bytes = std::array<unsigned char, EVP_MAX_MD_SIZE>;

const unsigned char* BytesOf(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string Sha256(std::string_view text) {
  Bytes digest{};
  unsigned size = 0;
  KU_CHECK(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

std::string HmacSha256(std::string_view key, std::string_view text) {
  Bytes digest{};
  unsigned size = 0;
  KU_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), BytesOf(text), text.size(), digest.data(),
                &size) != nullptr);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

}  // namespace kumiko::localcluster
