#include "persistence/sql/status_columns.hpp"

#include <array>
#include <utility>

namespace weir::sql {

namespace {

constexpr std::array<std::string_view, status_column_types.size()> names{
  "state",         "cause",         "since",          "next_at",
  "last_error",    "last_error_at", "attempts",       "as_of",
  "sending_since", "subject",       "last_error_text"};

} // namespace

std::string status_columns(std::string_view prefix) {
  std::string text;
  for (const auto name : names)
    text.append(text.empty() ? "" : ", ").append(prefix).append(name);
  return text;
}

queue_status_row read_status(statement& from, size_t first, std::string queue) {
  queue_status_row row;
  row.queue = std::move(queue);
  row.state = from.text(first);
  row.cause = from.text(first + 1);
  row.since = from.when(first + 2);
  row.next_at = from.when(first + 3);
  row.last_error = from.text(first + 4);
  row.last_error_at = from.when(first + 5);
  row.attempts = from.count(first + 6);
  row.as_of = from.when(first + 7);
  row.sending_since = from.when(first + 8);
  row.subject = from.text(first + 9);
  row.last_error_text = from.text(first + 10);
  return row;
}

} // namespace weir::sql
