#pragma once

#include "persistence/realm_rows.hpp"
#include "schema/error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The ports of realms. All but the reader's run inside the writer's open
/// batch; an error means that a statement broke, and ends the batch. Lists
/// come in the order of their last key and hold at most `rows_max` rows.
namespace weir {

/// Tables `realm`, `realm_bytes`, `realm_room`, `realm_open` and `account`.
class realm_store {
public:
  virtual ~realm_store() = default;

  /// Reads and locks one realm.
  virtual expected<std::optional<realm_row>> lock(const realm_id& id) = 0;
  /// Makes the row when it is missing, and returns it locked.
  virtual expected<realm_row> adopt(const realm_id& id,
                                    const std::string& account)
    = 0;
  /// Writes back a row got in this batch.
  virtual expected<void> save(const realm_row& row) = 0;
  /// Deletes the row, and what `realm_open` has of it.
  virtual expected<void> remove(realm_no realm) = 0;
  /// Realms by number above `after`; only those with work if so asked.
  virtual expected<std::vector<realm_row>> list(realm_no after, bool with_work,
                                                size_t rows_max)
    = 0;

  /// Adds to what one slot's writer added and took.
  virtual expected<void> count_bytes(uint32_t slot, int64_t by) = 0;
  /// Bytes of all events of all realms that are not over.
  virtual expected<uint64_t> queued_bytes() = 0;

  /// The subscription of a room that holds in `version`.
  virtual expected<std::optional<realm_room_row>>
  subscription(realm_no realm, const room_id& room, uint64_t version) = 0;
  /// Those that hold in `version`, with rooms above `after`.
  virtual expected<std::vector<realm_room_row>>
  audience(realm_no realm, uint64_t version, const std::string& after,
           size_t rows_max)
    = 0;
  /// Adds subscriptions to rooms that have none in these versions.
  virtual expected<void>
  subscribe(realm_no realm, std::span<const room_id> rooms, uint64_t added_in)
    = 0;
  /// Ends those that hold and were added before. Returns how many there were.
  virtual expected<uint64_t> unsubscribe(realm_no realm,
                                         std::span<const room_id> rooms,
                                         uint64_t removed_in)
    = 0;
  /// Says since when the one added in `added_in` rests.
  virtual expected<void> suspend(realm_no realm, const room_id& room,
                                 uint64_t added_in, stored_time since)
    = 0;
  /// Forgets that `version` was being prepared. Returns how many rows changed;
  /// fewer than `rows_max`: none is left.
  virtual expected<uint64_t> unstage(realm_no realm, uint64_t version,
                                     size_t rows_max)
    = 0;
  /// Forgets subscriptions that ended in or before `version`.
  virtual expected<uint64_t> forget_rooms(realm_no realm, uint64_t version,
                                          size_t rows_max)
    = 0;

  /// Rooms that wait for the end of what they were told of.
  virtual expected<bool> is_left_open(realm_no realm, const room_id& room) = 0;
  virtual expected<void> leave_open(realm_no realm, const room_id& room,
                                    bool open)
    = 0;
  /// Whether there is any such room.
  virtual expected<bool> is_any_left_open(realm_no realm) = 0;

  virtual expected<std::optional<account_row>>
  lock_account(const std::string& id) = 0;
  /// Inserts or replaces.
  virtual expected<void> save_account(const account_row& row) = 0;
};

/// Tables `realm_event` and `realm_content`.
class realm_event_store {
public:
  virtual ~realm_event_store() = default;

  virtual expected<void> append(realm_no realm, const realm_event_row& row,
                                const realm_content_row& content)
    = 0;
  /// Writes down an event that has no content of its own.
  virtual expected<void> append(realm_no realm, const realm_event_row& row) = 0;
  virtual expected<void> save(realm_no realm, const realm_event_row& row) = 0;

  virtual expected<std::optional<realm_event_row>> read(realm_no realm,
                                                        uint64_t seq)
    = 0;
  /// All parts that came under a key, in their order.
  virtual expected<std::vector<realm_event_row>> find_key(realm_no realm,
                                                          std::string_view key)
    = 0;
  virtual expected<std::optional<realm_event_row>>
  find_id(realm_no realm, std::string_view event_id) = 0;
  /// The oldest and the youngest that are queued.
  virtual expected<std::optional<realm_event_row>> head(realm_no realm) = 0;
  virtual expected<std::optional<realm_event_row>> tail(realm_no realm) = 0;
  /// Those in `state`, which is not over, above `after`.
  virtual expected<std::vector<realm_event_row>>
  in_state(realm_no realm, realm_event_state state, uint64_t after,
           size_t rows_max)
    = 0;
  /// Queued events but completions whose time has passed, oldest first.
  virtual expected<std::vector<realm_event_row>>
  due(realm_no realm, stored_time now, size_t rows_max) = 0;
  /// Queued lossy events.
  virtual expected<std::vector<realm_event_row>> lossy(realm_no realm,
                                                       size_t rows_max)
    = 0;
  /// Those that were over before `before`, oldest first; those with dead
  /// letters only when they are asked for.
  virtual expected<std::vector<realm_event_row>>
  over(realm_no realm, stored_time before, bool dead_letters, size_t rows_max)
    = 0;

