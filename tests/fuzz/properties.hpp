#pragma once

#include <string>
#include <string_view>

/// What must hold of any bytes at all that come from outside, a function for
/// each parser. Each returns what does not hold, or nothing. They are fed by
/// libFuzzer (tests/fuzz/fuzz_entry.cpp) and with the committed corpora
/// (corpus_test.hpp).
namespace weir::test {

/// A transaction's body:
/// - it is sliced, refused as no JSON or refused as misshapen, and the grammar
///   check agrees on which;
/// - what is sliced renders to JSON that slices into the same elements.
std::string broken_transaction_property(std::string_view body);

/// The body of the second door: likewise, and what is sliced is as many events
/// as orderings, each once, and the same when it is written again.
std::string broken_submission_property(std::string_view body);

/// A registration file: it is taken or something is said against it, never
/// both; the copy that the homeserver gets says what the file says.
std::string broken_registration_property(std::string_view text);

/// A configuration file: each problem says where and what; what is taken is
/// within its bounds and is read again as the same.
std::string broken_configuration_property(std::string_view text);

/// A stream token, and what one says once it is signed: it is refused as the
/// client's mistake, or what it says has that text and no other.
std::string broken_token_property(std::string_view bytes);

/// What a client sends to the listener, pipelined: each head is refused with a
/// whole answer, or has a path that goes on without a line's end and without
/// the token.
std::string broken_request_property(std::string_view bytes);

/// A query: each parameter stands in it, in order, and none is left out; a
/// value that is written again is read as the same; what is taken as a number
/// or as a name is one.
std::string broken_query_property(std::string_view query);

/// What a bridge sends back: the pieces in which it arrives change nothing, its
/// bounds hold, and the verdict asks for no longer pause than there is.
std::string broken_answer_property(std::string_view bytes);

/// A trace: it is refused with a reason, or each record can be shown and what
/// is written of it is read as the same.
std::string broken_trace_property(std::string_view text);

} // namespace weir::test
