#include "tests/support/actors/realm_homeserver.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

} // namespace

TEST_CASE("realm queue: an event reaches each room of the audience once") {
  realm_world on;
  on.start({"!a", "!b", "!c"});
  on.submit(1, 3);
  on.house.advance(seconds{10});
  for (const auto room : {"!a", "!b", "!c"})
    CHECK(on.homeserver.rooms[room] == contents(1, 3));
  CHECK(on.row().open_events == 0);
  CHECK(on.row().delivered == 9);
  CHECK(on.homeserver.sign_ins == 1);
  CHECK(on.sends("we_1").at(0).remote_id.starts_with("$"));
}

TEST_CASE("realm queue: q1 and q2 no more sends are open than the cap") {
  realm_world on;
  on.homeserver.takes = seconds{1};
  std::vector<std::string> rooms;
  for (int i = 0; i < 30; ++i)
    rooms.push_back("!" + std::to_string(100 + i));
  on.start(rooms);
  on.submit(1, 2);
  on.house.advance(seconds{60});
  CHECK(most_sends_open(on.house.network) == 8);
  CHECK(on.row().open_events == 0);
}

TEST_CASE("realm queue: q33 all who lost a session join one sign-in") {
  realm_world on;
  on.start({"!a", "!b", "!c", "!d"});
  on.submit(1, 1);
  on.house.advance(seconds{5});
  CHECK(on.homeserver.sign_ins == 1);
  std::set<std::string> told;
  on.homeserver.before
    = [&](const http_request& request) -> std::optional<scripted_reply> {
    if (!realm_homeserver::is_send(request)
        || !told.insert(realm_homeserver::room_of(request)).second)
      return {};
    auto reply = on.homeserver.said(401, R"({"errcode":"M_UNKNOWN_TOKEN"})");
    if (told.size() == 4) // When the others have signed in again.
      reply.after = seconds{1};
    return reply;
  };
  on.submit(2, 2);
  on.house.advance(seconds{5});
  CHECK(told.size() == 4);
  CHECK(on.homeserver.sign_ins == 2);
  for (const auto room : {"!a", "!b", "!c", "!d"})
    CHECK(on.homeserver.rooms[room] == contents(1, 2));
}

TEST_CASE("realm queue: q34 a sign-in under overload loses no event") {
  realm_world on;
  int refused = 0;
  on.homeserver.before
    = [&](const http_request& request) -> std::optional<scripted_reply> {
    if (realm_homeserver::is_send(request) || refused >= 3)
      return {};
    ++refused;
    return on.homeserver.said(502, "<html>");
  };
  on.start({"!a", "!b"});
  on.submit(1, 3);
  on.house.advance(seconds{30});
  CHECK(refused == 3);
  CHECK(on.homeserver.rooms["!a"] == contents(1, 3));
  CHECK(on.homeserver.rooms["!b"] == contents(1, 3));
}

TEST_CASE("realm queue: q36 a room without the sender rests, others go on") {
  realm_world on;
  on.start({"!a", "!b"});
  on.homeserver.joined = {"!b"};
  on.homeserver.before
    = [&](const http_request& request) -> std::optional<scripted_reply> {
    if (!realm_homeserver::is_send(request)
        || realm_homeserver::room_of(request) != "!a")
      return {};
    return on.homeserver.said(
      403, R"({"errcode":"M_FORBIDDEN","error":"User not in room !a"})");
  };
  on.submit(1, 2);
  on.house.advance(seconds{20});
  CHECK(on.homeserver.rooms["!b"] == contents(1, 2));
  CHECK(on.sends("we_1").at(0).outcome == send_outcome::not_joined);
  CHECK(on.sends("we_2").at(0).outcome == send_outcome::skipped);
  CHECK(on.row().open_events == 0);
}

TEST_CASE(
  "realm queue: e19 what is rejected is a dead letter and holds nothing "
  "up") {
  realm_world on;
  on.start({"!a"});
  on.homeserver.before
    = [&](const http_request& request) -> std::optional<scripted_reply> {
    if (!realm_homeserver::is_send(request)
        || request.body.view().find("\"2\"") == std::string_view::npos)
      return {};
    return on.homeserver.said(413, R"({"errcode":"M_TOO_LARGE"})");
  };
  on.submit(1, 3);
  on.house.advance(seconds{20});
  CHECK(on.homeserver.rooms["!a"]
        == std::vector{contents(1, 1)[0], contents(3, 3)[0]});
  CHECK(on.row().dead_letters == 1);
}

TEST_CASE("realm queue: d3 a room that hangs delays itself alone") {
  realm_world on;
  on.start({"!a", "!b", "!c"});
  on.submit(1, 1); // Else it may hang that is to tell how the homeserver is.
  on.house.advance(seconds{5});
  on.homeserver.before
    = [&](const http_request& request) -> std::optional<scripted_reply> {
    if (realm_homeserver::is_send(request)
        && realm_homeserver::room_of(request) == "!a")
      return silence();
    return {};
  };
  on.submit(2, 20);
  on.house.advance(seconds{25});
  CHECK(on.homeserver.rooms["!a"] == contents(1, 1));
  CHECK(on.homeserver.rooms["!b"] == contents(1, 20));
  CHECK(on.homeserver.rooms["!c"] == contents(1, 20));
}

