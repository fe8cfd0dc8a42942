#include "http/routes/quarantine.hpp"

#include "http/matrix_reply.hpp"
#include "http/query.hpp"
#include "http/routes/listing.hpp"

#include <nlohmann/json.hpp>

namespace weir {

namespace {

using nlohmann::json;

json head_json(const quarantine_row& row) {
  return {{"id", row.id},
          {"appservice", row.appservice.value},
          {"hs_txn_id", row.hs_txn_id},
          {"reason", row.reason},
          {"bytes", std::max<uint64_t>(row.body.size(), row.size)},
          {"times", row.times},
          {"first_at_ms", row.first_at.ms},
          {"last_at_ms", row.last_at.ms}};
}

http_response not_quarantined() {
  return matrix_error(404, "M_NOT_FOUND", "No such quarantined body");
}

/// Nobody's browser is to take it for a page.
http_response download_of(const quarantine_row& row) {
  http_response response;
  response.fields = {{"Content-Type", "application/octet-stream"},
                     {"Content-Disposition", "attachment"},
                     {"X-Content-Type-Options", "nosniff"}};
  response.body = row.body;
  return response;
}

} // namespace

expected<read_quarantine> parse_quarantine_query(std::string_view query) {
  WEIR_TRY(const auto asked, parse_page_query(query));
  return read_quarantine{asked.appservice, asked.after, asked.rows_max};
}

std::string quarantine_json(std::span<const quarantine_row> bodies,
                            uint64_t asked) {
  auto list = json::array();
  for (const auto& row : bodies)
    list.push_back(head_json(row));
  return page_json("quarantine", std::move(list), asked,
                   bodies.empty() ? 0 : bodies.back().id);
}

std::string quarantined_json(const quarantine_row& row) {
  auto result = head_json(row);
  result["body"] = nullptr;
  if (row.body.size() <= shown_body_bytes_max)
    result["body"] = row.body;
  return dumped(result);
}

void quarantine_reply(house& door, std::string_view query,
                      const reply& answer) {
  const auto request = parse_quarantine_query(query);
  if (!request)
    return answer(error_reply(request.error()));
  door.quarantine_listing(
    request.value(),
    [answer,
     asked = request.value().rows_max](const expected<quarantine_page>& page) {
      answer(page ? json_ok(quarantine_json(page.value().bodies, asked))
                  : error_reply(page.error()));
    });
}

void quarantined_reply(house& door, std::string_view path,
                       const reply& answer) {
  constexpr std::string_view prefix = "/quarantine/";
  constexpr std::string_view raw = "/raw";
  auto text = path.substr(prefix.size());
  const bool as_it_came = text.ends_with(raw);
  if (as_it_came)
    text.remove_suffix(raw.size());
  const auto id = whole_number("The id", text);
  if (!id)
    return answer(not_quarantined());
  door.quarantined_body(
    {id.value()}, [answer, as_it_came](const expected<quarantine_page>& page) {
      if (!page)
        return answer(error_reply(page.error()));
      if (page.value().bodies.empty())
        return answer(not_quarantined());
      const auto& row = page.value().bodies.front();
      answer(as_it_came ? download_of(row) : json_ok(quarantined_json(row)));
    });
}

void drop_bodies_reply(house& door, kept_change what, reply answer) {
  kept_kind kind;
  kind.not_found = "No such quarantined body";
  kind.owner_of = [&door](int64_t id, auto then) {
    door.quarantine_listing(
      {std::nullopt, id - 1, 1},
      [id, then = std::move(then)](const expected<quarantine_page>& page) {
        if (!page)
          return then(fail(page.error()));
        const auto& found = page.value().bodies;
        const bool is_there = !found.empty() && found.front().id == id;
        then(is_there ? std::optional{found.front().appservice} : std::nullopt);
      });
  };
  kind.objection
    = [](const std::string&) { return std::optional<http_response>{}; };
  kind.change = [&door, by = what.by](const appservice_id& id,
                                      kept_selection which, auto then) {
    door.drop_bodies({id, std::move(which), by, {}}, std::move(then));
  };
  change_kept(std::move(kind), std::move(what), std::move(answer));
}

} // namespace weir
