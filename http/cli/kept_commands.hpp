#pragma once

#include "http/cli/admin_commands.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace weir {

// Commands about what is kept: dead letters and quarantined bodies. They return
// the exit code.

/// What is done with which: those named, or the oldest of one appservice.
struct kept_order {
  std::string path;      ///< Behind the API's prefix: `dead-letters/drop`.
  std::string done_word; ///< `dropped`, for people.
  std::vector<int64_t> ids;
  std::string appservice;
  bool all = false; ///< Of the appservice, and not a commit's worth alone.
  std::string by;   ///< Who is said to ask; empty: the system's user.
};

/// Whether it says which; else that is told.
bool names_any(const kept_order& which, std::ostream& err);

/// Has it done page by page, telling how far it is. What was done before
/// something went wrong stays done, and is told.
int change_kept_command(const admin_call& call, const kept_order& which,
                        bool raw, std::ostream& out, std::ostream& err);

/// One page of quarantined bodies, oldest first.
int list_quarantine_command(const admin_call& call, const kept_filter& filter,
                            bool raw, std::ostream& out, std::ostream& err);

/// How a quarantined body is shown.
struct quarantined_view {
  int64_t id = 0;
  bool raw = false; ///< Its bytes as they came, and nothing else.
};

int show_quarantined_command(const admin_call& call, quarantined_view what,
                             bool raw, std::ostream& out, std::ostream& err);

} // namespace weir
