#include "http/tls_identity.hpp"

#include "schema/config_files.hpp"
#include "schema/log.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <ctime>
#include <utility>

namespace weir {

namespace {

const logger log_{"listener"};

/// A chain and a key are far smaller.
constexpr size_t pem_bytes_max = size_t{1} << 20;

error wrong(const std::string& file, const std::string& what) {
  ERR_clear_error();
  return {ec::invalid_argument, file + ": " + what};
}

expected<std::shared_ptr<SSL_CTX>>
make_context(const std::string& certificate_file, const std::string& key_file) {
  WEIR_TRY(const auto key, read_file(key_file, pem_bytes_max));
  if (key.others_may_read)
    return fail(ec::forbidden,
                key_file + ": others may read this key, run chmod o-rwx on it");
  std::shared_ptr<SSL_CTX> context{SSL_CTX_new(TLS_server_method()),
                                   SSL_CTX_free};
  if (!context)
    return fail(ec::unavailable, "no memory for a TLS context");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // Sessions are not resumed: tickets would outlive a certificate.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context.get(),
                                         certificate_file.c_str())
      != 1)
    return fail(wrong(certificate_file, "expected a certificate in PEM"));
  if (SSL_CTX_use_PrivateKey_file(context.get(), key_file.c_str(),
                                  SSL_FILETYPE_PEM)
      != 1)
    return fail(wrong(key_file,
                      "expected the key of the certificate, in PEM and without "
                      "a password"));
  if (SSL_CTX_check_private_key(context.get()) != 1)
    return fail(wrong(key_file, "expected the key of the certificate"));
  return context;
}

int64_t expiry_of(const SSL_CTX& context) {
  const auto* const shown = SSL_CTX_get0_certificate(&context);
  std::tm when{};
  if (shown == nullptr
      || ASN1_TIME_to_tm(X509_get0_notAfter(shown), &when) != 1)
    return 0;
  return timegm(&when);
}

} // namespace

tls_identity::tls_identity(std::string certificate_file, std::string key_file)
  : certificate_file_{std::move(certificate_file)},
    key_file_{std::move(key_file)} {
}

tls_identity::file_times tls_identity::times() const {
  std::error_code ignored; // A missing file has no time and fails when read.
  return {std::filesystem::last_write_time(certificate_file_, ignored),
          std::filesystem::last_write_time(key_file_, ignored)};
}

expected<std::shared_ptr<SSL_CTX>> tls_identity::current() {
  const auto now = times();
  const std::lock_guard guard{mutex_};
  if (context_ && now == looked_at_)
    return context_;
  looked_at_ = now;
  auto made = make_context(certificate_file_, key_file_);
  refused_ = !made;
  if (made) {
    if (std::exchange(context_, made.value()))
      log_.info("certificate read again file={}", certificate_file_);
    return context_;
  }
  if (!context_)
    return fail(made.error());
  log_.error("certificate not taken up what={} action=the one before stays in "
             "use, correct the files",
             to_string(made.error()));
  return context_;
}

tls_identity::figures tls_identity::figures_now() const {
  const std::lock_guard guard{mutex_};
  return {refused_, context_ ? expiry_of(*context_) : 0};
}

expected<void> tls_identity::load() {
  WEIR_TRY(current());
  return ok();
}

expected<SSL*> tls_identity::session() {
  WEIR_TRY(const auto context, current());
  auto* const made = SSL_new(context.get());
  if (made == nullptr)
    return fail(ec::unavailable, "no memory for a TLS session");
  return made;
}

} // namespace weir
