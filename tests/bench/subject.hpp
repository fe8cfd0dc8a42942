#pragma once

#include "tests/bench/sink.hpp"

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// The programs that are compared.
enum class contestant {
  weir,
  weir_traced, ///< Weir that writes a trace of all its actors.
  reference,
};

/// Where they and their files are.
struct places {
  std::string weir;       ///< Program.
  std::string reference;  ///< Program.
  std::string migrations; ///< Folder of Weir's SQLite migrations.
  std::string folder;     ///< For databases; on the disk that is measured.
};

/// One of them, running on an empty database as a child process. Its end is a
/// SIGKILL: what it has acknowledged is on disk.
class subject {
public:
  /// Starts it for as many appservices and waits until it answers; ends the
  /// program if it does not.
  subject(contestant which, const places& at, const sink& bridges,
          size_t appservices);
  ~subject();
  subject(const subject&) = delete;
  subject& operator=(const subject&) = delete;

  [[nodiscard]] uint16_t port(size_t appservice) const;

  /// CPU that all its threads have used, user and system, s.
  [[nodiscard]] double cpu_seconds() const;

  /// Path up to the transaction id of an appservice.
  static std::string target(size_t appservice);
  /// What its homeserver authenticates with.
  static std::string token(size_t appservice);

private:
  void start(const std::vector<std::string>& command, const std::string& log);
  void wait_until_ready() const;

  std::vector<uint16_t> ports_;
  pid_t pid_ = -1;
};

} // namespace bench
