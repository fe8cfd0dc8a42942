#pragma once

#include "schema/error.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

// How single values are written in the configuration and in registrations.
// Errors: `ec::invalid_argument`, whose context says what was expected.

/// `500ms`, `120s`, `15m`, `24h`, `7d`.
expected<std::chrono::milliseconds> parse_duration(std::string_view text);
/// In the largest unit that leaves a whole number.
std::string show_duration(std::chrono::milliseconds time);

/// Plain bytes, or with kB, MB, GB (powers of 1000), KiB, MiB, GiB (of 1024).
expected<uint64_t> parse_size(std::string_view text);
/// In the largest unit that leaves a whole number.
std::string show_size(uint64_t bytes);

/// `127.0.0.1:8009`, `[::1]:8009`; no host names, since what a name comes to
/// may change which network a listener is open to.
expected<void> check_listen_address(std::string_view text);

/// The form of `http_peer::url`: scheme in lower case, no trailing slashes,
/// unix sockets as `unix:/path`. Refuses userinfo, query, fragment and other
/// schemes. Source: rule a3 of the appservice rules.
expected<std::string> normalise_peer_url(std::string_view text);

/// As `normalise_peer_url`, without unix sockets.
expected<std::string> normalise_http_url(std::string_view text);

/// A homeserver's name: host and optional port. Source: Matrix specification,
/// "Server Name".
expected<void> check_server_name(std::string_view text);

/// A secret that can stand in a header as it is: printable ASCII without
/// spaces, at most `token_bytes_max`.
expected<void> check_token(std::string_view text);
inline constexpr size_t token_bytes_max = 4096;

/// `sqlite:///absolute/path` or `postgresql://…/name`.
expected<void> check_storage_url(std::string_view text);
/// The path of a `sqlite://` URL, or empty.
std::string sqlite_file_of(std::string_view storage_url);

/// Percent-encodes everything but unreserved characters: one path segment.
std::string encode_path_segment(std::string_view text);

/// What `word` is a misspelling of, or empty: the candidate whose last dotted
/// part is equal, else the one the fewest edits away.
std::string nearest_key(std::string_view word,
                        const std::vector<std::string>& candidates);

} // namespace weir
