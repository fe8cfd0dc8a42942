#include "persistence/sql/outbox.hpp"

#include <charconv>

// How one row of table `appservice` is read.
namespace weir::sql {

namespace {

constexpr std::string_view columns[] = {"no",
                                        "id",
                                        "next_seq",
                                        "next_txn",
                                        "pin_id",
                                        "pin_format",
                                        "pin_lanes",
                                        "pin_sha256",
                                        "acked",
                                        "owed_events",
                                        "owed_others",
                                        "owed_bytes",
                                        "delivered_stream_ordering",
                                        "not_before",
                                        "paused_by",
                                        "suspect_first",
                                        "suspect_last",
                                        "byte_cap",
                                        "delivered_transactions",
                                        "delivered_events",
                                        "pin_events",
                                        "pin_others",
                                        "pin_bytes",
                                        "waiting",
                                        "waiting_bytes",
                                        "merged",
                                        "dropped",
                                        "halted_at",
                                        "halted_by",
                                        "halt_reason",
                                        "orderings",
                                        "ordered_seq",
                                        "overflowed",
                                        "near_bounds",
                                        "removed_at"};
static_assert(std::size(columns) == queue_column_types.size());

/// Reads a number and the sign that must follow it; 0 is the end of the text.
bool take(std::string_view& text, uint64_t& number, char sign) {
  const auto [end, failed]
    = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{})
    return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (text.empty())
    return sign == 0;
  if (text.front() != (sign == 0 ? ' ' : sign))
    return false;
  text.remove_prefix(1);
  return true;
}

} // namespace

std::string queue_columns(std::string_view prefix) {
  std::string list;
  for (const auto each : columns) {
    if (!list.empty())
      list.append(", ");
    list.append(prefix).append(each);
  }
  return list;
}

std::string lanes_text(const std::vector<lane_range>& lanes) {
  std::string text;
  for (const auto& each : lanes) {
    if (!text.empty())
      text.push_back(' ');
    text.append(std::to_string(static_cast<unsigned>(each.kind)));
    text.append(":").append(std::to_string(each.first));
    text.append("-").append(std::to_string(each.last));
  }
  return text;
}

expected<std::vector<lane_range>> parse_lanes(std::string_view text) {
  std::vector<lane_range> lanes;
  while (!text.empty()) {
    uint64_t kind = 0;
    lane_range each;
    if (!take(text, kind, ':') || kind > static_cast<uint64_t>(lane::other)
        || !take(text, each.first, '-') || !take(text, each.last, 0))
      return fail(ec::corrupt, "appservice: unreadable lanes of a pin");
    each.kind = static_cast<lane>(kind);
    lanes.push_back(each);
  }
  return lanes;
}

expected<queue_row> read_queue(statement& from, size_t first) {
  queue_row row;
  row.no = from.number(first);
  row.id = {from.text(first + 1)};
  row.next_seq = from.count(first + 2);
  row.next_txn = from.count(first + 3);
  if (!from.null(first + 4)) {
    pin pinned;
    pinned.id = {from.text(first + 4)};
    pinned.format = static_cast<uint32_t>(from.number(first + 5));
    WEIR_TRY(pinned.lanes, parse_lanes(from.text(first + 6)));
    pinned.sha256 = from.text(first + 7);
    pinned.events = from.count(first + 20);
    pinned.others = from.count(first + 21);
    pinned.bytes = from.count(first + 22);
    row.pinned = std::move(pinned);
  }
  row.acked = from.count(first + 8);
  row.owed_events = from.count(first + 9);
  row.owed_others = from.count(first + 10);
  row.owed_bytes = from.count(first + 11);
  row.delivered_stream_ordering = from.count(first + 12);
  row.not_before = from.when(first + 13);
  row.paused_by = static_cast<pause_cause>(from.number(first + 14));
  row.suspect_first = from.count(first + 15);
  row.suspect_last = from.count(first + 16);
  row.byte_cap = from.count(first + 17);
  row.delivered_transactions = from.count(first + 18);
  row.delivered_events = from.count(first + 19);
  row.waiting = from.count(first + 23);
  row.waiting_bytes = from.count(first + 24);
  row.merged = from.count(first + 25);
  row.dropped = from.count(first + 26);
  if (const auto since = from.when(first + 27); since != stored_time{})
    row.halted = halt{since, from.text(first + 28), from.text(first + 29)};
  row.orderings = from.count(first + 30);
  row.ordered_seq = from.count(first + 31);
  row.overflowed = from.count(first + 32);
  row.near_bounds = static_cast<uint32_t>(from.number(first + 33));
  row.removed_at = from.when(first + 34);
  return row;
}

} // namespace weir::sql
