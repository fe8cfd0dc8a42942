#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::policy {

/// What is known of a queue that somebody asks about.
struct queue_facts {
  bool store_writable = true;
  bool configured = true;
  bool has_url = true;
  bool paused = false; ///< By an operator.
  std::string paused_by;
  std::string pause_reason;
  std::string state;         ///< `flowing`, `resting`, `blocked`, as stored.
  std::string cause;         ///< The class of the last answer, or a sentence.
  bool bridge_asked = false; ///< A Retry-After is in force.
  bool full = false;         ///< At its bound: the homeserver is held.
  bool sending = false;      ///< A send has been under way for long.
  uint64_t owed = 0;         ///< Elements.
};

/// Why a queue is as it is.
enum class queue_cause : uint8_t {
  store_away,
  not_configured,
  no_url,
  paused,
  damaged,
  no_room,
  rejected,
  token_refused,
  path_unknown,
  bridge_asked,
  unreachable,
  no_verdict,
  content_refused,
  own_transport,
  refused,
  full,
  sending,
  flowing,
  idle,
};

/// The name of a cause in the admin API.
std::string_view to_string(queue_cause of) noexcept;

/// What a person is told: a sentence each.
struct explanation {
  queue_cause cause = queue_cause::idle;
  std::string why;  ///< What is the matter.
  std::string next; ///< What happens by itself.
  std::string todo; ///< What to do about it.
};

/// The first cause that holds, from the one that hides all others to none.
/// Every text that explains a queue is in this function's table.
explanation explain(const queue_facts& facts);

} // namespace weir::policy
