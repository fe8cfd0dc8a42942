#include "http/routes/admin_json.hpp"

#include "schema/limits.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace weir;
using nlohmann::json;

namespace {

dead_letter_row letter(int64_t id, std::string bytes = "{}") {
  dead_letter_row row;
  row.id = id;
  row.appservice = {"irc"};
  row.item.kind = lane::event;
  row.item.event_id = "$e";
  row.item.bytes = std::move(bytes);
  row.reason = "http_400";
  row.attempts = 3;
  row.accepted_at = {1'000};
  row.buried_at = {2'000};
  return row;
}

read_dead_letters asked(std::string_view query) {
  return parse_dead_letters_query(query).value();
}

} // namespace

TEST_CASE("admin json: an appservice without a status is flowing") {
  queue_view view;
  view.row.id = {"irc"};
  const auto page
    = json::parse(status_json(std::vector{view}, stored_time{5'000}, {}));
  CHECK(page["as_of_ms"] == 5'000);
  const auto& one = page["appservices"].at(0);
  CHECK(one["id"] == "irc");
  CHECK(one["state"] == "flowing");
  CHECK(one["oldest_age_ms"] == 0);
  CHECK(one["pinned_txn"] == "");
}

TEST_CASE("admin json: who is not configured any more is told apart") {
  queue_view view;
  view.row.id = {"irc"};
  const auto configured = [&](bool yes) {
    return json::parse(status_json(std::vector{view}, stored_time{1},
                                   [yes](const auto&) {
                                     return queue_surroundings{yes, true, true};
                                   }))
      .at("appservices")
      .at(0)
      .at("configured");
  };
  CHECK(configured(true) == true);
  CHECK(configured(false) == false);
}

TEST_CASE("admin json: what the store does not know is told beside it") {
  const queue_view view;
  const auto plain = queue_json(view, {}, {});
  CHECK(plain.at("has_url") == true);
  CHECK(plain.at("full") == false);
  const auto other = queue_json(view, {}, {true, false, true});
  CHECK(other.at("has_url") == false);
  CHECK(other.at("full") == true);
}

TEST_CASE("admin json: a refused reload tells every problem") {
  reload_report report;
  report.problems = {{"a.yaml", 3, 1, "id", "expected an id"},
                     {"b.yaml", 0, 0, "", "expected YAML"}};
  const auto page = json::parse(reload_json(report));
  CHECK(page["errcode"] == "ORG.WEIR.BAD_CONFIGURATION");
  CHECK(page["error"] == "Nothing was changed: a.yaml:3: id: expected an id");
  REQUIRE(page["problems"].size() == 2);
  CHECK(page["problems"].at(1)["file"] == "b.yaml");
}

TEST_CASE("admin json: state, cause and ages are those of the store") {
  queue_view view;
  view.row.id = {"irc"};
  view.row.pinned.emplace().id = {"8f0c-17"};
  view.oldest_accepted_at = {1'000};
  view.status.emplace();
  view.status->state = "resting";
  view.status->cause = "http_503";
  view.status->next_at = {9'000};
  view.status->last_error = "http_503 \xFF";
  view.status->last_error_text = "Connection refused";
  const auto page
    = json::parse(status_json(std::vector{view}, stored_time{5'000}, {}));
  const auto& one = page["appservices"].at(0);
  CHECK(one["state"] == "resting");
  CHECK(one["cause"] == "http_503");
  CHECK(one["next_at_ms"] == 9'000);
  CHECK(one["oldest_age_ms"] == 4'000);
  CHECK(one["pinned_txn"] == "8f0c-17");
  CHECK(one["last_error"] == "http_503 \xEF\xBF\xBD");
  CHECK(one["last_error_text"] == "Connection refused");
}

TEST_CASE("admin json: a query for dead letters is read, and bounded") {
  CHECK(asked("").after == 0);
  CHECK(asked("").rows_max == 100);
  CHECK_FALSE(asked("appservice=").appservice);
  CHECK(asked("appservice=a%2Fb&after=7&limit=9").appservice
        == appservice_id{"a/b"});
  CHECK(asked("after=7&limit=9").after == 7);
  CHECK(asked("after=7&limit=9").rows_max == 9);
  CHECK(asked("limit=0").rows_max == 1);
  CHECK(asked("limit=100000").rows_max == limits::page_rows_max);
  CHECK(asked("&other=1&&limit").rows_max == 100);
}

TEST_CASE("admin json: what is no number in a query is refused") {
  for (const std::string_view query :
       {"after=x", "after=-1", "limit=1x", "limit=99999999999999999999"})
    CHECK(parse_dead_letters_query(query).error().code == ec::invalid_argument);
}

TEST_CASE("admin json: a full page names where the next begins") {
  const std::vector letters{letter(4), letter(9)};
  CHECK(json::parse(dead_letters_json(letters, 2))["next"] == 9);
  CHECK(json::parse(dead_letters_json(letters, 3))["next"].is_null());
  const auto none = json::parse(dead_letters_json({}, 2));
  CHECK(none["next"].is_null());
  CHECK(none["dead_letters"] == json::array());
}

TEST_CASE("admin json: a letter is listed without its bytes, shown with them") {
  const std::string bytes = R"({"n":9007199254740993,"x":"\ud800"})";
  const auto listed = json::parse(
    dead_letters_json(std::vector{letter(4, bytes)}, 2))["dead_letters"][0];
  CHECK_FALSE(listed.contains("content"));
  CHECK(listed["bytes"] == bytes.size());
  CHECK(listed["lane"] == "event");
  const auto shown = json::parse(dead_letter_json(letter(4, bytes)));
  CHECK(shown["content"] == bytes);
  CHECK(shown["event_id"] == "$e");
  CHECK(shown["buried_at_ms"] == 2'000);
}
