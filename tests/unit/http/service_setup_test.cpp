#include "http/service_setup.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace std::chrono_literals;

namespace {

appservice_registration bridge(const std::string& id,
                               std::optional<std::string> url) {
  appservice_registration registration;
  registration.id = {id};
  registration.url = std::move(url);
  registration.hs_token = id + "-hs";
  return registration;
}

loaded_setup two_bridges() {
  loaded_setup setup;
  setup.registrations = {bridge("irc", "http://irc"), bridge("quiet", {})};
  auto& special = setup.settings.appservices.overrides["irc"];
  special.request_timeout = 90s;
  special.connect_timeout = 3s;
  special.query_timeout = 11s;
  special.backoff_first = 2s;
  special.backoff_max = 3min;
  special.rejections_before_bisect = 9;
  special.hangs_before_bisect = 8;
  special.max_transaction_events = 5;
  special.max_transaction_bytes = 7'000;
  special.queue_events_max = 77;
  special.queue_bytes_max = 7'777;
  special.typing_max_age = 5s;
  special.ephemeral_max_age = 50s;
  special.ephemeral_max = 55;
  special.mirror_ephemeral = true;
  special.poison = poison_policy::block;
  special.legacy_paths = true;
  special.legacy_query_token = true;
  special.dedupe_events = false;
  special.ca_file = "ca.pem";
  special.hs_token_outbound = "outbound";
  setup.settings.actors.idle_after = 4s;
  setup.settings.drain.timeout = 6s;
  return setup;
}

} // namespace

TEST_CASE("service setup: a queue is served as its appservice is configured") {
  const auto settings = make_house_settings(two_bridges(), nullptr);
  CHECK(settings->idle_after == 4s);
  CHECK(settings->drain_timeout == 6s);
  REQUIRE(settings->queues.size() == 2);
  const auto& irc = settings->queues[0];
  CHECK(irc.id == appservice_id{"irc"});
  CHECK(irc.peer.url == "http://irc");
  CHECK(irc.peer.ca_file == "ca.pem");
  CHECK(irc.hs_token == "outbound");
  CHECK(irc.query_token);
  CHECK(irc.deadlines.connect == 3s);
  CHECK(irc.deadlines.answer == 90s);
  CHECK(irc.bounds.events == 5);
  CHECK(irc.bounds.lanes
        == policy::lane_rules{.typing_age = 5s,
                              .ephemeral_age = 50s,
                              .waiting_max = 55,
                              .mirror = true});
  CHECK(settings->queues[1].bounds.lanes == policy::lane_rules{});
  CHECK(irc.bounds.bytes == 7'000);
  CHECK(irc.limits.pause.first == 2s);
  CHECK(irc.limits.pause.ceiling == 3min);
  CHECK(irc.limits.poison.rejections == 9);
  CHECK(irc.limits.poison.hangs == 8);
  CHECK_FALSE(irc.limits.dead_letter);
  CHECK(irc.limits.legacy_paths);
  const auto& quiet = settings->queues[1];
  CHECK(quiet.peer.url.empty());
  CHECK(quiet.hs_token == "quiet-hs");
  CHECK(quiet.limits.dead_letter);
}

TEST_CASE("service setup: realms are sent for as the homeserver is configured, "
          "and not at all without a token or a password") {
  auto setup = two_bridges();
  auto& homeserver = setup.settings.homeserver;
  homeserver.url = "http://hs";
  homeserver.user_id = "@weir:x";
  homeserver.device_id = "D";
  homeserver.pace = {7, 3};
  setup.settings.realms.ordered = {"a*"};
  setup.settings.realms.audience_wait = 9s;
  setup.settings.realms.queued_bytes_max = 5'000'000;
  setup.settings.realms.queued_bytes_max_all = 6'000'000;
  setup.settings.producers = {{"p", "token", {"*"}}};
  CHECK(make_house_settings(setup, nullptr)->realms.account.empty());
  homeserver.as_token = "as";
  const auto realms = make_house_settings(setup, nullptr)->realms;
  CHECK(realms.account == "@weir:x");
  CHECK(realms.peer.url == "http://hs");
  CHECK(realms.as_token == "as");
  CHECK(realms.password.empty());
  CHECK(realms.device == "D");
  CHECK(realms.pace.sends_per_second == 7);
  CHECK(realms.pace.in_flight == 3);
  CHECK(realms.ordered == std::vector<std::string>{"a*"});
  CHECK(realms.audience_wait == 9s);
  CHECK(realms.bounds.realm_bytes == 5'000'000);
  const auto door = make_producer_options(setup, nullptr, nullptr);
  CHECK(door.account == "@weir:x");
  CHECK(door.bounds.all_bytes == 6'000'000);
  REQUIRE(door.producers->all.size() == 1);
  CHECK(door.producers->tokens[0].token == "token");
}

TEST_CASE("service setup: every appservice has its place on the board") {
  const auto board = make_house_settings(two_bridges(), nullptr)->board;
  REQUIRE(board);
  for (const std::string id : {"irc", "quiet"}) {
    board->set_full({id}, true);
    CHECK(board->is_full({id}));
  }
}

TEST_CASE("service setup: what is passed on leaves each appservice its own "
          "connections") {
  auto setup = two_bridges();
  for (const size_t connections : {16, 200, 4'096, 100'000}) {
    CAPTURE(connections);
    setup.settings.listener.connections_max = connections;
    const auto passed_on = passed_on_bounds_for(connections).in_all;
    CHECK(outgoing_connections_max(setup)
          >= passed_on + 2 * setup.registrations.size());
  }
  // More than there once were in all.
  setup.registrations.resize(10'000);
  CHECK(outgoing_connections_max(setup) > 20'000);
}

TEST_CASE("service setup: the listener knows its appservices by their own "
          "token") {
  const auto made = make_served_appservices(two_bridges());
  const auto& served = made->all;
  REQUIRE(served.size() == 2);
  const auto& irc = served[0];
  CHECK(irc.hs_token == "irc-hs");     // What the homeserver shows,
  CHECK(irc.link.token == "outbound"); // and what the bridge is shown.
  CHECK(irc.query_alone);
  CHECK(irc.link.legacy_query);
  CHECK(irc.link.wait == 11s);
  CHECK(irc.link.peer.url == "http://irc");
  CHECK(irc.link.peer.ca_file == "ca.pem");
  CHECK(irc.sends);
  CHECK_FALSE(irc.dedupe_events);
  CHECK(irc.bounds.queue.elements_max == 77);
  CHECK(irc.bounds.queue.bytes_max == 7'777);
  CHECK(irc.bounds.events == 5);
  CHECK_FALSE(served[1].sends); // `url: null`
  CHECK(served[1].link.token == "quiet-hs");
}
