#include "localcluster/apiserver/certificate.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <memory>

#include "base/check.h"

namespace kumiko::localcluster {
namespace {

template <auto kFree>
struct Freer {
  template <class T>
  void operator()(T* pointer) const {
    kFree(pointer);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freer<X509_EXTENSION_free>>;
using Bio = std::unique_ptr<BIO, Freer<BIO_free_all>>;

constexpr long kSecondsPerDay = 86'400;
constexpr long kValidSeconds = 3650 * kSecondsPerDay;
constexpr const char* kAuthorityName = "kumiko-local-ca";
constexpr const char* kServerName = "kumiko-local-apiserver";
constexpr const char* kServerNames = "IP:127.0.0.1,IP:::1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default.svc";

bool Add(X509* certificate, X509* issuer, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

struct Named {
  const char* name;
  bool is_authority;
};

// `issuer` null: signs itself.
Certificate Sign(const Named& subject, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key, Time now) {
  Certificate certificate(X509_new());
  if (certificate == nullptr) return nullptr;
  X509* x = certificate.get();
  if (issuer == nullptr) issuer = x;
  std::array<unsigned char, 8> serial{};
  if (RAND_bytes(serial.data(), static_cast<int>(serial.size())) != 1) return nullptr;
  std::uint64_t number = 0;
  for (const unsigned char byte : serial) number = number << 8 | byte;
  auto* entry = reinterpret_cast<const unsigned char*>(subject.name);
  time_t start = static_cast<time_t>(now.micros / 1'000'000);
  bool ok = X509_set_version(x, 2) == 1 && ASN1_INTEGER_set_uint64(X509_get_serialNumber(x), number >> 1) == 1 &&
            X509_time_adj_ex(X509_getm_notBefore(x), 0, -kSecondsPerDay, &start) != nullptr &&
            X509_time_adj_ex(X509_getm_notAfter(x), 0, kValidSeconds, &start) != nullptr &&
            X509_set_pubkey(x, key) == 1 &&
            X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_UTF8, entry, -1, -1, 0) == 1 &&
            X509_set_issuer_name(x, X509_get_subject_name(issuer)) == 1;
  if (subject.is_authority) {
    ok = ok && Add(x, issuer, NID_basic_constraints, "critical,CA:TRUE") &&
         Add(x, issuer, NID_key_usage, "critical,keyCertSign,cRLSign,digitalSignature");
  } else {
    ok = ok && Add(x, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
         Add(x, issuer, NID_key_usage, "critical,digitalSignature") &&
         Add(x, issuer, NID_ext_key_usage, "serverAuth") && Add(x, issuer, NID_subject_alt_name, kServerNames);
  }
  // Python's clients refuse a chain without key identifiers.
  ok = ok && Add(x, issuer, NID_subject_key_identifier, "hash") &&
       Add(x, issuer, NID_authority_key_identifier, "keyid:always");
  if (!ok || X509_sign(x, issuer_key, EVP_sha256()) == 0) return nullptr;
  return certificate;
}

std::string TakeText(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string Pem(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  KU_CHECK(PEM_write_bio_X509(bio.get(), certificate) == 1) << "out of memory";
  return TakeText(bio);
}

std::string Pem(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  KU_CHECK(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1) << "out of memory";
  return TakeText(bio);
}

}  // namespace

Result<ServerCertificate> MakeServerCertificate(Time now) {
  const Key authority_key(EVP_EC_gen("P-256"));
  const Key server_key(EVP_EC_gen("P-256"));
  if (authority_key == nullptr || server_key == nullptr) return Fail(Code::kInternal, "cannot make a key pair");
  const Certificate authority = Sign({kAuthorityName, true}, authority_key.get(), nullptr, authority_key.get(), now);
  if (authority == nullptr) return Fail(Code::kInternal, "cannot make a certificate authority");
  const Certificate server = Sign({kServerName, false}, server_key.get(), authority.get(), authority_key.get(), now);
  if (server == nullptr) return Fail(Code::kInternal, "cannot make the server's certificate");
  return ServerCertificate{Pem(authority.get()), Pem(server.get()), Pem(server_key.get())};
}

std::string MakeToken() {
  std::array<unsigned char, 32> bytes{};
  KU_CHECK(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1) << "the system has no randomness";
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string token;
  for (const unsigned char byte : bytes) {
    token += kDigits[byte >> 4];
    token += kDigits[byte & 15];
  }
  return token;
}

bool SameSecret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace kumiko::localcluster
