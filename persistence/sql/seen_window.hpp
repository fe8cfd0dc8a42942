#pragma once

#include "persistence/rows.hpp"
#include "persistence/sql/statement.hpp"

#include <boost/unordered/unordered_flat_set.hpp>

#include <span>
#include <unordered_map>
#include <vector>

namespace weir::sql {

/// Table `seen_event`: the window of event hashes of each appservice. It is
/// written in order of arrival, so that an accept appends one row; which hashes
/// are in it is answered from a copy in memory, made from the rows when it is
/// first asked for.
///
/// The copy is only as good as the rows, so each transaction compares the ends
/// of both: what was rolled back, forgotten or written by another shows there,
/// and the copy is made anew. Only the owner of a queue writes its rows.
/// Belongs to one connection.
class seen_window {
public:
  explicit seen_window(connection& on);

  expected<std::vector<uint64_t>> find(queue_no queue,
                                       std::span<const uint64_t> hashes);
  expected<void> remember(queue_no queue, std::span<const uint64_t> hashes,
                          stored_time now);
  expected<uint64_t> forget(queue_no queue, stored_time before, size_t keep_max,
                            size_t events_max);

  /// Drops all copies: others may have written.
  void clear();

private:
  /// Arrivals of the oldest event and of the one that would come next, and when
  /// the newest came, since arrivals begin anew in an empty window.
  struct ends {
    uint64_t first = 1;
    uint64_t next = 1;
    stored_time newest;
    friend bool operator==(const ends&, const ends&) = default;
  };
  struct copy {
    ends at;
    boost::unordered_flat_set<uint64_t> hashes;
    uint64_t used = 0;       ///< When it was last asked for, by our own count.
    uint64_t checked_in = 0; ///< The transaction that last compared the ends.
  };

  expected<ends> read_ends(queue_no queue);
  expected<copy*> up_to_date(queue_no queue);
  expected<copy> load(queue_no queue, ends at);
  void make_room();

  connection& on_;
  statement ends_;
  statement load_;
  statement append_;
  statement oldest_;
  statement remove_;
  statement shorten_;
  std::unordered_map<queue_no, copy> copies_;
  size_t held_ = 0; ///< Hashes in all copies.
  uint64_t uses_ = 0;
};

/// The words of a column written by `pack_words`.
std::vector<uint64_t> unpack_words(std::string_view packed);

} // namespace weir::sql
