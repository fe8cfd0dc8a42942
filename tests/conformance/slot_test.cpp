#include "tests/conformance/stores.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE_TEMPLATE("slot: a first take makes the row and begins at 0", Where,
                   WEIR_EVERY_STORE) {
  Where where;
  auto db = where.connect();
  CHECK(must(db->slots()).empty());
  const auto lease = must(db->take_slot(7, "node a", first_run));
  CHECK(lease == slot_lease{7, 1, first_run, 0});
  const std::vector<slot_row> expected_rows{{7, "node a", 1, first_run, 0, 0}};
  CHECK(must(db->slots()) == expected_rows);
}

TEST_CASE_TEMPLATE("slot: taking raises the epoch and keeps the position",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  on.batch([] {}, 3);
  const auto next = must(on.db->take_slot(1, "node b", first_run + 1));
  CHECK(next == slot_lease{1, 2, first_run + 1, 3});
  const auto row = must(on.db->slots()).at(0);
  CHECK(row.owner == "node b");
  CHECK(row.run == first_run + 1);
}

TEST_CASE_TEMPLATE("slot: a run is never taken twice", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  must(on.db->take_slot(1, "node", first_run + 1));
  CHECK(code_of(on.db->take_slot(1, "node", first_run)) == ec::rejected);
  // The refusal left nothing open and nothing behind.
  CHECK(must(on.db->read_slot(1))->epoch == 2);
}

TEST_CASE_TEMPLATE("slot: positions are dense and each batch is a beat", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  on.batch([] {});
  on.batch([] {}, 5);
  on.batch([] {});
  const auto row = must(on.db->read_slot(1));
  REQUIRE(row);
  CHECK(row->pos == 7);
  CHECK(row->beat == 3);
}

TEST_CASE_TEMPLATE("slot: a batch that rolls back moves nothing", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  must(on.db->begin(on.lease, 4));
  on.db->rollback();
  CHECK(must(on.db->read_slot(1))->pos == 0);
  CHECK(must(on.db->read_slot(1))->beat == 0);
  on.batch([] {});
}

TEST_CASE_TEMPLATE("slot: a superseded writer writes nothing", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  auto successor = on.where.connect();
  must(successor->take_slot(1, "other", first_run + 1));
  CHECK(code_of(on.db->begin(on.lease, 1)) == ec::superseded);
  // Nothing is open: the connection can be used at once.
  CHECK(must(on.db->read_slot(1))->pos == 0);
  CHECK(must(on.db->slots()).at(0).owner == "other");
}

TEST_CASE_TEMPLATE("slot: each part of the lease fences by itself", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  on.batch([] {});
  for (int part = 0; part < 4; ++part) {
    auto stale = on.lease;
    stale.slot += part == 0;
    stale.epoch += part == 1;
    stale.run += part == 2;
    stale.pos -= part == 3;
    CAPTURE(part);
    CHECK(code_of(on.db->begin(stale, 1)) == ec::superseded);
  }
  on.batch([] {});
}

TEST_CASE_TEMPLATE("slot: two writers on two slots take turns", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  auto second = on.where.connect();
  auto lease = must(second->take_slot(2, "node", first_run));
  for (int turn = 0; turn < 3; ++turn) {
    on.batch([&] { must(on.db->outbox().adopt_queue({"a"})); });
    must(second->begin(lease, 2));
    must(second->outbox().adopt_queue({"b"}));
    must(second->commit());
    lease.pos += 2;
  }
  const auto rows = must(on.db->slots());
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].pos == 3);
  CHECK(rows[1].pos == 6);
}

TEST_CASE_TEMPLATE("slot: an unknown slot reads as none", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  CHECK(!must(on.db->read_slot(9)));
}

TEST_CASE_TEMPLATE("slot: a new connection goes on where the old one was",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  on.adopted("a");
  must(on.db->reconnect());
  on.batch([&] { CHECK(must(on.db->outbox().lock_queue({"a"})).has_value()); });
}

TEST_CASE_TEMPLATE("slot: a new connection drops what was open", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  must(on.db->begin(on.lease, 1));
  must(on.db->outbox().adopt_queue({"a"}));
  must(on.db->reconnect());
  CHECK(must(on.db->read_slot(1))->pos == 0);
  on.batch([&] { CHECK(!must(on.db->outbox().lock_queue({"a"}))); });
}

TEST_CASE_TEMPLATE("slot: tidying is allowed between batches", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  must(on.db->tidy(100));
  on.batch([] {});
}
