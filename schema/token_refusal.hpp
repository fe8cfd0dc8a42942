#pragma once

#include "schema/error.hpp"

#include <boost/describe/enum.hpp>
#include <boost/outcome/basic_result.hpp>
#include <boost/outcome/policy/terminate.hpp>

#include <chrono>
#include <cstdint>
#include <string_view>

namespace weir {

/// Why a stream token is not taken. Stable: the names are labels of metrics.
/// All but `not_caught_up` and `beyond_store` are told at once.
enum class token_refusal : uint8_t {
  /// Not `wt1_`, too long, not base64url, or its content has not the form.
  malformed,
  /// Of a version that this program does not know.
  newer_version,
  /// Signed by a key that is not in the ring, or not what was signed.
  not_ours,
  /// The token of a write, given where that of a read is wanted.
  bound_as_cursor,
  other_principal, ///< Given to somebody else.
  other_filter,    ///< Given for another listing or another filter.
  unknown_slot,
  unknown_run, ///< The database never had that run of the slot, or lost it.
  beyond_run,  ///< The run ended before that position.
  /// Beyond what the store has committed, also after a wait.
  beyond_store,
  expired,       ///< Rows behind it have been forgotten.
  not_caught_up, ///< The time to wait was over.
};
BOOST_DESCRIBE_ENUM(token_refusal, malformed, newer_version, not_ours,
                    bound_as_cursor, other_principal, other_filter,
                    unknown_slot, unknown_run, beyond_run, beyond_store,
                    expired, not_caught_up)

/// The lower-case name, as in `token_refusal`.
std::string_view to_string(token_refusal why) noexcept;

/// What a client is told, and whether a person should hear of it too.
struct refusal_answer {
  int status = 400;
  std::string_view errcode{}; ///< Of Matrix, or with the prefix ORG.WEIR.
  std::string_view text{};    ///< For the client's author.
  /// Value of the key `reason`; empty: there is no such key.
  std::string_view reason{};
  /// For Retry-After and `retry_after_ms`; zero: neither.
  std::chrono::milliseconds retry_after{0};
  /// With a valid signature it can only be lost data or a fault of ours.
  bool alarming = false;
};

/// The answer to each refusal. What makes a forged token and what a malformed
/// one is not told apart to the client.
refusal_answer answer_to(token_refusal why) noexcept;

/// Either what was asked for, or why the token is not taken.
template <class T>
using judged
  = boost::outcome_v2::basic_result<T, token_refusal,
                                    boost::outcome_v2::policy::terminate>;

/// Builds the refused side of any `judged<T>`.
inline auto refuse(token_refusal why) {
  return boost::outcome_v2::failure(why);
}

} // namespace weir
