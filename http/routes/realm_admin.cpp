#include "http/routes/realm_admin.hpp"

#include "http/matrix_reply.hpp"
#include "http/query.hpp"
#include "http/router.hpp"
#include "http/routes/listing.hpp"
#include "http/routes/realm_errands.hpp"
#include "http/routes/realm_replies.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace weir {

namespace {

using nlohmann::json;

constexpr std::string_view prefix = "/realms/";
/// It stands in rows and logs for long.
constexpr size_t reason_bytes_max = 200;

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> found;
  while (true) {
    const auto end = std::min(path.find('/'), path.size());
    found.push_back(percent_decoded(path.substr(0, end)));
    if (end == path.size())
      return found;
    path.remove_prefix(end + 1);
  }
}

read_realm question_of(const realm_admin_path& what) {
  read_realm request;
  request.what.realm = what.realm;
  request.what.rows_max = limits::page_rows_max;
  request.by.principal = "admin";
  request.by.filter = "realm";
  return request;
}

void letters_reply(const realm_door& door, const realm_admin_path& what,
                   std::string_view query, const reply& answer) {
  const auto asked = parse_page_query(query);
  if (!asked)
    return answer(error_reply(asked.error()));
  auto request = question_of(what);
  request.what.with_letters = true;
  request.what.after_seq = static_cast<uint64_t>(asked.value().after);
  request.what.rows_max = asked.value().rows_max;
  door.read(
    std::move(request), {}, [answer](const expected<realm_answer>& found) {
      if (!found)
        return answer(error_reply(found.error()));
      const auto& facts = found.value().facts;
      if (!facts.realm)
        return answer(matrix_error(404, "M_NOT_FOUND", "No such realm"));
      auto events = json::array();
      for (const auto& row : facts.letters)
        events.push_back(event_json(row));
      json page{{"events", std::move(events)}, {"next", nullptr}};
      if (facts.more)
        page["next"] = facts.letters.back().seq;
      answer(json_ok(dumped(page)));
    });
}

void halt_reply(const realm_door& door, const realm_admin_path& what,
                std::string_view query, const reply& answer) {
  halt_realm request;
  request.realm = what.realm;
  request.halted = what.verb == "pause";
  request.by = "admin";
  for (const auto& [name, value] : read_query(query)) {
    auto text = name == "by" && !value.empty()
      ? asker_name(value)
      : one_line("reason", name == "reason" ? value : "", reason_bytes_max);
    if (!text)
      return answer(error_reply(text.error()));
    if (name == "by" && !value.empty())
      request.by = text.value();
    else if (name == "reason")
      request.reason = text.value();
  }
  door.halt(std::move(request), [answer](const expected<realm_halted>& done) {
    if (!done)
      return answer(done_or_not());
    const auto& now = done.value();
    if (!now.known)
      return answer(matrix_error(404, "M_NOT_FOUND", "No such realm"));
    answer(json_ok(dumped({{"changed", now.changed},
                           {"halted", now.halted.has_value()},
                           {"halted_by", now.halted ? now.halted->by : ""}})));
  });
}

} // namespace

std::optional<realm_admin_path> parse_realm_path(std::string_view path) {
  if (!path.starts_with(prefix))
    return std::nullopt;
  const auto parts = segments_of(path.substr(prefix.size()));
  realm_admin_path found;
  found.realm.value = parts.front();
  if (parts.size() == 2)
    found.verb = parts[1];
  if (parts.size() == 4 && parts[1] == "events") {
    found.event_id = parts[2];
    found.verb = parts[3];
  }
  const bool is_whole = parts.size() == 1
    || (parts.size() == 2 && !found.verb.empty())
    || (parts.size() == 4 && !found.event_id.empty() && !found.verb.empty());
  if (found.realm.value.empty() || !is_whole)
    return std::nullopt;
  return found;
}

void realms_page_reply(const realm_door& door, std::string_view query,
                       const reply& answer) {
  const auto asked = parse_page_query(query);
  if (!asked)
    return answer(error_reply(asked.error()));
  door.list({asked.value().after, asked.value().rows_max},
            [answer, rows_max = asked.value().rows_max](
              const expected<realms_found>& found) {
              if (!found)
                return answer(error_reply(found.error()));
              const auto& realms = found.value().realms;
              auto list = json::array();
              for (const auto& each : realms)
                list.push_back(realm_json(each.row, each.oldest_accepted_at,
                                          found.value().as_of));
              json page{{"realms", std::move(list)},
                        {"as_of_ms", found.value().as_of.ms},
                        {"next", nullptr}};
              if (realms.size() >= rows_max)
                page["next"] = realms.back().row.no;
              answer(json_ok(dumped(page)));
            });
}

void realm_reply(const realm_door& door, std::string_view path,
                 std::string_view query, const reply& answer) {
  const auto what = parse_realm_path(path);
  if (what && what->verb == "dead-letters")
    return letters_reply(door, *what, query, answer);
  if (!what || !what->verb.empty())
    return answer(unrecognized());
  auto request = question_of(*what);
  request.what.with_status = true;
  door.read(
    std::move(request), {},
    [&door, answer, realm = what->realm](const expected<realm_answer>& found) {
      if (!found)
        return answer(error_reply(found.error()));
      if (!found.value().facts.realm)
        return answer(matrix_error(404, "M_NOT_FOUND", "No such realm"));
      status_with_pace(door, realm, found.value(), answer);
    });
}

void realm_order_reply(const realm_door& door, std::string_view path,
                       std::string_view query, const reply& answer) {
  const auto what = parse_realm_path(path);
  if (what && what->event_id.empty()
      && (what->verb == "pause" || what->verb == "resume"))
    return halt_reply(door, *what, query, answer);
  if (what && !what->event_id.empty() && what->verb == "redeliver")
    return redeliver_all({door, nullptr, nullptr, "admin"},
                         {what->realm, what->event_id, {}, {}}, answer);
  answer(unrecognized());
}

} // namespace weir
