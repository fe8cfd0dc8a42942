#include "tests/support/actors/planted_fault.hpp"
#include "tests/support/actors/realm_homeserver.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

std::vector<http_field> retry_after(int after) {
  return {{"Retry-After", std::to_string(after)}};
}

} // namespace

TEST_CASE("realm queue: g5 whatever stops it events arrive once and in order") {
  realm_world on;
  on.start({"!a", "!b", "!c"});
  on.submit(1, 30);
  on.house.advance(milliseconds{300});
  on.restart(); // Some are in flight, and some are answered and not settled.
  on.submit(31, 60);
  on.house.advance(milliseconds{700});
  int refused = 0;
  on.homeserver.before
    = [&](const http_request& request) -> std::optional<scripted_reply> {
    if (!realm_homeserver::is_send(request) || refused >= 8)
      return {};
    ++refused;
    return on.homeserver.said(503, "<html>", retry_after(5));
  };
  on.submit(61, 100);
  on.house.advance(seconds{2});
  on.restart();
  on.house.advance(minutes{3});
  CHECK(refused == 8);
  for (const auto room : {"!a", "!b", "!c"})
    CHECK(on.homeserver.rooms[room] == contents(1, 100));
  CHECK(on.row().open_events == 0);
  CHECK(on.row().dead_letters == 0);
  CHECK(most_sends_open(on.house.network) <= 8);
}

