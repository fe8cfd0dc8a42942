#include "persistence/sql/connection.hpp"
#include "persistence/sql/outcomes.hpp"
#include "tests/conformance/stores.hpp"

using namespace weir;
using namespace weir::test;

namespace {

constexpr size_t no_bound = 1'000'000;

outcome_row delivered(uint32_t slot, uint64_t pos, stored_time at) {
  return {slot, pos, "appservice/a", "r-1", "delivered", "", 3, at};
}

queue_status_row status(const std::string& queue, const std::string& state) {
  return {queue,
          state,
          "429 \xE2\x80\xA6",
          noon,
          noon + milliseconds{1},
          "refused",
          noon + milliseconds{2},
          4,
          noon + milliseconds{3},
          noon + milliseconds{4},
          "r-7",
          "Connection refused"};
}

} // namespace

TEST_CASE_TEMPLATE("outcome: a position of the feed is used once", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  on.batch([&] { must(on.db->outcomes().record(delivered(1, 1, noon))); });
  on.batch([&] { must(on.db->outcomes().record(delivered(2, 1, noon))); });
  must(on.db->begin(on.lease, 1));
  CHECK(code_of(on.db->outcomes().record(delivered(1, 1, noon)))
        == ec::rejected);
  on.db->rollback();
}

TEST_CASE_TEMPLATE("outcome: rows older than the window are forgotten", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  on.batch([&] {
    auto& feed = on.db->outcomes();
    for (uint64_t pos = 1; pos <= 5; ++pos)
      must(feed.record(
        delivered(1, pos, noon + milliseconds{static_cast<int64_t>(pos)})));
    CHECK(must(feed.forget_outcomes(noon, no_bound, no_bound)) == 0);
    CHECK(must(feed.forget_outcomes(noon + milliseconds{3}, no_bound, no_bound))
          == 2);
    CHECK(must(feed.forget_outcomes(noon + milliseconds{3}, no_bound, no_bound))
          == 0);
    // What is left is what was not told to go.
    CHECK(must(feed.forget_outcomes(noon, 0, no_bound)) == 3);
  });
}

TEST_CASE_TEMPLATE("outcome: the oldest above the bound are forgotten first",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  on.batch([&] {
    auto& feed = on.db->outcomes();
    must(feed.record(delivered(1, 1, noon)));
    must(feed.record(delivered(1, 2, noon)));
    must(feed.record(delivered(2, 1, noon)));
    must(feed.record(delivered(1, 3, noon + milliseconds{9})));
    CHECK(must(feed.forget_outcomes({}, 2, no_bound)) == 2);
    // Slot 1 went before slot 2 at one time, and the youngest stayed.
    must(feed.record(delivered(1, 4, noon + milliseconds{9})));
    CHECK(must(feed.forget_outcomes(noon + milliseconds{1}, no_bound, no_bound))
          == 1);
    CHECK(must(feed.forget_outcomes({}, 0, no_bound)) == 2);
  });
}

TEST_CASE_TEMPLATE("outcome: a slot's rows go in the order of positions", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  on.batch([&] {
    auto& feed = on.db->outcomes();
    // As after a start behind somebody who had set the clock back.
    must(feed.record(delivered(1, 1, noon + milliseconds{9})));
    must(feed.record(delivered(1, 2, noon)));
    must(feed.record(delivered(2, 7, noon + milliseconds{5})));
    const auto later = noon + milliseconds{6};
    CHECK(must(feed.forget_outcomes(later, no_bound, no_bound)) == 1);
    CHECK(must(feed.forget_outcomes(later, 1, no_bound)) == 2);
  });
}

