#pragma once

#include "schema/error.hpp"

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

// OpenSSL's own names, so that this header costs nothing to include.
using SSL = struct ssl_st;
using SSL_CTX = struct ssl_ctx_st;

namespace weir {

/// Makes client sessions that verify the peer's certificate, its dates and its
/// name: TLS 1.2 or newer. Thread-safe.
class tls_trust {
public:
  /// A new session for `host`, a name or a literal address; the caller frees
  /// it. `ca_file`: PEM file to trust instead of the system's store; read again
  /// when it changes. Errors: `ec::invalid_argument` when the file is no PEM.
  expected<SSL*> session(const std::string& ca_file, const std::string& host);

private:
  struct entry {
    std::shared_ptr<SSL_CTX> context;
    std::filesystem::file_time_type written;
  };
  expected<std::shared_ptr<SSL_CTX>> context(const std::string& ca_file);

  std::mutex lock_;
  std::unordered_map<std::string, entry> contexts_; ///< By `ca_file`.
};

/// What to tell a person after a failed handshake: the verdict on the
/// certificate when there is one, else `otherwise`.
std::string handshake_detail(SSL* session, const std::string& host,
                             const std::string& otherwise);

/// Decrypted or still encrypted bytes wait inside the session: the peer sent
/// more than the answer.
bool session_holds_bytes(SSL* session);

} // namespace weir
