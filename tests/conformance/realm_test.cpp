#include "persistence/text_list.hpp"
#include "tests/conformance/realm_world.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE("text_list: what is packed comes back, whatever it holds") {
  const names texts{"", "a", "1:b", std::string("\0:", 2), "é"};
  CHECK(unpack_texts(pack_texts(texts)) == texts);
  CHECK(unpack_texts("") == names{});
  for (const auto* damaged : {"x", "1", "2:a", ":a", "1:ab", "-1:a"})
    CHECK(!unpack_texts(damaged));
}

TEST_CASE_TEMPLATE("realm store: a realm is kept as it was saved", Where,
                   WEIR_EVERY_STORE) {
  realm_world<Where> on;
  auto row = on.realm;
  CHECK(row.next_seq == 1);
  uint64_t next = 2;
  for (auto* each :
       {&row.next_seq, &row.audience_version, &row.audience, &row.staged,
        &row.open_events, &row.unbound, &row.open_bytes, &row.lossy_bytes,
        &row.unsettled, &row.binding, &row.cancelled_upto, &row.dead_letters,
        &row.last_over, &row.delivered, &row.merged, &row.dropped})
    *each = next++;
  row.account = "@other:x";
  row.stage_mark = "mark";
  row.halted = halt{noon, "ada", "why"};
  row.deleted_at = noon + milliseconds{5};
  on.batch([&] { must(on.ports().rows.save(row)); });
  on.batch([&] {
    CHECK(must(on.ports().rows.lock(row.id)) == row);
    CHECK(must(on.ports().rows.adopt(row.id, "@weir:x")) == row);
  });
  CHECK(must(on.reader->realms().realm(row.id)) == row);
  row.halted.reset();
  on.batch([&] { must(on.ports().rows.save(row)); });
  CHECK(must(on.reader->realms().realm(row.id)) == row);
  CHECK(!must(on.reader->realms().realm({"other"})));
}

TEST_CASE_TEMPLATE("realm store: realms with work are found by page", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  std::vector<realm_row> made;
  on.batch([&] {
    for (const std::string id : {"c", "a", "b"}) {
      made.push_back(must(on.db->realms().rows.adopt({id}, "@weir:x")));
      made.back().open_events = id == "a" ? 0 : 1;
      must(on.db->realms().rows.save(made.back()));
    }
  });
  on.batch([&] {
    auto& port = on.db->realms().rows;
    CHECK(must(port.list(0, true, 9)) == std::vector{made[0], made[2]});
    CHECK(must(port.list(0, false, 2)) == std::vector{made[0], made[1]});
    CHECK(must(port.list(made[0].no, true, 9)) == std::vector{made[2]});
    made[2].open_events = 0;
    must(port.save(made[2]));
    CHECK(must(port.list(made[0].no, true, 9)).empty());
    must(port.remove(made[1].no));
    CHECK(!must(port.lock({"a"})));
  });
  CHECK(must(on.reader->realms().realms(0, 9)).size() == 2);
}

TEST_CASE_TEMPLATE("realm store: bytes are the sum over slots", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  on.batch([&] {
    auto& port = on.db->realms().rows;
    CHECK(must(port.queued_bytes()) == 0);
    must(port.count_bytes(1, 700));
    must(port.count_bytes(2, 50));
    must(port.count_bytes(2, -300));
    CHECK(must(port.queued_bytes()) == 450);
  });
}

