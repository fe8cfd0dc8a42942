#include "tests/unit/operations/realm_fixture.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE_TEMPLATE("realm: e22 a key answers with the event it stands for",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  const auto first = on.submit_one(offer("k"));
  CHECK(first.result == offer_result::queued);
  CHECK(first.event_id == "we_k");
  CHECK(first.seq == 1);
  auto again = offer("k");
  again.event_id = "we_other"; // Drawn anew by each request.
  const auto second = on.submit_one(again);
  CHECK(second.result == offer_result::replayed);
  CHECK(second.event_id == "we_k");
  CHECK(second.seq == 1);
  CHECK(on.row().open_events == 1);
  // Also when it is over, and by a writer that started since.
  on.drain();
  on.open();
  CHECK(on.submit_one(again).state == realm_event_state::over);
  CHECK(on.submit_one(again).result == offer_result::replayed);
}

TEST_CASE_TEMPLATE("realm: e22 a key that stands for another body is refused",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.submit_one(offer("k"));
  std::vector<realm_offer> others(7, offer("k"));
  others[0].content = R"({"a":2})";
  others[1].type = "app.y";
  others[2].importance = realm_class::completion;
  others[3].rule.mode = coalesce_mode::replace;
  others[4].expires_in = 1s;
  others[5].rooms = room_ids({});
  others[6].rule.fields = {"a"};
  for (const auto& each : others)
    CHECK(on.submit_one(each).result == offer_result::key_reused);
  CHECK(on.row().open_events == 1);
}

TEST_CASE_TEMPLATE("realm: a4 after a refused event all later ones are held",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.submit_one(offer("k"));
  auto large = offer("large");
  large.content
    = R"({"a":")" + std::string(limits::realm_content_bytes_max, 'a') + R"("})";
  const auto taken = on.submit({offer("1"), large, offer("2"), offer("k")});
  CHECK(taken.offers[0].result == offer_result::queued);
  CHECK(taken.offers[1].result == offer_result::too_large);
  CHECK(taken.offers[2].result == offer_result::held);
  // What was taken in before is where it is.
  CHECK(taken.offers[3].result == offer_result::replayed);
  CHECK(on.row().open_events == 2);
  submit_realm_events request{on.id, "@weir:x", {offer("3")}, {}, true, {}};
  CHECK(must(on.ask(operations::submit_events, request)).offers[0].result
        == offer_result::held);
}

TEST_CASE_TEMPLATE("realm: q12 of replacing events the newest remains", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a"});
  // One is in flight, three hundred come behind it.
  on.submit_one(replacing("first", R"({"n":0})"));
  on.bind();
  const auto sent = on.begin("!a").send.value();
  for (int round = 0; round < 3; ++round) {
    std::vector<realm_offer> offers;
    for (int i = 0; i < 100; ++i) {
      const auto key = std::to_string(round * 100 + i);
      offers.push_back(replacing(key, R"({"n":)" + key + "}"));
    }
    on.submit(offers);
  }
  CHECK(on.row().open_events == 2);
  CHECK(on.row().unbound == 1);
  CHECK(on.row().merged == 299);
  CHECK(on.content("we_0")->content == R"({"n":299})");
  on.settle("!a", sent);
  CHECK(on.drain()["!a"] == std::vector<std::string>{"we_0"});
}

TEST_CASE_TEMPLATE("realm: d4 what merged has its outcome in the same commit",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.submit_one(replacing("1", R"({"n":1})"));
  const auto taken = on.submit_one(replacing("2", R"({"n":22})"));
  CHECK(taken.result == offer_result::merged);
  CHECK(taken.event_id == "we_2");
  CHECK(taken.merged_into == "we_1");
  CHECK(taken.grown == 1);
  const auto loser = on.event("we_2");
  CHECK(loser.state == realm_event_state::over);
  CHECK(loser.how == send_outcome::merged);
  CHECK(loser.merged_into == "we_1");
  // Its key still answers.
  const auto again = on.submit_one(replacing("2", R"({"n":22})"));
  CHECK(again.result == offer_result::replayed);
  CHECK(again.merged_into == "we_1");
  CHECK(on.content("we_1")->content == R"({"n":22})");
}

TEST_CASE_TEMPLATE("realm: q16 nothing merges into what is bound", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a"});
  on.submit_one(replacing("1", R"({"n":1})"));
  on.bind();
  CHECK(on.submit_one(replacing("2", R"({"n":2})")).result
        == offer_result::queued);
  CHECK(on.begin("!a").send->content == R"({"n":1})");
}

TEST_CASE_TEMPLATE("realm: q14 only the last queued event is merged into",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.submit_one(replacing("1", R"({"n":1})"));
  on.submit_one(offer("2"));
  CHECK(on.submit_one(replacing("3", R"({"n":3})")).result
        == offer_result::queued);
  CHECK(on.row().open_events == 3);
}

TEST_CASE_TEMPLATE("realm: e10 a room that is named twice is one send", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  auto twice = offer("1");
  twice.rooms = room_ids({"!b", "!a", "!b"});
  on.submit_one(twice);
  on.bind();
  CHECK(on.sends("we_1").size() == 2);
  CHECK(on.row().unsettled == 2);
}

