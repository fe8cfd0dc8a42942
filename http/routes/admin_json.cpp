#include "http/routes/admin_json.hpp"

#include "actors/policy/overflow.hpp"
#include "http/routes/listing.hpp"

#include <nlohmann/json.hpp>

#include "schema/limits.hpp"

#include <algorithm>

namespace weir {

namespace {

using nlohmann::json;

json letter_json(const dead_letter_row& letter) {
  return {{"id", letter.id},
          {"appservice", letter.appservice.value},
          {"event_id", letter.item.event_id},
          {"lane", to_string(letter.item.kind)},
          {"bytes", std::max<uint64_t>(letter.item.bytes.size(), letter.size)},
          {"reason", letter.reason},
          {"attempts", letter.attempts},
          {"accepted_at_ms", letter.accepted_at.ms},
          {"buried_at_ms", letter.buried_at.ms}};
}

json problems_json(const std::vector<config_problem>& problems) {
  auto list = json::array();
  for (const auto& one : problems)
    list.push_back({{"file", one.file},
                    {"line", one.line},
                    {"column", one.column},
                    {"key", one.key},
                    {"what", one.what}});
  return list;
}

} // namespace

nlohmann::json queue_json(const queue_view& view, stored_time as_of,
                          const queue_surroundings& around) {
  const auto& row = view.row;
  queue_status_row said;
  said.state = "flowing";
  if (view.status)
    said = *view.status;
  const auto age = view.oldest_accepted_at.ms == 0
    ? 0
    : (as_of - view.oldest_accepted_at).count();
  json result{
    {"id", row.id.value},
    {"configured", around.configured},
    {"has_url", around.has_url},
    {"full", around.full},
    {"state", row.halted ? "paused" : said.state},
    {"cause", said.cause},
    {"since_ms", row.halted ? row.halted->since.ms : said.since.ms},
    {"next_at_ms", row.halted ? 0 : said.next_at.ms},
    {"paused_by", row.halted ? row.halted->by : ""},
    {"pause_reason", row.halted ? row.halted->reason : ""},
    {"bridge_asked", row.paused_by == pause_cause::peer},
    {"sending_since_ms", said.sending_since.ms},
    {"depth_events", row.owed_events},
    {"depth_other", row.owed_others},
    {"bytes", row.owed_bytes},
    {"oldest_age_ms", std::max<int64_t>(age, 0)},
    {"attempts", said.attempts},
    {"last_error", said.last_error},
    {"last_error_at_ms", said.last_error_at.ms},
    {"last_error_text", said.last_error_text},
    {"pinned_txn", row.pinned ? row.pinned->id.value : ""},
    {"dead_letters", view.dead_letters},
    {"delivered_events", row.delivered_events},
    {"delivered_transactions", row.delivered_transactions},
    {"delivered_stream_ordering", row.delivered_stream_ordering},
    {"removed_at_ms", row.removed_at.ms},
    {"overflowed", row.overflowed},
    {"near_bounds", policy::near_bounds_text(row.near_bounds)},
  };
  return result;
}

std::string status_json(
  std::span<const queue_view> queues, stored_time as_of,
  const std::function<queue_surroundings(const std::string&)>& around) {
  auto list = json::array();
  for (const auto& view : queues)
    list.push_back(queue_json(
      view, as_of, around ? around(view.row.id.value) : queue_surroundings{}));
  return dumped({{"appservices", std::move(list)}, {"as_of_ms", as_of.ms}});
}

std::string reload_json(const reload_report& report) {
  if (!report.applied)
    return dumped(
      {{"errcode", "ORG.WEIR.BAD_CONFIGURATION"},
       {"error", "Nothing was changed: " + to_string(report.problems.front())},
       {"problems", problems_json(report.problems)}});
  return dumped({{"added", report.changes.added},
                 {"changed", report.changes.changed},
                 {"removed", report.changes.removed},
                 {"need_restart", report.changes.need_restart},
                 {"warnings", problems_json(report.warnings)}});
}

expected<read_dead_letters> parse_dead_letters_query(std::string_view query) {
  WEIR_TRY(const auto asked, parse_page_query(query));
  return read_dead_letters{asked.appservice, asked.after, asked.rows_max};
}

std::string dead_letters_json(std::span<const dead_letter_row> letters,
                              uint64_t asked) {
  auto list = json::array();
  for (const auto& letter : letters)
    list.push_back(letter_json(letter));
  return page_json("dead_letters", std::move(list), asked,
                   letters.empty() ? 0 : letters.back().id);
}

std::string dead_letter_json(const dead_letter_row& letter) {
  auto result = letter_json(letter);
  result["content"] = letter.item.bytes;
  return dumped(result);
}

} // namespace weir
