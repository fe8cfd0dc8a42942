#pragma once

#include "actors/messages/realm.hpp"
#include "persistence/realm_store.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace weir::operations {

/// One realm within one commit: keeps its counters, the feed and the bytes in
/// step with the rows that change. What is changed is written by `save`.
class realm_ledger {
public:
  /// @param found Nothing: the realm is not there, and is made by `ensure`.
  realm_ledger(store& db, batch_context& batch,
               const std::optional<realm_row>& found);

  realm_row row;

  /// Makes the realm when it is not there yet; it was used again.
  expected<void> ensure(const realm_id& id, const std::string& account);

  /// Takes in a queued event.
  expected<void> accept(const realm_event_row& event,
                        const realm_content_row& content);
  /// Writes down one that merged into `into`, which has become `content` and
  /// `size`.
  expected<void> merge(realm_event_row& into, const realm_content_row& content,
                       uint64_t size, const realm_event_row& merged);
  /// Ends a queued event as a whole.
  expected<void> end_event(realm_event_row& event, send_outcome how);
  /// Drops the oldest lossy events, when at most `events_max` of them come to
  /// `bytes`: else none. Returns how many.
  expected<uint64_t> drop_lossy(uint64_t bytes, size_t events_max);

  /// Ends a send. The event is written by `keep`.
  expected<void> end_send(realm_event_row& event, realm_send_row& send,
                          send_outcome how);
  /// Says in the feed how a room ended that was never sent to.
  expected<void> note_end(const realm_event_row& event, const room_id& room,
                          send_outcome how);
  /// Writes the event, which is over when all its sends have an outcome.
  /// Returns whether it is.
  expected<bool> keep(realm_event_row& event);

  /// Writes the realm's row, if it changed, and what its bytes came to.
  expected<void> save();

  [[nodiscard]] realm_news news() const;
  [[nodiscard]] stored_time now() const {
    return batch_.now;
  }
  [[nodiscard]] bool is_cancelled(uint64_t seq) const {
    return seq <= row.cancelled_upto;
  }

private:
  expected<void> tell(const std::string& subject, send_outcome how,
                      const std::string& detail);
  void leave_queue(const realm_event_row& event);

  store& db_;
  batch_context& batch_;
  realm_row before_;
  std::vector<realm_left> left_;
};

/// The name of a realm in the feed, its status and its commands.
std::string realm_name(const realm_id& id);

/// What a room's outcome is of, in the feed: an event id holds no slash.
std::string send_subject(std::string_view event_id, const room_id& room);

} // namespace weir::operations