TEST_CASE_TEMPLATE("realm: e13 an event that is cut comes whole or not at all",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  std::string list;
  for (int i = 0; i < 900; ++i)
    list += (i == 0 ? "\"" : ",\"") + std::string(90, 'u')
      + std::to_string(1'000 + i) + "\"";
  auto large
    = offer("1", R"({"id":7,"urls":[)" + list + "]}", realm_class::completion);
  CHECK(on.submit_one(large).result == offer_result::too_large);
  large.key = "2";
  large.split = "urls";
  SUBCASE("whole") {
    const auto taken = on.submit_one(large);
    CHECK(taken.result == offer_result::queued);
    CHECK(taken.parts == 2);
    CHECK(taken.seq == 1);
    CHECK(on.event("we_1").part == 1);
    CHECK(on.event("we_1.2").seq == 2);
    CHECK(on.row().open_events == 2);
    CHECK(on.submit_one(large).parts == 2);
    CHECK(on.row().open_events == 2);
    on.change({"!a"});
    CHECK(on.drain()["!a"] == std::vector<std::string>{"we_1", "we_1.2"});
  }
  SUBCASE("or not") {
    // Room for one of the parts.
    on.submit_one(offer("0"));
    CHECK(on.submit_one(large, {80'000, 1'000'000, 0.0}).result
          == offer_result::realm_full);
    CHECK(on.row().open_events == 1);
  }
}

TEST_CASE_TEMPLATE("realm: d5 a realm that is full is told, and nothing stored",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  const auto size = limits::realm_event_overhead_bytes + 7;
  const policy::realm_admission::bounds bounds{3 * size, 100 * size, 0.5};
  CHECK(on.submit_one(offer("1"), bounds).result == offer_result::queued);
  // The second half is for completions.
  CHECK(on.submit_one(offer("2"), bounds).result == offer_result::realm_full);
  const auto completion = [](const std::string& key) {
    return offer(key, R"({"a":1})", realm_class::completion);
  };
  CHECK(on.submit_one(completion("3"), bounds).result == offer_result::queued);
  CHECK(on.submit_one(completion("4"), bounds).result == offer_result::queued);
  CHECK(on.submit_one(completion("5"), bounds).result
        == offer_result::realm_full);
  CHECK(on.row().open_bytes == 3 * size);
  // Another realm is not concerned, until all are.
  on.id = {"other"};
  CHECK(on.submit_one(offer("6"), bounds).result == offer_result::queued);
}

TEST_CASE_TEMPLATE("realm: d5 all realms together have a bound", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  const auto size = limits::realm_event_overhead_bytes + 7;
  const policy::realm_admission::bounds bounds{100 * size, 2 * size, 0.0};
  on.submit_one(offer("1"), bounds);
  on.id = {"other"};
  const auto taken = on.submit({offer("2"), offer("3")}, bounds);
  CHECK(taken.offers[0].result == offer_result::queued);
  CHECK(taken.offers[1].result == offer_result::all_full);
  // A realm of which nothing is stored leaves no row.
  on.id = {"third"};
  CHECK(on.submit_one(offer("4"), bounds).result == offer_result::all_full);
  CHECK(!must(on.where.connect_reader()->realms().realm(on.id)));
}

TEST_CASE_TEMPLATE("realm: d5 lossy events make room and have an outcome",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  const auto size = limits::realm_event_overhead_bytes + 7;
  const policy::realm_admission::bounds bounds{3 * size, 100 * size, 0.0};
  on.submit({offer("1", R"({"a":1})", realm_class::lossy), offer("2"),
             offer("3", R"({"a":1})", realm_class::lossy)},
            bounds);
  // Not for one another.
  CHECK(
    on.submit_one(offer("4", R"({"a":1})", realm_class::lossy), bounds).result
    == offer_result::realm_full);
  const auto taken = on.submit({offer("5")}, bounds);
  CHECK(taken.offers[0].result == offer_result::queued);
  CHECK(taken.news.left == std::vector<realm_left>{{realm_class::lossy, size}});
  CHECK(on.event("we_1").how == send_outcome::dropped);
  CHECK(on.event("we_3").state == realm_event_state::queued);
  CHECK(on.row().dropped == 1);
  // What would not be enough is not begun.
  auto large = offer("6", R"({"a":")" + std::string(700, 'a') + R"("})");
  CHECK(on.submit_one(large, bounds).result == offer_result::realm_full);
  CHECK(on.event("we_3").state == realm_event_state::queued);
}

TEST_CASE_TEMPLATE("realm: e21 an audience has versions", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  auto changed = on.change({"!a", "!b", "!a"});
  CHECK(changed.result == audience_result::done);
  CHECK(changed.version == 1);
  CHECK(changed.rooms == 2);
  CHECK(changed.added == 2);
  // Nothing changes: no new version.
  CHECK(on.change({"!a"}, {"!none"}).version == 1);
  changed = on.change({"!c"}, {"!a"});
  CHECK(changed.version == 2);
  CHECK(changed.rooms == 2);
  CHECK(changed.removed == 1);
  CHECK(on.change(room_ids({"!d"}), {}, 1).result
        == audience_result::version_conflict);
  CHECK(on.change(room_ids({"!d"}), {}, 2).version == 3);
  CHECK(on.row().audience == 3);
  on.id = {"other"};
  CHECK(on.change({}, {"!a"}).result == audience_result::unknown);
}
