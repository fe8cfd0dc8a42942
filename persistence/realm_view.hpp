#pragma once

#include "persistence/realm_rows.hpp"
#include "persistence/snapshot.hpp"
#include "schema/realm.hpp"

#include <boost/describe/class.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weir {

/// What is asked of one realm. What is not asked for costs nothing.
struct realm_question {
  realm_id realm;
  std::string event_id;     ///< Of an event; empty: none.
  bool with_sends = false;  ///< A page of how it is in each room.
  bool with_rooms = false;  ///< A page of the audience as it is.
  bool with_status = false; ///< Its oldest event, its account, what is said.
  /// A page of its events with dead letters, from seqs above `after_seq`.
  bool with_letters = false;
  std::string after; ///< Of sends and of rooms: rooms above this one.
  uint64_t after_seq = 0;
  uint64_t rows_max = 0;
};
BOOST_DESCRIBE_STRUCT(realm_question, (),
                      (realm, event_id, with_sends, with_rooms, with_status,
                       with_letters, after, after_seq, rows_max))

/// What was found, all as of one commit.
struct realm_facts {
  std::optional<realm_row> realm;       ///< Nothing: there is no such realm,
  std::optional<realm_event_row> event; ///< or event.
  std::vector<realm_send_row> sends;
  std::vector<realm_room_row> rooms;
  std::vector<realm_event_row> letters;
  bool more = false;              ///< There are further rows behind the page.
  stored_time oldest_accepted_at; ///< Zero: nothing is open.
  std::optional<account_row> account;
  std::optional<queue_status_row> status;
};
BOOST_DESCRIBE_STRUCT(realm_facts, (),
                      (realm, event, sends, rooms, letters, more,
                       oldest_accepted_at, account, status))

/// A realm as it is read by tokens.
class realm_view {
public:
  /// It is read as it is, so that no token is too old.
  static constexpr bool forgets = false;

  /// An answer.
  class page {
  public:
    realm_facts facts;

  private:
    friend realm_view;
    friend caught_up_snapshot<realm_view>;
    page() = default;
    position_vector read_to_; ///< All of the snapshot.
    position_vector seen_;
  };

  /// Errors: `ec::unavailable`.
  static expected<page> read(const caught_up_snapshot<realm_view>& from,
                             const realm_question& what);
};

} // namespace weir
