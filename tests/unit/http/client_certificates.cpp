#include "tests/unit/http/client_certificates.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace weir::test {

namespace {

using key_pointer = std::shared_ptr<EVP_PKEY>;
using certificate_pointer = std::shared_ptr<X509>;

constexpr long hour = 3600;

void require(bool worked) {
  if (!worked)
    throw std::runtime_error{"cannot make a test certificate"};
}

void extend(X509* certificate, X509* issuer, int what,
            const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  auto* const extension
    = X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str());
  require(extension && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

/// An unsigned certificate, valid for an hour or since an hour no more.
certificate_pointer draft(const char* name, EVP_PKEY* key, long serial,
                          bool expired) {
  certificate_pointer made{X509_new(), X509_free};
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -2 * hour);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), expired ? -hour : hour);
  X509_set_pubkey(made.get(), key);
  X509_NAME_add_entry_by_txt(
    X509_get_subject_name(made.get()), "CN", MBSTRING_ASC,
    reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
  return made;
}

} // namespace

test_authority::test_authority(const std::string& names, bool expired) {
  auto pattern
    = (std::filesystem::temp_directory_path() / "weir-ca-XXXXXX").string();
  require(::mkdtemp(pattern.data()) != nullptr);
  folder_ = pattern;

  const key_pointer ca_key{EVP_EC_gen("P-256"), EVP_PKEY_free};
  const auto ca = draft("Weir test authority", ca_key.get(), 1, false);
  X509_set_issuer_name(ca.get(), X509_get_subject_name(ca.get()));
  extend(ca.get(), ca.get(), NID_basic_constraints, "critical,CA:TRUE");
  require(X509_sign(ca.get(), ca_key.get(), EVP_sha256()) > 0);

  const key_pointer key{EVP_EC_gen("P-256"), EVP_PKEY_free};
  const auto leaf = draft("Weir test peer", key.get(), 2, expired);
  X509_set_issuer_name(leaf.get(), X509_get_subject_name(ca.get()));
  extend(leaf.get(), ca.get(), NID_subject_alt_name, names);
  require(X509_sign(leaf.get(), ca_key.get(), EVP_sha256()) > 0);

  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{
    std::fopen(ca_file().c_str(), "w"), std::fclose};
  require(file && PEM_write_X509(file.get(), ca.get()) == 1);

  server_.reset(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  require(SSL_CTX_use_certificate(server_.get(), leaf.get()) == 1
          && SSL_CTX_use_PrivateKey(server_.get(), key.get()) == 1);
}

test_authority::~test_authority() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string test_authority::ca_file() const {
  return folder_ + "/ca.pem";
}

} // namespace weir::test
