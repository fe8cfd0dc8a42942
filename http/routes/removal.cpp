#include "http/routes/removal.hpp"

#include "http/matrix_reply.hpp"
#include "http/query.hpp"
#include "http/router.hpp"
#include "schema/base64.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace weir {

namespace {

using nlohmann::json;

/// Longer than any mark that Weir makes.
constexpr size_t mark_bytes_max = 200;

struct named_part {
  std::string_view name;
  export_part part;
};
constexpr std::array parts{
  named_part{"owed", export_part::owed},
  named_part{"dead_letters", export_part::letters},
  named_part{"quarantine", export_part::bodies},
};

std::string_view name_of(export_part part) {
  return std::ranges::find(parts, part, &named_part::part)->name;
}

void add_line(std::string& to, const json& value) {
  to += value.dump(-1, ' ', false, json::error_handler_t::replace);
  to += '\n';
}

json element_json(const element& item) {
  return {{"lane", to_string(item.kind)},
          {"keys", item.keys},
          {"event_id", item.event_id},
          {"content", item.bytes}};
}

void add_owed(std::string& to, const owed_row& row) {
  auto line = element_json(row.item);
  line["type"] = "owed";
  line["seq"] = row.seq;
  line["accepted_at_ms"] = row.accepted_at.ms;
  add_line(to, line);
}

void add_letter(std::string& to, const dead_letter_row& row) {
  auto line = element_json(row.item);
  line["type"] = "dead_letter";
  line["id"] = row.id;
  line["seq"] = row.seq;
  line["reason"] = row.reason;
  line["attempts"] = row.attempts;
  line["accepted_at_ms"] = row.accepted_at.ms;
  line["buried_at_ms"] = row.buried_at.ms;
  add_line(to, line);
}

void add_body(std::string& to, const quarantine_row& row) {
  add_line(to,
           {{"type", "quarantined"},
            {"id", row.id},
            {"hs_txn_id", row.hs_txn_id},
            {"reason", row.reason},
            {"times", row.times},
            {"first_at_ms", row.first_at.ms},
            {"last_at_ms", row.last_at.ms},
            {"body_base64", to_base64(row.body)}});
}

http_response unknown_appservice() {
  return matrix_error(404, "M_NOT_FOUND", "Nothing is kept of it");
}

std::string removed_json(const removal_done& done) {
  return json{{"appservice", done.appservice.value},
              {"rows", done.rows},
              {"more", done.more}}
    .dump(-1, ' ', false, json::error_handler_t::replace);
}

http_response removal_reply(const expected<removal_done>& done) {
  if (!done)
    return done_or_not();
  switch (done.value().result) {
  case removal_result::removed: return json_ok(removed_json(done.value()));
  case removal_result::nothing: return unknown_appservice();
  case removal_result::changed:
    return matrix_error(409, "ORG.WEIR.CHANGED",
                        "Nothing was deleted: it is not any more what was "
                        "exported; export it again");
  case removal_result::kept: break;
  }
  return matrix_error(409, "ORG.WEIR.KEPT", "Nothing was deleted");
}

} // namespace

std::optional<appservice_path> parse_appservice_path(std::string_view path) {
  path.remove_prefix(std::string_view{"/appservices/"}.size());
  const auto slash = path.find('/');
  if (slash == 0 || slash == std::string_view::npos
      || path.find('/', slash + 1) != std::string_view::npos)
    return std::nullopt;
  return appservice_path{percent_decoded(path.substr(0, slash)),
                         std::string{path.substr(slash + 1)}};
}

expected<read_export> parse_export_query(const std::string& appservice,
                                         std::string_view query) {
  read_export request{{appservice}, export_part::owed, 0};
  for (const auto& [name, value] : read_query(query)) {
    if (name != "after" || value.empty())
      continue;
    const auto colon = std::min(value.find(':'), value.size());
    const auto part = std::ranges::find(
      parts, std::string_view{value}.substr(0, colon), &named_part::name);
    if (part == parts.end() || colon == value.size())
      return fail(ec::invalid_argument,
                  "after is what the page before named as next");
    request.part = part->part;
    WEIR_TRY(request.after,
             whole_number("after", std::string_view{value}.substr(colon + 1)));
  }
  return request;
}

std::string export_lines(const export_page& page) {
  std::string lines;
  for (const auto& row : page.owed)
    add_owed(lines, row);
  for (const auto& row : page.letters)
    add_letter(lines, row);
  for (const auto& row : page.bodies)
    add_body(lines, row);
  if (page.end)
    add_line(lines,
             {{"type", "end"},
              {"owed", page.end->owed},
              {"dead_letters", page.end->kept.letters},
              {"quarantined", page.end->kept.bodies},
              {"mark", page.end->mark}});
  else
    add_line(
      lines,
      {{"type", "page"},
       {"next",
        fmt::format("{}:{}", name_of(page.next_part), page.next_after)}});
  return lines;
}

void export_reply(house& door, const appservice_path& what,
                  std::string_view query, const reply& answer) {
  const auto request = parse_export_query(what.id, query);
  if (!request)
    return answer(error_reply(request.error()));
  door.export_of(request.value(), [answer](const expected<export_page>& page) {
    if (!page)
      return answer(error_reply(page.error()));
    if (!page.value().known)
      return answer(unknown_appservice());
    http_response response;
    response.fields = {{"Content-Type", "application/x-ndjson"},
                       {"Content-Disposition", "attachment"},
                       {"X-Content-Type-Options", "nosniff"}};
    response.body = export_lines(page.value());
    answer(std::move(response));
  });
}

void remove_reply(house& door, const appservice_path& what,
                  std::string_view query,
                  const std::function<bool(const std::string&)>& serves,
                  const reply& answer) {
  if (serves && serves(what.id))
    return answer(matrix_error(409, "ORG.WEIR.CONFIGURED",
                               "The configuration names it: take its "
                               "registration out and reload first"));
  remove_appservice request;
  request.appservice = {what.id};
  request.by = "admin";
  for (const auto& [name, value] : read_query(query)) {
    auto read = name == "by" && !value.empty() ? asker_name(value)
      : name == "mark" ? one_line("mark", value, mark_bytes_max)
                       : expected<std::string>{std::string{}};
    if (!read)
      return answer(error_reply(read.error()));
    if (name == "by" && !value.empty())
      request.by = std::move(read.value());
    else if (name == "mark")
      request.mark = std::move(read.value());
  }
  door.remove(std::move(request), [answer](const expected<removal_done>& done) {
    answer(removal_reply(done));
  });
}

} // namespace weir
