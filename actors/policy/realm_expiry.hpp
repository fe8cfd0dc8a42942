#pragma once

#include "schema/realm.hpp"
#include "schema/time.hpp"

#include <boost/describe/enum.hpp>

#include <cstdint>
#include <optional>

namespace weir::policy {

/// How the send of an event to a room ended.
enum class send_end : uint8_t {
  delivered,
  uncertain, ///< It may have arrived (D9).
  not_sent,  ///< Rejected, expired, cancelled, dropped: it did not arrive.
};
BOOST_DESCRIBE_ENUM(send_end, delivered, uncertain, not_sent)

/// Whether a room may have been told of something that no completion has ended
/// for it yet. Kept for each room of a realm, changed with each outcome.
/// @param before What it was; false for a room that got nothing yet.
[[nodiscard]] bool is_left_open(bool before, realm_class of,
                                send_end how) noexcept;

/// Whether an event that is not yet bound ends as `expired` for one room,
/// instead of being bound for it. A bound send never does (D9).
///
/// A completion never expires for a room that was told of a beginning: the
/// client there would wait for ever (D15). A beginning may expire alone.
/// @param left_open See `is_left_open`, or a beginning is bound for the room
/// and has no outcome yet.
[[nodiscard]] bool expires(realm_class of,
                           const std::optional<stored_time>& expires_at,
                           stored_time now, bool left_open) noexcept;

} // namespace weir::policy
