#include "http/routes/realm_paths.hpp"
#include "schema/realm_limits.hpp"

#include <doctest/doctest.h>

using namespace weir;

namespace {

realm_route route_of(const std::string& method, const std::string& path) {
  const auto found = classify_realm(method, "/_weir/v1/" + path);
  REQUIRE(found);
  return found.value();
}

realm_act act_of(const std::string& method, const std::string& path) {
  return route_of(method, path).act;
}

} // namespace

TEST_CASE("realm paths: a realm id is one segment, whatever it holds") {
  const auto to = route_of(
    "PUT", "realms/https%3A%2F%2Fr.example%2Fteam%2F/events/a%2Fb%3F?x=1");
  CHECK(to.act == realm_act::submit);
  CHECK(to.realm.value == "https://r.example/team/");
  CHECK(to.item == "a/b?");
  CHECK(act_of("PUT", "realms/https://r.example/team/events/k")
        == realm_act::unknown);
  CHECK(act_of("PUT", "realms//events/k") == realm_act::unknown);
  CHECK(act_of("PUT", "realms/r/events/") == realm_act::unknown);
}

TEST_CASE("realm paths: each path and method is what it is for") {
  CHECK(act_of("GET", "realms/r/events/e") == realm_act::read_event);
  CHECK(act_of("HEAD", "realms/r/events/e") == realm_act::read_event);
  CHECK(act_of("POST", "realms/r/events/e/cancel") == realm_act::cancel);
  CHECK(act_of("POST", "realms/r/events/e/redeliver") == realm_act::redeliver);
  CHECK(act_of("GET", "realms/r/rooms") == realm_act::list_rooms);
  CHECK(act_of("PUT", "realms/r/rooms") == realm_act::replace_rooms);
  CHECK(act_of("POST", "realms/r/rooms") == realm_act::change_rooms);
  const auto room = route_of("PUT", "realms/r/rooms/!a%2F%23:x");
  CHECK(room.act == realm_act::add_room);
  CHECK(room.item == "!a/#:x");
  CHECK(act_of("DELETE", "realms/r/rooms/!a") == realm_act::remove_room);
  CHECK(act_of("GET", "realms/r/status") == realm_act::status);
  CHECK(act_of("POST", "events/bulk") == realm_act::bulk);
  CHECK(act_of("GET", "outcomes?since=x") == realm_act::outcomes);
  for (const auto* unknown : {"realms/r", "realms/r/status/", "realms/r/pause",
                              "realms/r/events/e/cancel/x", "outcomes/", "x"})
    CHECK_MESSAGE(act_of("GET", unknown) == realm_act::unknown, unknown);
}

TEST_CASE("realm paths: of a known path the methods are told") {
  CHECK(route_of("POST", "realms/r/events/e").allow == "GET, HEAD, PUT");
  CHECK(route_of("GET", "events/bulk").allow == "POST");
  CHECK(route_of("GET", "nothing").allow.empty());
}

TEST_CASE("realm paths: an id that is no text or too long is refused") {
  const auto refused = [](const std::string& realm) {
    return classify_realm("GET", "/_weir/v1/realms/" + realm + "/status")
      .has_error();
  };
  CHECK(refused("%FF"));
  CHECK(refused("a%00"));
  CHECK(refused(std::string(limits::realm_id_bytes_max + 1, 'a')));
  CHECK(!refused(std::string(limits::realm_id_bytes_max, 'a')));
  CHECK(
    classify_realm("PUT", "/_weir/v1/realms/r/events/" + std::string(256, 'k'))
      .has_error());
}

TEST_CASE("realm paths: what a read asks for is read, and nothing half") {
  const auto asked = parse_realm_query(
    "wait=settled&timeout_ms=30000&after=wt1_A&from=%21a&limit=99999&wait_ms=0&"
    "other=1");
  REQUIRE(asked);
  CHECK(asked.value().until_settled);
  CHECK(asked.value().timeout_ms == 30'000);
  CHECK(asked.value().wait_ms == 0);
  CHECK(asked.value().after == "wt1_A");
  CHECK(asked.value().from == "!a");
  CHECK(asked.value().rows_max == limits::feed_page_max);
  for (const auto* wrong : {"wait=delivered", "timeout_ms=-1",
                            "timeout_ms=", "limit=x", "wait_ms=1.5"})
    CHECK_MESSAGE(!parse_realm_query(wrong), wrong);
}
