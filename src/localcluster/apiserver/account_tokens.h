// Tokens of ServiceAccounts: JSON Web Tokens (RFC 7519) that this server signs and takes until they expire. Every
// account may do everything here, as nothing decides by roles.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/time.h"

namespace kumiko::localcluster {

struct AccountToken {
  std::string_view namespace_;
  std::string_view name;
  std::string_view uid;
  Json audiences;  // of texts
  Time issued;
  Time expires;
};

// Thread safe.
class AccountTokens {
 public:
  // Tokens of another key are not taken.
  explicit AccountTokens(std::string key) : key_(std::move(key)) {}

  std::string Sign(const AccountToken& token) const;
  // Whether Sign made it and it has not expired.
  bool Knows(std::string_view token, Time now) const;

 private:
  std::string SignatureOf(std::string_view signed_part) const;

  std::string key_;
};

inline constexpr std::string_view kAccountIssuer = "https://kubernetes.default.svc.cluster.local";

}  // namespace kumiko::localcluster
