#pragma once

#include "http/cli/command_line.hpp"

#include <iosfwd>
#include <string>

namespace weir {

/// What an operator wants removed.
struct removal_order {
  std::string appservice;
  std::string file; ///< To which it is exported first; empty: not at all.
  std::string by;   ///< Who is said to ask; empty: the system's user.
};

/// Exports what is kept of an appservice to a file of its own, checks that all
/// of it is there and on disk, and only then has it deleted, page by page,
/// telling how far it is. Nothing is deleted when anything came or went since
/// the export. Returns the exit code.
int remove_command(const admin_call& call, const removal_order& what, bool raw,
                   std::ostream& out, std::ostream& err);

} // namespace weir
