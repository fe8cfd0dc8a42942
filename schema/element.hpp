#pragma once

#include "schema/guarded.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// The kind of one element of a transaction. The numbers are stored.
enum class lane : uint8_t {
  event = 0,        ///< `events`
  ephemeral = 1,    ///< `ephemeral`, `de.sorunome.msc2409.ephemeral`
  to_device = 2,    ///< `to_device`, `de.sorunome.msc2409.to_device`
  device_lists = 3, ///< `device_lists`, `org.matrix.msc3202.device_lists`
  key_counts = 4, ///< one-time-key counts and fallback key types, any spelling
  other = 5,      ///< any other top-level key; never joined with another txn
};
BOOST_DESCRIBE_ENUM(lane, event, ephemeral, to_device, device_lists, key_counts,
                    other)

/// Lower-case name of a lane, for logs and JSON.
std::string_view to_string(lane of) noexcept;

/// One thing owed to an appservice: an item of a list (`event`, `ephemeral`,
/// `to_device`) or the whole value of a top-level key (the other lanes). The
/// bytes are the sender's own and are never re-serialised.
struct element {
  lane kind = lane::event;
  /// The top-level keys it goes out under, as the sender spelled them (raw JSON
  /// string content, without quotes), joined by '\n'. Empty for events. Two
  /// keys when both spellings of a list came in with the same items.
  std::string keys;
  event_bytes bytes;    ///< Raw JSON value.
  std::string event_id; ///< Of an event that has one, unescaped; else empty.
  uint64_t id_hash = 0; ///< First 8 bytes, big endian, of SHA-256 of the
                        ///< event id, or of the bytes where there is none.

  friend bool operator==(const element&, const element&) = default;
};
BOOST_DESCRIBE_STRUCT(element, (), (kind, keys, bytes, event_id, id_hash))

/// A homeserver's transaction, cut into its elements: events, then the other
/// lists, then whole values, each in the order they stood in.
struct incoming_transaction {
  std::vector<element> elements;
  /// `id_hash` of every item of `events`, in order. Source: R3 of the
  /// appservice rules: a homeserver reuses ids and retries with fewer events.
  std::vector<uint64_t> event_hashes;
  /// Hash of everything but `events`; 0 when there is nothing but empty lists
  /// and objects.
  uint64_t non_event_hash = 0;
  /// Of a request of the second door, whose elements are all events: the stream
  /// ordering of each. Empty for what a homeserver sends as a transaction.
  std::vector<uint64_t> orderings;
  uint64_t repeated = 0; ///< Further events under one of `orderings`.

  friend bool operator==(const incoming_transaction&,
                         const incoming_transaction&)
    = default;
};
BOOST_DESCRIBE_STRUCT(incoming_transaction, (),
                      (elements, event_hashes, non_event_hash, orderings,
                       repeated))

} // namespace weir
