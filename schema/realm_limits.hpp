#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// The hard bounds of realms with their reasons, beside those of
/// schema/limits.hpp.
namespace weir::limits {

/// Of one event's content: a whole event may be 65,536 bytes of canonical JSON,
/// and the rest is the homeserver's.
inline constexpr size_t realm_content_bytes_max = 57'344;
/// Of one line that is split, so that a mistake makes no thousand events.
inline constexpr size_t realm_split_parts_max = 64;

/// What one realm may have queued, and all together, unless configured.
inline constexpr uint64_t realm_bytes_default = uint64_t{64} << 20;
inline constexpr uint64_t realms_bytes_default = uint64_t{1} << 30;
/// What a queued event takes beside its content: its row and its keys.
inline constexpr uint64_t realm_event_overhead_bytes = 512;

/// Send rows of the commit that binds an event, and of each that follows: the
/// first leaves room for others in its batch, the rest is bulk.
inline constexpr size_t bind_rows_first = 200;
inline constexpr size_t bind_rows_more = 1'000;
/// Bound sends of one realm without an outcome. Tested before an event is
/// bound, so one event may exceed it; beyond, events wait unbound, where they
/// still merge.
inline constexpr uint64_t unsettled_sends_max = 100'000;

/// A realm's id, often a URL.
inline constexpr size_t realm_id_bytes_max = 512;
/// Of one bulk request; A4.
inline constexpr size_t bulk_lines_max = 1'000;
inline constexpr size_t bulk_bytes_max = size_t{8} << 20;

/// Events of one commit that takes some in: what a batch holds.
inline constexpr size_t realm_submit_events_max = 200;
/// Rooms of one event that names its own, each once: they are one value.
inline constexpr size_t realm_own_rooms_max = 1'000;
/// Rooms that join or leave an audience in one commit.
inline constexpr size_t realm_audience_change_max = 1'000;
/// Events that end at the head of a realm in one commit, and sends that end on
/// the way to one that is to be sent: each has a row in the feed.
inline constexpr size_t realm_ends_max = 200;
/// Rows of a realm that one commit forgets.
inline constexpr uint64_t realm_forget_rows_max = 1'000;
/// For how long a key answers once its event is over (E22), and its dead
/// letters can be begun anew.
inline constexpr auto realm_keys_age = std::chrono::hours{24};
inline constexpr auto realm_dead_letters_age = std::chrono::hours{7 * 24};
/// Rows of the feed that one request looks at for those its producer may see:
/// some pages, so that a reader is not kept by rows of others.
inline constexpr uint64_t feed_looked_max = 10'000;
/// A page of the feed, as large as one snapshot may hand out.
inline constexpr uint64_t feed_page_default = 200;
inline constexpr uint64_t feed_page_max = 1'000;
/// For how long a request may wait for an event to be over, or for the next
/// outcome: below what proxies allow a request that says nothing.
inline constexpr auto realm_wait_max = std::chrono::seconds{55};
/// Requests that wait so at once, each a connection and some hundred bytes.
inline constexpr size_t realm_waits_max = 1'000;
/// How often the gateway looks whether something was committed, and for how
/// many of those that wait it then asks the store: 500 reads a second at most.
inline constexpr auto realm_wait_look = std::chrono::milliseconds{100};
inline constexpr size_t realm_wait_looks_max = 50;
/// How long an event is held while the store is away; its producer repeats it
/// by its key.
inline constexpr auto realm_hold = std::chrono::seconds{10};
/// An idempotency key, and an event's id as it is told.
inline constexpr size_t realm_key_bytes_max = 255;
/// Lanes that one answer names: some windows of an actor.
inline constexpr size_t realm_lanes_page = 48;

} // namespace weir::limits
