#include "http/router.hpp"
#include "tests/unit/http/routes_fixture.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

const std::string door = "/_weir/v1/appservices/irc/events";

std::string two_events() {
  return R"({"events":[{"stream_ordering":1,"event":{"event_id":"$1"}},)"
         R"({"stream_ordering":2,"event":{"event_id":"$2"}}]})";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("second door: its path names the appservice") {
  const auto to = classify("POST", "/_weir/v1/appservices/a%2Fb/events?x=1");
  CHECK(to.kind == route_kind::events);
  CHECK(to.method_fits);
  CHECK(to.by_id);
  CHECK(to.appservice == "a/b");
  const auto put = classify("PUT", door);
  CHECK(put.kind == route_kind::events);
  CHECK(!put.method_fits);
  CHECK(put.allow == "POST");
  CHECK(classify("POST", "//_weir//v1/appservices//irc//events").kind
        == route_kind::events);
  for (const auto* unknown :
       {"/_weir/v1/appservices/irc/events/", "/_weir/v1/appservices/irc",
        "/_weir/v1/appservices//events", "/_weir/v1/appservices/irc/eventsx",
        "/_weir/v1/appservices/a/b/events", "/_weir/v2/appservices/irc/events"})
    CHECK_MESSAGE(classify("POST", unknown).kind == route_kind::unknown,
                  unknown);
}

TEST_CASE("second door: what is new is counted, and what was known") {
  routes_fixture on;
  on.start();
  const auto first = on.ask("POST", door, two_events());
  CHECK(first.status == 200);
  CHECK(first.body == R"({"accepted":2,"duplicates":0})");
  const auto again = on.ask("POST", door, two_events());
  CHECK(again.body == R"({"accepted":0,"duplicates":2})");
  const auto& counts = on.counts().second_door;
  CHECK(counts.accepted == 2);
  CHECK(counts.events_accepted == 2);
  CHECK(counts.events_duplicate == 2);
  // It is no transaction.
  CHECK(on.counts().accepted == 0);
  CHECK(on.counts().events_accepted == 0);
}

TEST_CASE("second door: what is wrong is told and not kept") {
  routes_fixture on;
  on.start();
  const auto broken = on.ask("POST", door, "{");
  CHECK(broken.status == 400);
  CHECK(has(broken.body, "M_NOT_JSON"));
  const auto wrong
    = on.ask("POST", door, R"({"events":[{"stream_ordering":-1,"event":{}}]})");
  CHECK(wrong.status == 400);
  CHECK(has(wrong.body, "M_BAD_JSON"));
  CHECK(has(wrong.body, "events[0]: stream_ordering is negative"));
  std::string many = R"({"events":[{"stream_ordering":1,"event":{}})";
  for (size_t i = 0; i < limits::submission_events_max; ++i)
    many += R"(,{"stream_ordering":1,"event":{}})";
  CHECK(on.ask("POST", door, many + "]}").status == 413);
  const auto& counts = on.counts().second_door;
  CHECK(counts.not_json == 1);
  CHECK(counts.bad_json == 1);
  CHECK(counts.too_large == 1);
  CHECK(counts.accepted == 0);
  CHECK(on.database.connect_reader()->quarantined({}, {}).value().empty());
}

TEST_CASE("second door: without a url and without events nothing is kept") {
  routes_fixture on;
  on.start();
  const auto quiet = on.ask("POST", "/_weir/v1/appservices/quiet/events",
                            two_events(), "quiet");
  CHECK(quiet.status == 200);
  CHECK(quiet.body == R"({"accepted":0,"duplicates":0})");
  CHECK(on.ask("POST", door, R"({"events":[]})").body
        == R"({"accepted":0,"duplicates":0})");
}

TEST_CASE("second door: who is unknown gets 404, who shows a wrong token 403") {
  routes_fixture on;
  on.start();
  CHECK(on.ask("POST", door, two_events(), "quiet").status == 403);
  CHECK(
    on.ask("POST", "/_weir/v1/appservices/nobody/events", two_events()).status
    == 404);
  CHECK(on.ask("GET", door).status == 405);
  CHECK(on.counts().unauthorised == 1);
  CHECK(on.counts().unrecognised == 2);
}

TEST_CASE("second door: a request to a full queue waits until there is room") {
  routes_fixture on;
  on.start();
  on.board().set_full({"irc"}, true);
  CHECK(on.wish("POST", door).gate);
  on.board().set_full({"irc"}, false);
  CHECK(!on.wish("POST", door).gate);
}
