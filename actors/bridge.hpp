#pragma once

#include "schema/error.hpp"

#include <caf/atom.hpp>
#include <caf/error.hpp>
#include <caf/make_message.hpp>
#include <caf/sec.hpp>

namespace weir {

/// `error` as it crosses the actor border.
inline caf::error to_caf(const error& what) {
  return caf::error{static_cast<uint8_t>(what.code), caf::atom("weir"),
                    caf::make_message(what.context)};
}

/// And back. Whatever CAF itself reports (a time-out, an actor that is gone)
/// means that it is not known what became of the request.
inline error from_caf(const caf::error& what) {
  if (what.category() != caf::atom("weir"))
    return {ec::unavailable, "no answer inside the process"};
  error result{static_cast<ec>(what.code()), {}};
  if (what.context().match_elements<std::string>())
    result.context = what.context().get_as<std::string>(0);
  return result;
}

/// Whether nothing came in time: whoever was asked may still be at it. Any
/// other error is the end of the request, if only because its actor ended.
inline bool timed_out(const caf::error& what) {
  return what == caf::sec::request_timeout;
}

} // namespace weir
