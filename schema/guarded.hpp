#pragma once

#include <string>
#include <utility>

namespace weir {

/// Text that is used like any other but tells by its type what a trace may show
/// of it, so that no list of members has to be kept for that. What is shown is
/// decided in actors/trace/guard.hpp.
template <class Tag>
class guarded_text : public std::string {
public:
  using std::string::string;
  guarded_text() = default;
  guarded_text(std::string text) : std::string(std::move(text)) {
  }
};

/// A token or a password: shown by length and hash.
using secret = guarded_text<struct secret_tag>;

/// The bytes of an event: shown by length and hash.
using event_bytes = guarded_text<struct event_bytes_tag>;

/// What a peer said in a body: of an error as Matrix shapes it the code and the
/// time to wait are shown, since policies go by them.
using answer_bytes = guarded_text<struct answer_bytes_tag>;

/// Path and query of a request: the query, where tokens stand, is not shown.
using request_target = guarded_text<struct request_target_tag>;

} // namespace weir
