#include "actors/operations/realm_work.hpp"
#include "tests/support/memory_store/memory_state.hpp"
#include "tests/unit/operations/realm_fixture.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE_TEMPLATE("realm: what ends makes way for what begins, in one commit",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  auto only_a = offer("1");
  only_a.rooms = room_ids({"!a"});
  on.submit({only_a, offer("2")});
  on.bind();
  const auto first = on.begin("!a").send.value();
  on.bind();
  work_realm what;
  what.realm = on.id;
  settle_realm_send settle;
  settle.realm = on.id;
  settle.seq = first.seq;
  settle.room = {"!a"};
  settle.txn = first.txn;
  settle.remote_id = "$1";
  what.settles = {settle};
  what.begins = {{on.id, {"!a"}, false, {}}, {on.id, {"!b"}, false, {}}};
  auto done = must(on.ask(operations::work, what));
  REQUIRE(done.settles.size() == 1);
  CHECK(!done.settles[0].not_current);
  REQUIRE(done.begins.size() == 2);
  REQUIRE(done.begins[0].send);
  CHECK(done.begins[0].send->event_id == "we_2");
  REQUIRE(done.begins[1].send);
  CHECK(done.begins[1].send->event_id == "we_2");
  CHECK(done.news.unsettled == 2);
  CHECK(done.news.left.size() == 1);
  // Asked again, as after an answer that was lost, it does no harm.
  done = must(on.ask(operations::work, what));
  CHECK(done.settles[0].not_current);
  REQUIRE(done.begins[0].send);
  CHECK(done.begins[0].send->event_id == "we_2");
  on.check_sums();
}
