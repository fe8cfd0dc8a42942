#pragma once

#include "http/cli/command_line.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>

namespace weir {

// Commands about realms. With `raw` they print the answer's body as it came.
// They return the exit code.

/// A page of realms: what is queued, how old, to how many rooms.
int realms_command(const admin_call& call, int64_t after, uint32_t limit,
                   bool raw, std::ostream& out, std::ostream& err);

/// Why a realm's events go as they do.
int explain_realm_command(const admin_call& call, const std::string& realm,
                          bool raw, std::ostream& out, std::ostream& err);

/// A page of the events of a realm that some room did not get.
int realm_letters_command(const admin_call& call, const std::string& realm,
                          int64_t after, uint32_t limit, bool raw,
                          std::ostream& out, std::ostream& err);

/// What an operator wants done with a realm.
struct realm_order {
  std::string realm;
  std::string verb; ///< `pause`, `resume`, or `redeliver` of an event.
  std::string event_id;
  std::string by; ///< Empty: the user of the system.
  std::string reason;
};
int realm_order_command(const admin_call& call, const realm_order& what,
                        bool raw, std::ostream& out, std::ostream& err);

} // namespace weir
