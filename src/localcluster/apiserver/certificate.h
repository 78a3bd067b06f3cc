// What a local API server proves itself with: a certificate authority of its own and a certificate for loopback, made
// anew at each start, and a secret token.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"

namespace kumiko::localcluster {

struct ServerCertificate {
  std::string authority_pem;    // what clients trust
  std::string certificate_pem;  // for 127.0.0.1, ::1 and localhost, signed by it
  std::string private_key_pem;
};

// Elliptic keys (P-256), valid from a day before `now` for ten years. Errors: kInternal.
Result<ServerCertificate> MakeServerCertificate(Time now);

// 256 random bits from the operating system, in hexadecimal.
std::string MakeToken();

// Takes the same time wherever they differ.
bool SameSecret(std::string_view a, std::string_view b);

}  // namespace kumiko::localcluster