TEST_CASE_TEMPLATE("outcome: what is left after some went is counted", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  on.batch([&] {
    auto& feed = on.db->outcomes();
    // Positions have gaps: every batch takes one, and few have a row.
    for (uint64_t pos = 10; pos <= 50; pos += 10)
      must(feed.record(delivered(1, pos, noon)));
    CHECK(must(feed.forget_outcomes({}, 3, no_bound)) == 2);
    must(feed.record(delivered(1, 60, noon)));
    CHECK(must(feed.forget_outcomes({}, 4, no_bound)) == 0);
    CHECK(must(feed.forget_outcomes({}, 0, no_bound)) == 4);
    must(feed.record(delivered(1, 70, noon)));
    CHECK(must(feed.forget_outcomes({}, 1, no_bound)) == 0);
    CHECK(must(feed.forget_outcomes({}, 0, no_bound)) == 1);
  });
}

TEST_CASE("outcome: how many there are is not found by counting") {
  world<on_sqlite> on;
  on.batch([&] {
    for (uint64_t pos = 1; pos <= 3; ++pos)
      must(on.db->outcomes().record(delivered(1, pos, noon)));
  });
  sql::connection beside{must(sql::parse_url(on.where.file.options().url)),
                         sql::purpose::migrating, false};
  must(beside.open());
  must(beside.script("UPDATE outcome SET nth = 100 WHERE pos = 3"));
  on.batch([&] {
    CHECK(must(on.db->outcomes().forget_outcomes({}, 99, no_bound)) == 1);
  });
}

TEST_CASE_TEMPLATE("outcome: one call forgets no more than it may", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  on.batch([&] {
    auto& feed = on.db->outcomes();
    for (uint64_t pos = 1; pos <= 5; ++pos)
      must(feed.record(delivered(1, pos, noon)));
    CHECK(must(feed.forget_outcomes({}, 1, 3)) == 3);
    CHECK(must(feed.forget_outcomes({}, 1, 3)) == 1);
    CHECK(must(feed.forget_outcomes(noon + milliseconds{1}, 9, 0)) == 0);
  });
}

TEST_CASE_TEMPLATE("outcome: the status of a queue is replaced", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  on.adopted("a");
  on.adopted("b");
  on.batch([&] {
    must(on.db->outcomes().put_status(status("appservice/a", "resting")));
    auto now = status("appservice/a", "sending");
    now.cause.clear();
    must(on.db->outcomes().put_status(now));
  });
  auto expected_status = status("appservice/a", "sending");
  expected_status.cause.clear();
  CHECK(must(on.reader->queue({"a"}))->status == expected_status);
  CHECK(!must(on.reader->queue({"b"}))->status);
}

TEST_CASE_TEMPLATE("outcome: what was last said of a queue is found again",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  const auto first = status("appservice/a", "resting");
  auto second = status("appservice/a", "blocked");
  second.subject.clear();
  second.last_error_text = "";
  on.batch([&] {
    auto& outcomes = on.db->outcomes();
    CHECK(!must(outcomes.find_status("appservice/a")));
    must(outcomes.put_status(first));
    must(outcomes.put_status(status("appservice/b", "flowing")));
    // Also before it is committed: operations of one batch see each other.
    CHECK(must(outcomes.find_status("appservice/a")) == first);
  });
  on.batch([&] {
    CHECK(must(on.db->outcomes().find_status("appservice/a")) == first);
    must(on.db->outcomes().put_status(second));
  });
  on.batch([&] {
    CHECK(must(on.db->outcomes().find_status("appservice/a")) == second);
    CHECK(!must(on.db->outcomes().find_status("appservice/")));
  });
}

TEST_CASE_TEMPLATE("outcome: nothing survives a rollback", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  on.adopted("a");
  on.batch([&] {
    must(on.db->outcomes().record(delivered(1, 1, noon)));
    must(on.db->outcomes().put_status(status("appservice/a", "idle")));
  });
  must(on.db->begin(on.lease, 1));
  must(on.db->outcomes().record(delivered(1, 2, noon)));
  must(on.db->outcomes().forget_outcomes({}, 0, 1));
  must(on.db->outcomes().put_status(status("appservice/a", "blocked")));
  on.db->rollback();
  CHECK(must(on.reader->queue({"a"}))->status->state == "idle");
  on.batch([&] {
    CHECK(must(on.db->outcomes().forget_outcomes({}, 0, no_bound)) == 1);
  });
}
