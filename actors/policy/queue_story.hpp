#pragma once

#include "schema/time.hpp"

#include <boost/describe/class.hpp>

#include <string>

namespace weir::policy {

/// What was last told of a queue, by whoever served it then: an actor begins
/// with what the one before it knew, so that `since` is true whatever was
/// started anew. Times are ages.
struct queue_story {
  std::string state;
  std::string cause;
  std::string subject; ///< The transaction that state and cause are about.
  milliseconds in_state{0};
  std::string last_error;
  std::string last_error_text;
  milliseconds since_error{0};
};
BOOST_DESCRIBE_STRUCT(queue_story, (),
                      (state, cause, subject, in_state, last_error,
                       last_error_text, since_error))

} // namespace weir::policy
