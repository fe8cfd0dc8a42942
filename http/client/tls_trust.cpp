#include "http/client/tls_trust.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>

#include <array>

namespace weir {

namespace {

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1
    || ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

/// Names that end in a dot are absolute in DNS; certificates leave it out.
std::string certificate_name(std::string host) {
  if (host.ends_with('.'))
    host.pop_back();
  return host;
}

expected<std::shared_ptr<SSL_CTX>> make_context(const std::string& ca_file) {
  std::shared_ptr<SSL_CTX> context{SSL_CTX_new(TLS_client_method()),
                                   SSL_CTX_free};
  if (!context)
    return fail(ec::unavailable, "no memory for a TLS context");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  ERR_clear_error();
  if (ca_file.empty()) {
    if (SSL_CTX_set_default_verify_paths(context.get()) != 1)
      return fail(ec::unavailable, "the system's trust store cannot be read");
    return context;
  }
  if (SSL_CTX_load_verify_file(context.get(), ca_file.c_str()) != 1) {
    ERR_clear_error();
    return fail(ec::invalid_argument,
                "ca_file " + ca_file + " cannot be read as PEM certificates");
  }
  // An operator who names a file trusts what is in it, an issuing authority
  // without its root or the peer's own certificate as well.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context.get()),
                              X509_V_FLAG_PARTIAL_CHAIN);
  return context;
}

} // namespace

expected<std::shared_ptr<SSL_CTX>>
tls_trust::context(const std::string& ca_file) {
  std::error_code ignored; // A missing file has no time and fails below.
  std::filesystem::file_time_type written{};
  if (!ca_file.empty())
    written = std::filesystem::last_write_time(ca_file, ignored);
  const std::scoped_lock hold{lock_};
  const auto known = contexts_.find(ca_file);
  if (known != contexts_.end() && known->second.written == written)
    return known->second.context;
  WEIR_TRY(auto made, make_context(ca_file));
  contexts_[ca_file] = {made, written};
  return made;
}

expected<SSL*> tls_trust::session(const std::string& ca_file,
                                  const std::string& host) {
  WEIR_TRY(const auto trust, context(ca_file));
  std::unique_ptr<SSL, decltype(&SSL_free)> session{SSL_new(trust.get()),
                                                    SSL_free};
  if (!session)
    return fail(ec::unavailable, "no memory for a TLS session");
  auto* const param = SSL_get0_param(session.get());
  const auto name = certificate_name(host);
  const bool address = is_address(name);
  const bool set = address
    ? X509_VERIFY_PARAM_set1_ip_asc(param, name.c_str()) == 1
    : SSL_set1_host(session.get(), name.c_str()) == 1
      && SSL_set_tlsext_host_name(session.get(), name.c_str()) == 1;
  if (!set)
    return fail(ec::invalid_argument, "host cannot be verified by TLS");
  X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return session.release();
}

std::string handshake_detail(SSL* session, const std::string& host,
                             const std::string& otherwise) {
  const auto verdict = SSL_get_verify_result(session);
  if (verdict == X509_V_OK)
    return "TLS handshake with " + host + ": " + otherwise;
  return std::string{"certificate verify failed: "}
  + X509_verify_cert_error_string(verdict) + " (host " + host + ")";
}

bool session_holds_bytes(SSL* session) {
  return SSL_has_pending(session) == 1
    || BIO_pending(SSL_get_rbio(session)) > 0;
}

} // namespace weir