TEST_CASE("realm queue: q41 an event that nobody waits for is over at once") {
  realm_world on;
  on.start({});
  on.submit(1, 650); // More than a few commits end.
  on.house.advance(milliseconds{10});
  CHECK(on.row().open_events == 0);
  CHECK(on.house.network.all().empty());
}

TEST_CASE(
  "realm queue: a realm that is paused sends nothing until it goes on") {
  realm_world on;
  on.homeserver.takes_in["!a"] = seconds{1}; // Others wait behind it.
  on.start({"!a", "!b"});
  on.submit(1, 5);
  on.house.advance(milliseconds{2'500});
  write<realm_halted>(on.house, halt_realm{{"r"}, true, "ada", "", {}});
  wake_realm_of(on.house, "r", realm_change::halt);
  on.house.advance(seconds{2});
  const auto sent = send_times(on.house.network).size();
  CHECK(sent > 0);
  on.house.advance(minutes{1});
  CHECK(send_times(on.house.network).size() == sent);
  write<realm_halted>(on.house, halt_realm{{"r"}, false, "ada", "", {}});
  wake_realm_of(on.house, "r", realm_change::halt);
  on.house.advance(seconds{20});
  CHECK(on.homeserver.rooms["!a"] == contents(1, 5));
  CHECK(on.homeserver.rooms["!b"] == contents(1, 5));
}

TEST_CASE("realm queue: dead letters that are begun anew arrive") {
  realm_world on;
  on.start({"!a"});
  bool rejects = true;
  on.homeserver.before
    = [&](const http_request& request) -> std::optional<scripted_reply> {
    if (!realm_homeserver::is_send(request) || !rejects)
      return {};
    return on.homeserver.said(400, R"({"errcode":"M_BAD_JSON"})");
  };
  on.submit(1, 1);
  on.house.advance(seconds{5});
  CHECK(on.row().dead_letters == 1);
  rejects = false;
  write<realm_event_redelivered>(on.house,
                                 redeliver_realm_event{{"r"}, "we_1", "", {}});
  wake_realm_of(on.house, "r", realm_change::redelivered);
  on.house.advance(seconds{5});
  CHECK(on.homeserver.rooms["!a"] == contents(1, 1));
}

TEST_CASE("realm queue: an idle one ends, and the next event starts another") {
  realm_world on;
  on.start({"!a"});
  on.submit(1, 1);
  on.house.advance(seconds{2});
  const auto busy = on.house.running_actors();
  on.house.advance(minutes{2});
  CHECK(on.house.running_actors() == busy - 1);
  on.submit(2, 2);
  on.house.advance(seconds{2});
  CHECK(on.homeserver.rooms["!a"] == contents(1, 2));
}

TEST_CASE("realm queue: e11 of a large audience each room is sent to once") {
  realm_world on;
  on.house.settings.realms.pace.sends_per_second = 1'000;
  on.house.settings.realms.pace.in_flight = 32;
  std::vector<std::string> rooms;
  for (int i = 0; i < 900; ++i)
    rooms.push_back("!" + std::to_string(1'000 + i));
  on.start(rooms);
  on.submit(1, 2);
  on.house.advance(seconds{30});
  for (const auto& room : rooms)
    CHECK(on.homeserver.rooms[room] == contents(1, 2));
  CHECK(on.row().open_events == 0);
}

TEST_CASE("realm queue: what is cancelled ends in a pause too, unless it was "
          "begun") {
  realm_world on;
  std::vector<std::string> rooms;
  for (int i = 0; i < 120; ++i)
    rooms.push_back("!" + std::to_string(100 + i));
  on.start(rooms);
  on.homeserver.before
    = [&](const http_request& request) -> std::optional<scripted_reply> {
    if (!realm_homeserver::is_send(request))
      return {};
    return on.homeserver.said(429, R"({"errcode":"M_LIMIT_EXCEEDED"})",
                              {{"Retry-After", "600"}});
  };
  on.submit(1, 1);
  on.house.advance(seconds{5});
  CHECK(send_times(on.house.network).size() == 1);
  write<realm_event_cancelled>(on.house, cancel_realm_event{{"r"}, "we_1", {}});
  wake_realm_of(on.house, "r", realm_change::cancelled);
  on.house.advance(seconds{1});
  const auto sends = on.sends("we_1");
  CHECK(std::count_if(sends.begin(), sends.end(),
                      [](const auto& each) {
                        return each.outcome == send_outcome::cancelled;
                      })
        == 119);
  CHECK(on.row().unsettled == 1);
  CHECK(send_times(on.house.network).size() == 1);
}
