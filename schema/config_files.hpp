#pragma once

#include "schema/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace weir {

/// What a file holds and who may see it.
struct file_text {
  std::string bytes;
  bool others_may_read = false; ///< Mode has a bit for users of no group.
};

/// Reads a regular file whole. Errors: `ec::not_found`; `ec::forbidden` when it
/// may not be read; `ec::too_large`; `ec::invalid_argument` when it is no file;
/// `ec::unavailable` when reading fails.
expected<file_text> read_file(const std::string& path, size_t bytes_max);

/// Reads a token from a file that only its owner and group may read; white
/// space around it is no part of it. Errors: as `read_file`; `ec::forbidden`
/// when others may read it; `ec::invalid_argument` when it holds no token.
expected<std::string> read_token_file(const std::string& path);

/// As `read_token_file`; when the file is missing, makes it with a new token,
/// mode 0600. Two processes that do so at once get the same token.
expected<std::string> ensure_token_file(const std::string& path);

/// Writes a file of mode 0600 in whole or not at all, durable when it returns.
/// Errors: `ec::unavailable`, whose context names the path and the reason.
expected<void> write_private_file(const std::string& path,
                                  std::string_view bytes);

/// Makes a file of mode 0600, durable when it returns, unless there is one:
/// that is left alone, and no error. Errors: as `write_private_file`.
expected<void> make_private_file(const std::string& path,
                                 std::string_view bytes);

/// 256 random bits in hex.
std::string new_token();

/// Names a token in logs and messages: the first 8 hex digits of its SHA-256.
std::string token_fingerprint(std::string_view token);

} // namespace weir
