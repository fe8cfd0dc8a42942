#include "http/routes/realm_replies.hpp"
#include "schema/http.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace weir;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

std::string retry_after(const http_response& from) {
  return std::string{find_field(from.fields, "Retry-After")};
}

http_response offered(offer_result how, room_again again = {}) {
  offer_taken taken;
  taken.result = how;
  taken.event_id = "we_1";
  taken.seq = 7;
  return offer_reply(answer_of(taken, again, "wt1_A"));
}

realm_answer with_event(realm_event_state state) {
  realm_answer found;
  found.facts.realm.emplace();
  found.facts.event.emplace();
  found.facts.event->event_id = "we_1";
  found.facts.event->state = state;
  found.token = "wt1_B";
  return found;
}

} // namespace

TEST_CASE("realm replies: a4 what was taken in is 202, a repetition 200") {
  const auto taken = offered(offer_result::queued);
  CHECK(taken.status == 202);
  const auto body = json::parse(taken.body);
  CHECK(body["event_id"] == "we_1");
  CHECK(body["realm_seq"] == 7);
  CHECK(body["state"] == "queued");
  CHECK(body["merged_into"].is_null());
  CHECK(body["replayed"] == false);
  CHECK(body["token"] == "wt1_A");
  CHECK(offered(offer_result::merged).status == 202);
  const auto again = offered(offer_result::replayed);
  CHECK(again.status == 200);
  CHECK(json::parse(again.body)["replayed"] == true);
}

TEST_CASE("realm replies: a4 each refusal has its code, and says when to come "
          "again") {
  const room_again again{1'500ms, 61s};
  auto told = offered(offer_result::realm_full, again);
  CHECK(told.status == 429);
  CHECK(retry_after(told) == "2");
  auto body = json::parse(told.body);
  CHECK(body["errcode"] == "M_LIMIT_EXCEEDED");
  CHECK(body["retry_after_ms"] == 1'500);
  CHECK(!body.contains("event_id"));
  told = offered(offer_result::all_full, again);
  CHECK(told.status == 503);
  CHECK(retry_after(told) == "61");
  CHECK(json::parse(told.body)["errcode"] == "ORG.WEIR.CAPACITY");
  told = offered(offer_result::held);
  CHECK(json::parse(told.body)["errcode"] == "ORG.WEIR.ORDER_HELD");
  CHECK(retry_after(told) == "1");
  told = offered(offer_result::key_reused, again);
  CHECK(told.status == 409);
  CHECK(json::parse(told.body)["errcode"] == "ORG.WEIR.KEY_REUSED");
  CHECK(retry_after(told).empty());
  told = offered(offer_result::too_large);
  CHECK(told.status == 413);
  CHECK(json::parse(told.body)["errcode"] == "M_TOO_LARGE");
}

TEST_CASE("realm replies: t9 a token that is not read by is told why") {
  auto told = token_reply(token_refusal::not_ours);
  CHECK(told.status == 400);
  CHECK(told.body == token_reply(token_refusal::malformed).body);
  CHECK(retry_after(told).empty());
  told = token_reply(token_refusal::not_caught_up);
  CHECK(told.status == 503);
  CHECK(retry_after(told) == "1");
  CHECK(json::parse(told.body)["errcode"] == "ORG.WEIR.NOT_CAUGHT_UP");
  CHECK(json::parse(told.body)["retry_after_ms"] == 1'000);
  told = token_reply(token_refusal::expired);
  CHECK(json::parse(told.body)["errcode"] == "M_UNKNOWN_POS");
  CHECK(json::parse(told.body)["reason"] == "expired");
}

TEST_CASE("realm replies: an event tells how it is in each room") {
  auto found = with_event(realm_event_state::bound);
  found.facts.sends.resize(2);
  found.facts.sends[0].room = {"!a"};
  found.facts.sends[1].room = {"!b"};
  found.facts.sends[1].outcome = send_outcome::delivered;
  found.facts.sends[1].remote_id = "$1";
  found.facts.more = true;
  const auto body = json::parse(event_reply(found).body);
  CHECK(body["complete"] == false);
  CHECK(body["outcome"].is_null());
  CHECK(body["rooms"][0]["state"] == "queued");
  CHECK(body["rooms"][1]["state"] == "delivered");
  CHECK(body["rooms"][1]["event_id"] == "$1");
  CHECK(body["next"] == "!b");
  CHECK(body["token"] == "wt1_B");
  auto over = with_event(realm_event_state::over);
  over.facts.event->how = send_outcome::merged;
  over.facts.event->merged_into = "we_0";
  const auto ended = json::parse(event_reply(over).body);
  CHECK(ended["complete"] == true);
  CHECK(ended["outcome"] == "merged");
  CHECK(ended["merged_into"] == "we_0");
  CHECK(ended["next"].is_null());
  CHECK(event_reply({}).status == 404);
}

TEST_CASE("realm replies: an audience and its changes tell their version") {
  realm_audience_changed done;
  done.version = 7;
  done.rooms = 3;
  const auto told = audience_reply({"r"}, done, "wt1_A");
  CHECK(told.status == 200);
  CHECK(find_field(told.fields, "ETag") == "\"7\"");
  CHECK(json::parse(told.body)["audience"] == 3);
  done.result = audience_result::version_conflict;
  const auto conflict = audience_reply({"r"}, done, "");
  CHECK(conflict.status == 409);
  CHECK(json::parse(conflict.body)["audience_version"] == 7);
  done.result = audience_result::busy;
  CHECK(audience_reply({"r"}, done, "").status == 503);
  done.result = audience_result::unknown;
  CHECK(audience_reply({"r"}, done, "").status == 404);
  const auto none = json::parse(rooms_reply({"r"}, {}).body);
  CHECK(none["audience_version"] == 0);
  CHECK(none["rooms"].empty());
}

TEST_CASE("realm replies: a status has the age of its oldest, and how it is "
          "paced") {
  realm_answer found;
  found.facts.realm.emplace();
  found.facts.realm->open_events = 12;
  found.facts.oldest_accepted_at = stored_time{1'000};
  found.facts.account.emplace();
  found.facts.account->not_before = stored_time{9'000};
  found.as_of = stored_time{1'840};
  const auto told = status_reply({"r"}, found, {{"limited_by", "rate"}});
  const auto body = json::parse(told.body);
  CHECK(body["queued_events"] == 12);
  CHECK(body["oldest_queued_age_ms"] == 840);
  CHECK(body["paused_until"] == 9'000);
  CHECK(body["limited_by"] == "rate");
  found.as_of = stored_time{9'000};
  CHECK(
    json::parse(status_reply({"r"}, found, json::object()).body)["paused_until"]
      .is_null());
}

TEST_CASE("realm replies: the feed names realm, event and room") {
  feed_answer page;
  page.rows.resize(2);
  page.rows[0].queue = "realm/https://r/";
  page.rows[0].subject = "we_1/!a/b";
  page.rows[0].result = "delivered";
  page.rows[1].queue = "realm/r";
  page.rows[1].subject = "we_2";
  page.rows[1].result = "merged";
  page.next = "wt1_C";
  const auto body = json::parse(feed_reply(page).body);
  CHECK(body["outcomes"][0]["realm"] == "https://r/");
  CHECK(body["outcomes"][0]["event_id"] == "we_1");
  CHECK(body["outcomes"][0]["room_id"] == "!a/b");
  CHECK(body["outcomes"][1]["event_id"] == "we_2");
  CHECK(body["outcomes"][1]["room_id"].is_null());
  CHECK(body["next"] == "wt1_C");
}
