#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

namespace weir::test {

/// An authority of its own with one certificate signed by it, in a folder that
/// goes with it.
class test_authority {
public:
  /// `names` as in an openssl configuration, e.g. "DNS:localhost,IP:127.0.0.1".
  explicit test_authority(const std::string& names, bool expired = false);
  ~test_authority();
  test_authority(const test_authority&) = delete;
  test_authority& operator=(const test_authority&) = delete;

  /// The authority's certificate as a PEM file.
  [[nodiscard]] std::string ca_file() const;
  /// For a `scripted_peer` that shows the certificate.
  [[nodiscard]] SSL_CTX* server() const noexcept {
    return server_.get();
  }

private:
  std::string folder_;
  std::shared_ptr<SSL_CTX> server_;
};

} // namespace weir::test
