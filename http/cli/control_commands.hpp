#pragma once

#include "http/cli/command_line.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace weir {

// Commands about single queues and the end of a running Weir. With `raw` they
// print the answer's body as it came. They return the exit code.

/// A page of queues; `next` of one is `after` of the following.
int queues_command(const admin_call& call, int64_t after, uint32_t limit,
                   bool raw, std::ostream& out, std::ostream& err);

/// Why a queue is as it is, what comes next and what to do, in lines of at most
/// 80 columns.
int explain_command(const admin_call& call, const std::string& appservice,
                    bool raw, std::ostream& out, std::ostream& err);

/// What an operator wants done with a queue.
struct queue_order {
  std::string appservice;
  std::string verb; ///< `pause`, `resume`, `retry`, `skip` or `retire`
  std::string by;   ///< Empty: the user of the system.
  std::string reason;
  std::string txn;
  bool force = false;
};

int queue_order_command(const admin_call& call, const queue_order& what,
                        bool raw, std::ostream& out, std::ostream& err);

/// What operators had done, the newest last. `before` 0: up to the newest.
int commands_command(const admin_call& call, int64_t before, uint32_t limit,
                     bool raw, std::ostream& out, std::ostream& err);

/// Has a running Weir end, and waits until it answers no more; tells what is in
/// flight meanwhile. Fails when that takes longer than `timeout`: Weir goes on
/// to end by itself.
/// @param pause Waits between two looks.
int drain_command(const admin_call& call, milliseconds timeout, bool raw,
                  const std::function<void(milliseconds)>& pause,
                  std::ostream& out, std::ostream& err);

/// The user that runs this, also behind sudo; empty when there is no name.
std::string system_user();

/// `text` in lines of at most `columns`, broken at spaces, each after the first
/// behind `indent` spaces.
std::string wrapped(const std::string& text, size_t indent, size_t columns);

} // namespace weir
