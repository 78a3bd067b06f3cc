#include "localcluster/apiserver/account_tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "localcluster/apiserver/certificate.h"
#include "localcluster/apiserver/digest.h"

namespace kumiko::localcluster {
namespace {

constexpr std::int64_t kMicrosInSecond = 1'000'000;

// Base64 for URLs, without padding (RFC 4648 §5).
std::string EncodeForUrl(std::string_view bytes) {
  std::string text = EncodeBase64(bytes);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  text.erase(std::find(text.begin(), text.end(), '='), text.end());
  return text;
}

std::optional<std::string> DecodeForUrl(std::string text) {
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return DecodeBase64(text);
}

}  // namespace

std::string AccountTokens::SignatureOf(std::string_view signed_part) const {
  return EncodeForUrl(HmacSha256(key_, signed_part));
}

std::string AccountTokens::Sign(const AccountToken& token) const {
  const Json header{{"alg", "HS256"}, {"typ", "JWT"}};
  const std::int64_t issued = token.issued.micros / kMicrosInSecond;
  const Json claims{{"aud", token.audiences},
                    {"exp", token.expires.micros / kMicrosInSecond},
                    {"iat", issued},
                    {"iss", kAccountIssuer},
                    {"kubernetes.io",
                     {{"namespace", token.namespace_}, {"serviceaccount", {{"name", token.name}, {"uid", token.uid}}}}},
                    {"nbf", issued},
                    {"sub", fmt::format("system:serviceaccount:{}:{}", token.namespace_, token.name)}};
  std::string text = EncodeForUrl(WriteJson(header)) + "." + EncodeForUrl(WriteJson(claims));
  text += "." + SignatureOf(text);
  return text;
}

bool AccountTokens::Knows(std::string_view token, Time now) const {
  const std::size_t last = token.rfind('.');
  const std::size_t first = token.find('.');
  if (first == std::string_view::npos || first == last) return false;
  if (!SameSecret(token.substr(last + 1), SignatureOf(token.substr(0, last)))) return false;
  const auto claims = DecodeForUrl(std::string(token.substr(first + 1, last - first - 1)));
  const auto parsed = claims ? ParseJson(*claims) : Result<Json>(Json());
  const Json* expires = parsed ? Find(*parsed, "exp") : nullptr;
  return expires != nullptr && expires->is_int64() && now.micros / kMicrosInSecond < expires->get_int64();
}

}  // namespace kumiko::localcluster
