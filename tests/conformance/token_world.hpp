#pragma once

#include "persistence/outcome_feed.hpp"
#include "tests/conformance/stores.hpp"
#include "tests/support/token_samples.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace weir::test {

inline constexpr token_owner feed_reader{"producer/a", "outcomes"};
using feed_snapshot = caught_up_snapshot<outcome_feed>;

/// The value, or the end of the case with the refusal.
template <class T>
T taken(judged<T> result) {
  if (!result)
    FAIL(to_string(result.error()));
  return std::move(result.value());
}

/// What a reader of the feed got, and its token for the next time.
struct told_page {
  std::vector<outcome_row> rows;
  bool more = false;
  position_vector at;
  std::string next;
};

/// Reads and hands out by tokens as a route of the API would.
class feed_client {
public:
  static read_demand since(const std::string& token) {
    read_demand demand;
    demand.since
      = taken(authority().verify_cursor(raw_token{token}, feed_reader));
    return demand;
  }
  static read_demand after(const std::string& token) {
    read_demand demand;
    demand.after
      = taken(authority().verify(raw_token{token}, feed_reader.principal));
    return demand;
  }
  /// A cursor at any positions at all, signed.
  static std::string cursor_at(const position_vector& at) {
    token_content content;
    content.kind = token_kind::cursor;
    content.principal = token_hash(feed_reader.principal);
    content.filter = token_hash(feed_reader.filter);
    content.at = at;
    return must(sample_codec().seal(content));
  }
  static std::string bound_at(const slot_position& at) {
    return must(authority().bound(at, feed_reader.principal));
  }

  /// How the store stands to a demand.
  static token_standing stands(store_reader& at, const read_demand& demand) {
    auto attempt = must(snapshot_opener::attempt<outcome_feed>(at, demand));
    const auto* found = std::get_if<token_standing>(&attempt);
    return found == nullptr ? token_standing{} : *found;
  }
  static feed_snapshot opened(store_reader& at, const read_demand& demand) {
    auto attempt = must(snapshot_opener::attempt<outcome_feed>(at, demand));
    REQUIRE(std::holds_alternative<feed_snapshot>(attempt));
    return std::get<feed_snapshot>(std::move(attempt));
  }
  static told_page page_of(const feed_snapshot& from, size_t rows_max) {
    auto page = must(outcome_feed::read(from, rows_max));
    const auto next
      = must(authority().cursor(from.token_after(page), feed_reader));
    return {std::move(page.rows), page.more, from.at(), next};
  }
  static told_page read(store_reader& at, const read_demand& demand,
                        size_t rows_max = 100) {
    return page_of(opened(at, demand), rows_max);
  }

  static const token_authority& authority() {
    static const token_authority made{ring_of(old_key_line)};
    return made;
  }
};

inline outcome_row delivered(uint32_t slot, uint64_t pos) {
  return {
    slot, pos, "appservice/a", "r-" + std::to_string(pos), "delivered", "",
    3,    noon};
}

/// A store writer on a slot of its own.
struct slot_writer {
  std::unique_ptr<store> db;
  slot_lease lease;

  /// Commits `rows` rows of the feed; returns where the batch ended.
  slot_position write(uint64_t rows = 1) {
    begin(rows);
    return commit(rows);
  }
  void begin(uint64_t rows) {
    must(db->begin(lease, std::max<uint64_t>(1, rows)));
    for (uint64_t at = 1; at <= rows; ++at)
      must(db->outcomes().record(delivered(lease.slot, lease.pos + at)));
  }
  slot_position commit(uint64_t rows) {
    must(db->commit());
    lease.pos += std::max<uint64_t>(1, rows);
    return {lease.slot, lease.run, lease.pos};
  }
  void forget(size_t keep) {
    must(db->begin(lease, 1));
    must(db->outcomes().forget_outcomes({}, keep, 1'000));
    must(db->commit());
    ++lease.pos;
  }
};

template <class Where>
slot_writer writer_on(Where& where, uint32_t slot, uint64_t run) {
  auto db = where.connect();
  const auto lease = must(db->take_slot(slot, "node", run));
  return {std::move(db), lease};
}

/// Positions of rows, by their slots.
inline std::vector<std::pair<uint32_t, uint64_t>>
places(const std::vector<outcome_row>& rows) {
  std::vector<std::pair<uint32_t, uint64_t>> found;
  found.reserve(rows.size());
  for (const auto& row : rows)
    found.emplace_back(row.slot, row.pos);
  return found;
}

} // namespace weir::test