TEST_CASE("realm queue: g7 nothing is sent before the time that was asked for, "
          "a restart between") {
  realm_world on;
  on.start({"!a", "!b"});
  bool busy = true;
  on.homeserver.before
    = [&](const http_request& request) -> std::optional<scripted_reply> {
    if (!realm_homeserver::is_send(request) || !busy)
      return {};
    busy = false;
    return on.homeserver.said(
      429, R"({"errcode":"M_LIMIT_EXCEEDED","error":"x"})", retry_after(30));
  };
  on.submit(1, 2);
  on.house.advance(seconds{2});
  const auto before = send_times(on.house.network);
  REQUIRE(before.size() == 1);
  on.restart();
  on.house.advance(seconds{60});
  const auto after = send_times(on.house.network);
  REQUIRE(after.size() == 5);
  CHECK(after[1] - before[0] >= 30'000);
  CHECK(on.homeserver.rooms["!a"] == contents(1, 2));
}

TEST_CASE("realm queue: d7 an outage of five minutes loses nothing") {
  realm_world on;
  on.start({"!a", "!b"});
  bool away = true;
  on.homeserver.before
    = [&](const http_request&) -> std::optional<scripted_reply> {
    return away ? std::optional{failure(no_answer::refused)} : std::nullopt;
  };
  on.submit(1, 20);
  on.house.advance(minutes{5});
  CHECK(on.house.network.all().size() < 20); // Probes only.
  away = false;
  on.house.advance(minutes{2});
  CHECK(on.homeserver.rooms["!a"] == contents(1, 20));
  CHECK(on.homeserver.rooms["!b"] == contents(1, 20));
}

TEST_CASE("realm queue: q30 a send that was stored and not answered is one "
          "event") {
  realm_world on;
  on.start({"!a"});
  int lost = 0;
  on.homeserver.before
    = [&](const http_request& request) -> std::optional<scripted_reply> {
    if (!realm_homeserver::is_send(request) || ++lost > 3)
      return {};
    on.homeserver.store(request);
    return on.homeserver.said(504, "<html>");
  };
  on.submit(1, 2);
  on.house.advance(minutes{1});
  CHECK(on.homeserver.rooms["!a"] == contents(1, 2));
  CHECK(on.row().open_events == 0);
}

TEST_CASE("realm queue: without the store nothing is lost, and it goes on") {
  realm_world on;
  on.start({"!a", "!b"});
  on.submit(1, 10);
  on.house.advance(milliseconds{150});
  on.house.database.set_away(true);
  on.house.advance(seconds{40});
  on.house.database.set_away(false);
  on.house.advance(minutes{1});
  CHECK(on.homeserver.rooms["!a"] == contents(1, 10));
  CHECK(on.homeserver.rooms["!b"] == contents(1, 10));
  CHECK(on.row().open_events == 0);
}

TEST_CASE(
  "realm queue: whichever actor ends, events arrive once and in order") {
  for (const std::string who : {"pacer", "homeserver_session", "transport",
                                "realm_directory", "store_writer"}) {
    CAPTURE(who);
    realm_world on;
    on.homeserver.takes = milliseconds{300};
    on.start({"!a", "!b", "!c"});
    on.submit(1, 20);
    for (const int after : {350, 777, 40}) {
      on.house.advance(milliseconds{after});
      on.house.kill(who);
    }
    on.house.advance(minutes{2});
    for (const auto room : {"!a", "!b", "!c"})
      CHECK(on.homeserver.rooms[room] == contents(1, 20));
    CHECK(on.row().open_events == 0);
    CHECK(most_sends_open(on.house.network) <= 8);
    CHECK(on.house.give_ups == 0);
  }
}

TEST_CASE("realm queue: one that fails in a handler begins from the store") {
  realm_world on;
  on.start({"!a", "!b"});
  planted_fault fault{"before_realm_settle", 2};
  on.submit(1, 10);
  on.house.advance(seconds{4}); // Without waiting for the next scan.
  CHECK(fault.left() == 0);
  CHECK(on.homeserver.rooms["!a"] == contents(1, 10));
  CHECK(on.homeserver.rooms["!b"] == contents(1, 10));
  CHECK(on.row().open_events == 0);
}

TEST_CASE("realm queue: d14 a drain finishes what is in flight and starts "
          "nothing") {
  realm_world on;
  on.homeserver.takes_in["!a"] = seconds{2}; // Others wait behind it.
  on.start({"!a", "!b"});
  on.submit(1, 10);
  on.house.advance(seconds{7});
  const auto sent = send_times(on.house.network).size();
  REQUIRE(on.house.network.open_now() == 1);
  const auto done = on.house.drain();
  on.house.run();
  CHECK_FALSE(done->answer);
  on.house.advance(seconds{3});
  REQUIRE(done->answer);
  CHECK(send_times(on.house.network).size() == sent);
  CHECK(on.row().delivered == sent);
  CHECK(on.house.network.open_now() == 0);
}

TEST_CASE("realm queue: d9 what may have arrived a day ago is uncertain, and "
          "what is behind it goes on") {
  realm_world on;
  on.start({"!a"});
  bool hangs = true;
  on.homeserver.before
    = [&](const http_request& request) -> std::optional<scripted_reply> {
    if (realm_homeserver::is_send(request) && hangs)
      return on.homeserver.said(504, "<html>");
    return {};
  };
  on.submit(1, 1);
  on.house.advance(hours{23} + minutes{30});
  hangs = false;
  on.submit(2, 2);
  on.house.advance(minutes{2});
  CHECK(on.sends("we_1").at(0).outcome == send_outcome::uncertain);
  CHECK(on.homeserver.rooms["!a"] == contents(2, 2));
}

TEST_CASE("pacer: a new one grants nothing before what was open is closed") {
  realm_world on;
  on.start({"!a", "!b", "!c"});
  on.submit(1, 1);
  on.house.advance(seconds{5});
  on.homeserver.before
    = [](const http_request&) { return std::optional{silence()}; };
  on.house.network.closes_on_abort = false;
  on.submit(2, 5);
  on.house.advance(seconds{1});
  const auto sent = send_times(on.house.network).size();
  CHECK(on.house.network.open_now() == 3);
  submit(on.house, "other", {realm_event("9")});
  change_audience(on.house, "other", {"!x"});
  on.house.kill("pacer");
  wake_realm_of(on.house, "other");
  on.house.advance(seconds{5});
  CHECK(send_times(on.house.network).size() == sent);
  on.homeserver.before = {};
  on.house.network.closes_on_abort = true;
  on.house.network.close_aborted();
  on.house.advance(seconds{20});
  for (const auto room : {"!a", "!b", "!c"})
    CHECK(on.homeserver.rooms[room] == contents(1, 5));
}

TEST_CASE("pacer: permits of one that ended are void, whatever they wait for") {
  realm_world on;
  on.start({"!a", "!b", "!c", "!d"});
  on.submit(1, 1);
  on.house.advance(seconds{5});
  std::set<std::string> told;
  on.homeserver.before
    = [&](const http_request& request) -> std::optional<scripted_reply> {
    auto reply = on.homeserver.said(401, R"({"errcode":"M_UNKNOWN_TOKEN"})");
    if (realm_homeserver::is_send(request))
      return told.insert(realm_homeserver::room_of(request)).second
        ? std::optional{reply}
        : std::nullopt;
    reply
      = on.homeserver.said(200, R"({"user_id":"@weir:x","device_id":"WEIR"})");
    reply.after = seconds{5};
    return reply;
  };
  on.submit(2, 2);
  on.house.advance(seconds{1}); // All four wait for the sign-in.
  REQUIRE(told.size() == 4);
  const auto before = send_times(on.house.network).size();
  on.house.kill("pacer");
  on.house.advance(seconds{30});
  const auto times = send_times(on.house.network);
  REQUIRE(times.size() == before + 4);
  CHECK(times[before + 1] - times[before] >= 20); // The first is a probe.
  for (const auto room : {"!a", "!b", "!c", "!d"})
    CHECK(on.homeserver.rooms[room] == contents(1, 2));
  CHECK(on.house.give_ups == 0);
  CHECK(on.house.starts.at("pacer") == 2);
}

TEST_CASE("realm queue: one that was replaced takes back no offer of its "
          "successor") {
  realm_world on;
  on.start({"!a"});
  bool busy = true;
  on.homeserver.before
    = [&](const http_request& request) -> std::optional<scripted_reply> {
    if (!realm_homeserver::is_send(request) || !std::exchange(busy, false))
      return {};
    return on.homeserver.said(
      429, R"({"errcode":"M_LIMIT_EXCEEDED","error":"x"})", retry_after(30));
  };
  on.submit(1, 2);
  on.house.advance(seconds{5}); // The account rests, and the offer stands.
  caf::anon_send(on.house.house().pacer,
                 withdraw_sends{{"r"}, {{"!a"}, {}}, {}});
  on.house.advance(minutes{1});
  CHECK(on.homeserver.rooms["!a"] == contents(1, 2));
}