TEST_CASE_TEMPLATE("realm store: an audience is what it was in each version",
                   Where, WEIR_EVERY_STORE) {
  realm_world<Where> on;
  const auto no = on.realm.no;
  on.batch([&] {
    auto& port = on.ports().rows;
    must(port.subscribe(no, rooms({"!b", "!a", "!\"\\'"}), 1));
    CHECK(must(port.unsubscribe(no, rooms({"!a", "!none"}), 2)) == 1);
    must(port.subscribe(no, rooms({"!c"}), 2));
    // A room that comes back has another subscription.
    must(port.subscribe(no, rooms({"!a"}), 3));
    CHECK(must(port.unsubscribe(no, rooms({"!c"}), 2)) == 0);
    CHECK(must(port.subscription(no, {"!a"}, 1))->added_in == 1);
    CHECK(!must(port.subscription(no, {"!a"}, 2)));
    CHECK(must(port.subscription(no, {"!a"}, 3))->added_in == 3);
    must(port.suspend(no, {"!a"}, 3, noon));
    CHECK(must(port.subscription(no, {"!a"}, 3))->suspended_at == noon);
    CHECK(must(port.subscription(no, {"!a"}, 1))->suspended_at
          == stored_time{});
  });
  CHECK(on.audience(0) == names{});
  CHECK(on.audience(1) == names{"!\"\\'", "!a", "!b"});
  CHECK(on.audience(2) == names{"!\"\\'", "!b", "!c"});
  CHECK(on.audience(3) == names{"!\"\\'", "!a", "!b", "!c"});
  const auto page = must(on.reader->realms().audience(no, 3, "!a", 1));
  REQUIRE(page.size() == 1);
  CHECK(page[0].room.value == "!b");
  on.batch([&] {
    auto& port = on.ports().rows;
    CHECK(must(port.forget_rooms(no, 1, no_bound)) == 0);
    CHECK(must(port.forget_rooms(no, 2, no_bound)) == 1);
  });
  CHECK(on.audience(3) == names{"!\"\\'", "!a", "!b", "!c"});
  CHECK(on.audience(1) == names{"!\"\\'", "!b"});
}

TEST_CASE_TEMPLATE("realm store: a version that was prepared can be forgotten",
                   Where, WEIR_EVERY_STORE) {
  realm_world<Where> on;
  const auto no = on.realm.no;
  on.batch([&] {
    auto& port = on.ports().rows;
    must(port.subscribe(no, rooms({"!a", "!b"}), 1));
    CHECK(must(port.unsubscribe(no, rooms({"!a", "!b"}), 2)) == 2);
    must(port.subscribe(no, rooms({"!a", "!c"}), 2));
  });
  CHECK(on.audience(1) == names{"!a", "!b"});
  CHECK(on.audience(2) == names{"!a", "!c"});
  on.batch([&] {
    auto& port = on.ports().rows;
    CHECK(must(port.unstage(no, 2, 3)) == 3);
    CHECK(must(port.unstage(no, 2, 3)) == 1);
    CHECK(must(port.unstage(no, 2, 3)) == 0);
  });
  CHECK(on.audience(2) == names{"!a", "!b"});
}

TEST_CASE_TEMPLATE("realm store: rooms left open are told apart", Where,
                   WEIR_EVERY_STORE) {
  realm_world<Where> on;
  const auto no = on.realm.no;
  on.batch([&] {
    auto& port = on.ports().rows;
    CHECK(!must(port.is_any_left_open(no)));
    must(port.leave_open(no, {"!a"}, true));
    must(port.leave_open(no, {"!a"}, true));
    must(port.leave_open(no, {"!b"}, false));
    CHECK(must(port.is_left_open(no, {"!a"})));
    CHECK(!must(port.is_left_open(no, {"!b"})));
    CHECK(must(port.is_any_left_open(no)));
    CHECK(!must(port.is_any_left_open(no + 1)));
    must(port.leave_open(no, {"!a"}, false));
    CHECK(!must(port.is_any_left_open(no)));
  });
}

TEST_CASE_TEMPLATE("realm store: an account is inserted and replaced", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  account_row row{"@weir:x", noon, pause_cause::peer, noon, "locked", "WEIR"};
  on.batch([&] {
    CHECK(!must(on.db->realms().rows.lock_account(row.id)));
    must(on.db->realms().rows.save_account(row));
  });
  CHECK(must(on.reader->realms().account(row.id)) == row);
  row.not_before = {};
  row.paused_by = pause_cause::none;
  on.batch([&] {
    must(on.db->realms().rows.save_account(row));
    CHECK(must(on.db->realms().rows.lock_account(row.id)) == row);
  });
}
