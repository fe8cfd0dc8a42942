#pragma once

#include "http/cli/command_line.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace weir {

// `weir trace …`. They return the exit code: 0, 1 when what was asked for could
// not be done or a replay differs, 3 when nothing in a trace can be replayed.

/// Which records are meant.
struct trace_selection {
  std::vector<std::string> actors; ///< Names, `NAME*`, `NAME#2`; empty: all.
  std::string from;                ///< Since the first record; empty: its time.
  std::string to;
  std::string id; ///< Somewhere in the record.
};

/// A timeline for people.
int show_trace_command(const std::string& file, const trace_selection& which,
                       bool raw, std::ostream& out, std::ostream& err);

/// What one actor needs to be replayed, to `out_file` or, when that is empty,
/// to `out`.
int cut_trace_command(const std::string& file, const trace_selection& which,
                      const std::string& out_file, std::ostream& out,
                      std::ostream& err);

/// Replays, and prints for each actor what that came to.
int replay_trace_command(const std::string& file, const trace_selection& which,
                         std::ostream& out, std::ostream& err);

/// How a running Weir is told to trace.
struct trace_order {
  std::vector<std::string> actors; ///< Empty: what is configured.
  bool with_content = false;
};

int start_trace_command(const admin_call& call, const trace_order& what,
                        bool raw, std::ostream& out, std::ostream& err);
int stop_trace_command(const admin_call& call, bool raw, std::ostream& out,
                       std::ostream& err);
int trace_status_command(const admin_call& call, bool raw, std::ostream& out,
                         std::ostream& err);

} // namespace weir
