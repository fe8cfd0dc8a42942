#include "persistence/clock_offset.hpp"

#include "persistence/sql/connection.hpp"
#include "persistence/sql/store.hpp"

#include <charconv>

namespace weir {

namespace {

/// Of the whole queue table one row or none.
std::string scheduled_text(const sql::dialect& speaks) {
  return "SELECT CAST(1 AS TEXT) FROM appservice WHERE owed_events + "
         "owed_others > 0 "
         "OR not_before > ("
    + sql::now_text(speaks) + ") LIMIT 1";
}

expected<milliseconds> stored_offset(sql::connection& on) {
  WEIR_TRY(const auto text,
           on.value("SELECT value FROM meta WHERE key = 'clock_offset'"));
  int64_t offset = 0;
  const auto* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, offset).ptr != end || text.empty())
    return fail(ec::corrupt, "clock offset: not a number");
  return milliseconds{offset};
}

/// Inside an open transaction. False: something is scheduled.
expected<bool> give_up(sql::connection& on, const sql::dialect& speaks,
                       milliseconds offset) {
  WEIR_TRY(const auto scheduled, on.value(scheduled_text(speaks)));
  if (!scheduled.empty())
    return false;
  const auto shift = std::to_string(offset.count());
  // Else a clock that had been set forward would take the memory of repeats.
  WEIR_TRY(
    on.script("UPDATE inbound_transaction SET at = at + " + shift
              + ";"
                "UPDATE seen_event SET at = at + "
              + shift
              + ";"
                "UPDATE meta SET value = '0' WHERE key = 'clock_offset'"));
  WEIR_TRY(on.commit());
  return true;
}

} // namespace

expected<milliseconds> give_up_clock_offset(const store_options& options) {
  WEIR_TRY(auto to, sql::parse_url(options.url));
  const auto speaks = to.speaks;
  // Like a migration it may rewrite a table.
  sql::connection on{std::move(to), sql::purpose::migrating,
                     options.allow_unsafe_database};
  WEIR_TRY(on.open());
  WEIR_TRY(const auto offset, stored_offset(on));
  if (offset == milliseconds{0})
    return offset;
  WEIR_TRY(on.begin_writing());
  auto given_up = give_up(on, speaks, offset);
  if (given_up && given_up.value())
    return offset;
  on.rollback();
  if (!given_up)
    return fail(given_up.error());
  return milliseconds{0};
}

} // namespace weir
