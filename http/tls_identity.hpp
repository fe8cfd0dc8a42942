#pragma once

#include "schema/error.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

// OpenSSL's own names, so that this header costs nothing to include.
using SSL = struct ssl_st;
using SSL_CTX = struct ssl_ctx_st;

namespace weir {

/// The certificate that a listener shows, with its key: TLS 1.2 or newer. Read
/// again when one of its files changes; a pair that is wrong, such as a
/// certificate whose key is not written yet, leaves the one before in use.
/// Thread-safe.
class tls_identity {
public:
  /// @param certificate_file PEM: the certificate, and those between it and the
  /// authority. @param key_file PEM, without a password.
  tls_identity(std::string certificate_file, std::string key_file);

  /// Reads both files. Errors: `ec::invalid_argument` that names the file and
  /// what is wrong; `ec::forbidden` when others may read the key.
  expected<void> load();

  /// A new session for one connection; the caller frees it. Errors: as `load`
  /// as long as nothing was loaded.
  expected<SSL*> session();

  struct figures {
    bool refused = false;  ///< What the files hold now is wrong.
    int64_t expires_s = 0; ///< Of what is in use: seconds since 1970.
  };
  /// As far as a session has looked.
  [[nodiscard]] figures figures_now() const;

private:
  using file_times = std::pair<std::filesystem::file_time_type,
                               std::filesystem::file_time_type>;

  [[nodiscard]] file_times times() const;
  expected<std::shared_ptr<SSL_CTX>> current();

  const std::string certificate_file_;
  const std::string key_file_;
  mutable std::mutex mutex_; ///< Of all below.
  std::shared_ptr<SSL_CTX> context_;
  file_times looked_at_{};
  bool refused_ = false;
};

} // namespace weir
