#pragma once

#include "persistence/store.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace weir::test {

/// A throwaway PostgreSQL server, shared by the test programs of one build
/// folder that run at the same time, so that not each of them pays for an
/// initdb. A keeper process stops and removes it once nobody has used it for a
/// few seconds, however its users ended. It does not flush (`fsync = off`).
///
/// Throws when there is no PostgreSQL: that is a failure, not a skip.
class postgresql_cluster {
public:
  static postgresql_cluster& shared();

  [[nodiscard]] uint16_t port() const noexcept {
    return port_;
  }
  /// Runs one statement.
  void execute(const std::string& statement) const;

private:
  postgresql_cluster();

  uint16_t port_ = 0;
};

/// An empty schema of its own for one test, dropped at the end. To the store it
/// is a database; a real one would cost a second to make and drop.
class postgresql_database {
public:
  postgresql_database();
  ~postgresql_database();
  postgresql_database(const postgresql_database&) = delete;
  postgresql_database& operator=(const postgresql_database&) = delete;

  [[nodiscard]] store_options options() const;
  /// The same through another port, for a proxy in between.
  [[nodiscard]] store_options options_through(uint16_t port) const;

  /// Ends every connection to it, as an administrator would.
  void end_connections() const;
  /// Runs statements on it, past any store.
  void execute(const std::string& statements) const;

private:
  std::string name_;
};

} // namespace weir::test
