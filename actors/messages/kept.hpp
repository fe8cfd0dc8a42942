#pragma once

#include "actors/messages/store.hpp"

#include <boost/describe/class.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What an operator has the STORE WRITER do with dead letters and quarantined
/// bodies. Each request is one commit and so bounded: it tells how far it came,
/// and is sent again from there until nothing more is left.
namespace weir {

/// Which letters or bodies of one appservice: those named, or, when none is,
/// all with ids above `after` and up to `until`.
struct kept_selection {
  std::vector<int64_t> ids; ///< In any order.
  int64_t after = 0;        ///< Of the named, too, only those above.
  int64_t until = 0;        ///< 0: those that are there now. Not of the named.
  friend bool operator==(const kept_selection&, const kept_selection&)
    = default;
};
BOOST_DESCRIBE_STRUCT(kept_selection, (), (ids, after, until))

/// Puts letters back at the end of what their appservice is owed. Reply:
/// `kept_changed`.
struct replay_letters {
  appservice_id appservice;
  kept_selection which;
  transaction_bounds bounds;
  std::string by; ///< Who asked, for the row that tells of it.
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(replay_letters, (),
                      (appservice, which, bounds, by, deadline))

/// Deletes letters for good. Reply: `kept_changed`.
struct drop_letters {
  appservice_id appservice;
  kept_selection which;
  std::string by;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(drop_letters, (), (appservice, which, by, deadline))

/// Deletes quarantined bodies for good. Reply: `kept_changed`.
struct drop_quarantined {
  appservice_id appservice;
  kept_selection which;
  std::string by;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(drop_quarantined, (), (appservice, which, by, deadline))

/// What one commit came to.
struct kept_changed {
  uint64_t done = 0;
  uint64_t missing = 0; ///< Named, and not there.
  int64_t after = 0;    ///< From where to go on.
  int64_t until = 0;    ///< Up to where.
  bool more = false;    ///< Something of the selection is left.
  bool full = false;    ///< Since the queue is at its bound.
  /// The pin that this commit set, when it set one and it may be sent now.
  std::optional<owed_transaction> pinned;
  bounds_news bounds;
};
BOOST_DESCRIBE_STRUCT(kept_changed, (),
                      (done, missing, after, until, more, full, pinned, bounds))

} // namespace weir