  virtual expected<std::optional<realm_content_row>> content(realm_no realm,
                                                             uint64_t seq)
    = 0;
  virtual expected<void> put_content(realm_no realm, uint64_t seq,
                                     const realm_content_row& content)
    = 0;
  virtual expected<void> drop_content(realm_no realm, uint64_t seq) = 0;
  /// Deletes the event and its content. Its sends must be gone.
  virtual expected<void> remove(realm_no realm, uint64_t seq) = 0;
};

/// Table `realm_send`.
class realm_send_store {
public:
  virtual ~realm_send_store() = default;

  virtual expected<void> append(realm_no realm,
                                std::span<const realm_send_row> rows)
    = 0;
  virtual expected<void> save(realm_no realm, const realm_send_row& row) = 0;
  virtual expected<std::optional<realm_send_row>>
  read(realm_no realm, uint64_t seq, const room_id& room) = 0;
  /// The oldest without an outcome of one room.
  virtual expected<std::optional<realm_lane_row>> lane(realm_no realm,
                                                       const room_id& room)
    = 0;
  /// The same of each room above `after`. Costs as many steps as it gives rows,
  /// however many wait behind them.
  virtual expected<std::vector<realm_lane_row>>
  lanes(realm_no realm, const std::string& after, size_t rows_max) = 0;
  /// Whether something but a completion that is bound for the room has no
  /// outcome yet.
  virtual expected<bool> has_open_progress(realm_no realm, const room_id& room)
    = 0;
  /// Whether some room of the audience of `version` has no send without an
  /// outcome.
  virtual expected<bool> has_free_room(realm_no realm, uint64_t version) = 0;
  /// Sends of one event to rooms above `after`; those alone without an outcome
  /// if so asked.
  virtual expected<std::vector<realm_send_row>>
  of_event(realm_no realm, uint64_t seq, bool unsettled,
           const std::string& after, size_t rows_max)
    = 0;
  /// Deletes sends of one event. Returns how many.
  virtual expected<uint64_t> remove(realm_no realm, uint64_t seq,
                                    size_t rows_max)
    = 0;
};

/// What `store::realms` gives.
struct realm_stores {
  realm_store& rows;
  realm_event_store& events;
  realm_send_store& sends;
};

/// The reading side. Every call is one snapshot, or all are of the one through
/// which it was reached.
class realm_reader {
public:
  virtual ~realm_reader() = default;

  virtual expected<std::optional<realm_row>> realm(const realm_id& id) = 0;
  /// Realms by number above `after`.
  virtual expected<std::vector<realm_row>> realms(realm_no after,
                                                  size_t rows_max)
    = 0;
  /// When the oldest event that is not over was accepted; zero: there is none.
  virtual expected<stored_time> oldest_open(realm_no realm) = 0;
  virtual expected<std::optional<realm_event_row>>
  event(realm_no realm, std::string_view event_id) = 0;
  /// Sends of one event to rooms above `after`.
  virtual expected<std::vector<realm_send_row>>
  sends(realm_no realm, uint64_t seq, const std::string& after, size_t rows_max)
    = 0;
  /// Subscriptions of one version, with rooms above `after`.
  virtual expected<std::vector<realm_room_row>>
  audience(realm_no realm, uint64_t version, const std::string& after,
           size_t rows_max)
    = 0;
  virtual expected<std::optional<account_row>> account(const std::string& id)
    = 0;
  /// Events with dead letters whose seq is above `after`, oldest first.
  virtual expected<std::vector<realm_event_row>>
  with_dead_letters(realm_no realm, uint64_t after, size_t rows_max) = 0;
  /// Looks at each realm, and at one event of each that has any open.
  virtual expected<realm_totals> totals() = 0;
  /// What was last said of one queue, as `realm/ID`.
  virtual expected<std::optional<queue_status_row>>
  status(const std::string& queue) = 0;
};

} // namespace weir
