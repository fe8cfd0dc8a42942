#pragma once

#include "http/cli/command_line.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

// Commands that ask a running Weir. With `raw` they print the answer's body as
// it came. They return the exit code.

/// Asks and understands, or says why not. With `raw` the body of a good answer
/// goes to `out` as it came, and an empty object is returned.
std::optional<nlohmann::json> ask_admin(const admin_call& call,
                                        std::string_view method,
                                        const std::string& path, bool raw,
                                        std::ostream& out, std::ostream& err);

/// A row for each appservice: state, what is owed, the last failure, what next.
int status_command(const admin_call& call, bool raw, std::ostream& out,
                   std::ostream& err);

/// Whether the process answers; with `ready`, whether its store takes writes.
/// For probes: it needs no token and prints a word.
int health_command(const admin_call& call, bool ready, std::ostream& out,
                   std::ostream& err);

/// Has the configuration read again; tells what changed, or all that is wrong.
int reload_command(const admin_call& call, bool raw, std::ostream& out,
                   std::ostream& err);

/// Which dead letters or quarantined bodies to list.
struct kept_filter {
  std::string appservice; ///< Empty: of all.
  int64_t after = 0;      ///< The last id of the page before.
  uint32_t limit = 100;   ///< 1 to `limits::page_rows_max`.
};

/// One page of dead letters, oldest first.
int list_dead_letters_command(const admin_call& call, const kept_filter& filter,
                              bool raw, std::ostream& out, std::ostream& err);

/// One dead letter with its content.
int show_dead_letter_command(const admin_call& call, int64_t id, bool raw,
                             std::ostream& out, std::ostream& err);

} // namespace weir
