#pragma once

#include "schema/limits.hpp"
#include "schema/store_history.hpp"
#include "schema/time.hpp"

#include <optional>

namespace weir::policy {

/// How long a read may wait for what its token has seen: what the client asks
/// for, within bounds. Source: T19.
[[nodiscard]] milliseconds
read_wait(std::optional<milliseconds> asked) noexcept;

/// What a read does after it compared its token with a snapshot.
struct catch_up_step {
  enum class kind : uint8_t {
    read,   ///< From the snapshot that was compared.
    look,   ///< Close the snapshot and open another one at `at`.
    refuse, ///< With `why`.
  };
  kind what = kind::read;
  instant at{};
  token_refusal why = token_refusal::not_caught_up;
  friend bool operator==(const catch_up_step&, const catch_up_step&) = default;
};

/// Whether one read is answered, waits or is refused, where the snapshots are
/// the primary's own. A history that the store does not know is refused at
/// once. What is beyond the store's position may have been shown for a moment
/// by a synchronous standby: it is waited for, for a second and not longer, and
/// then it is lost or was never there. A deadline that comes before that second
/// is over leaves it open, so the client is told to come again. No answer is
/// ever from an older snapshot than the token. Source: T9, T19, T20.
///
/// Belongs to one read. Takes every time from the caller.
class catch_up {
public:
  /// @param asked When the request came.
  /// @param wait What `read_wait` allows it.
  catch_up(instant asked, milliseconds wait) noexcept
    : lost_at_{asked + limits::token_ahead_wait},
      deadline_{asked + wait} {
  }

  /// After a snapshot was compared; `now` is when it had been.
  [[nodiscard]] catch_up_step next(const token_standing& found,
                                   instant now) noexcept;

private:
  instant lost_at_;
  instant deadline_;
  milliseconds pause_ = limits::token_look_first;
};

} // namespace weir::policy
