#pragma once

#include "actors/messages/store.hpp"
#include "persistence/rows.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The end of appservices that no configuration names any more.
namespace weir {

/// A page of the appservices that the store has rows of. Reply: `held_page`.
struct list_held {
  appservice_id after; ///< Empty: from the first.
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(list_held, (), (after, deadline))

/// Appservices of one commit, and its time.
struct held_page {
  std::vector<held_queue> queues;
  bool last = true;
  stored_time now;
};
BOOST_DESCRIBE_STRUCT(held_page, (), (queues, last, now))

/// Appservices that the configuration does not name, or names again. Reply:
/// `stored`.
struct note_removed {
  std::vector<appservice_id> appservices;
  bool is_gone = true;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(note_removed, (), (appservices, is_gone, deadline))

/// Deletes rows of an appservice for good: one commit's worth. The first frees
/// its id. Sent again until nothing more is left. Reply: `removal_done`.
struct remove_appservice {
  appservice_id appservice;
  /// What an export ended with; nothing is begun when it is not so any more.
  /// Empty: whatever there is.
  std::string mark;
  std::string by;
  /// Above 0: only when it was gone for so long.
  milliseconds kept_for{0};
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(remove_appservice, (),
                      (appservice, mark, by, kept_for, deadline))

/// Goes on with any removal that was begun. Reply: `removal_done`.
struct continue_removals {
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(continue_removals, (), (deadline))

/// How a removal went.
enum class removal_result : uint8_t {
  removed,
  nothing, ///< There are no rows of it.
  changed, ///< It is not as the mark says.
  kept,    ///< Not gone for long enough.
};
BOOST_DESCRIBE_ENUM(removal_result, removed, nothing, changed, kept)

/// What one commit of a removal came to.
struct removal_done {
  removal_result result = removal_result::nothing;
  appservice_id appservice;
  uint64_t rows = 0;
  bool more = false;
};
BOOST_DESCRIBE_STRUCT(removal_done, (), (result, appservice, rows, more))

/// The parts of an export, in their order.
enum class export_part : uint8_t { owed, letters, bodies };
BOOST_DESCRIBE_ENUM(export_part, owed, letters, bodies)

/// A page of all that is kept of an appservice, whole. Reply: `export_page`.
struct read_export {
  appservice_id appservice;
  export_part part = export_part::owed;
  int64_t after = 0; ///< Seq or id of the last row before.
};
BOOST_DESCRIBE_STRUCT(read_export, (), (appservice, part, after))

/// What there is of an appservice at one moment.
struct export_end {
  uint64_t owed = 0;
  kept_counts kept;
  std::string mark; ///< Of `remove_appservice`.
};
BOOST_DESCRIBE_STRUCT(export_end, (), (owed, kept, mark))

/// A page of an export.
struct export_page {
  bool known = false; ///< There is such an appservice.
  std::vector<owed_row> owed;
  std::vector<dead_letter_row> letters;
  std::vector<quarantine_row> bodies;
  export_part next_part = export_part::owed;
  int64_t next_after = 0;
  std::optional<export_end> end; ///< Of the last page.
};
BOOST_DESCRIBE_STRUCT(export_page, (),
                      (known, owed, letters, bodies, next_part, next_after,
                       end))

} // namespace weir
