#include "schema/log.hpp"

#include <boost/assert.hpp>

#include <cstdlib>
#include <string_view>

/// What a failed assertion inside of Boost does in this layer, which is built
/// with BOOST_ENABLE_ASSERT_HANDLER.
///
/// One assertion of Beast 1.81 is wrong: `parse_chunk_header` asserts `n >= 5`
/// when it goes on with a last chunk, but an empty chunked body that arrives as
/// "0\r\n", "\r", "\n" brings it there with four bytes, and the code below it
/// takes that. With assertions on, such a peer would end the process. Source:
/// boostorg/beast, pull request 2861.
void boost::assertion_failed(const char* expression, const char* function,
                             const char* file, long line) {
  const std::string_view where{function};
  if (std::string_view{expression} == "n >= 5"
      && where.find("parse_chunk_header") != std::string_view::npos)
    return;
  weir::logger{"http"}.error("assertion failed in a library what=\"{}\" "
                             "where={}:{} action=report it, Weir restarts",
                             expression, file, line);
  std::abort();
}
