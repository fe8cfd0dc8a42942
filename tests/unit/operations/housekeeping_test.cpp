#include "tests/unit/operations/crammed_store.hpp"
#include "tests/unit/operations/fixture.hpp"

#include "tests/support/memory_store/memory_state.hpp"

using namespace weir;
using namespace weir::test;

namespace {

quarantine_body strange_body(const std::string& bytes) {
  return {{"a"}, "t1", shared_bytes{bytes}, "not JSON", {}};
}

forget_old forget_of_a() {
  forget_old request;
  request.appservice = appservice_id{"a"};
  return request;
}

} // namespace

TEST_CASE_TEMPLATE("settle: without room a dead letter changes nothing", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto pinned = on.accept_events("t1", {"$1"}).pinned.value();
  const auto size = on.row_of()->pinned->bytes;
  const auto before = on.row_of();
  settle_transaction request;
  request.appservice = {"a"};
  request.id = pinned.id;
  request.how = settlement::dead_letter;
  const auto settle_with = [&](uint64_t letter_bytes) {
    return must(on.ask(
      [&](store& db, batch_context& batch, const settle_transaction& asked) {
        crammed_store crammed{db, letter_bytes, 0};
        return operations::settle(crammed, batch, asked);
      },
      request));
  };
  auto reply = settle_with(limits::dead_letter_bytes_max - size + 1);
  CHECK(reply.no_room);
  CHECK(!reply.next);
  CHECK(on.row_of() == before);
  CHECK(on.letters().empty());
  CHECK(on.load().pinned->body == pinned.body);
  reply = settle_with(limits::dead_letter_bytes_max - size);
  CHECK(!reply.no_room);
  CHECK(on.letters().size() == 1);
  check_empty(on.row_of().value());
}

TEST_CASE_TEMPLATE("quarantine: bodies are kept up to the bound", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const std::string bytes{"\xFF\0{", 3};
  bool is_kept = false;
  const auto keep_with = [&](uint64_t held) {
    is_kept = must(on.ask(
                     [&](store& db, batch_context& batch,
                         const quarantine_body& asked) {
                       crammed_store crammed{db, 0, held};
                       return operations::quarantine(crammed, batch, asked);
                     },
                     strange_body(bytes)))
                .kept;
    return must(on.where.connect_reader()->quarantined({}, {}));
  };
  CHECK(keep_with(limits::quarantine_bytes_max - 2).empty());
  CHECK_FALSE(is_kept);
  const auto kept = keep_with(limits::quarantine_bytes_max - 3);
  CHECK(is_kept);
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].appservice == appservice_id{"a"});
  CHECK(kept[0].hs_txn_id == "t1");
  CHECK(kept[0].reason == "not JSON");
  CHECK(kept[0].times == 1);
  CHECK(kept[0].first_at.ms > 0);
  CHECK(kept[0].last_at == kept[0].first_at);
  CHECK(keep_with(0).at(0).times == 2); // Equal ones once, and counted.
  // A full one has those that it took in.
  CHECK(keep_with(limits::quarantine_bytes_max).at(0).times == 3);
  CHECK(is_kept);
}

TEST_CASE_TEMPLATE("quarantine: one appservice has half of the room at most",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto keep_with = [&](uint64_t own) {
    return must(on.ask(
                  [&](store& db, batch_context& batch,
                      const quarantine_body& asked) {
                    crammed_store crammed{db, 0, own, {0, own}};
                    return operations::quarantine(crammed, batch, asked);
                  },
                  strange_body("abc")))
      .kept;
  };
  CHECK_FALSE(keep_with(limits::quarantine_bytes_max / 2 - 2));
  CHECK(keep_with(limits::quarantine_bytes_max / 2 - 3));
}

TEST_CASE_TEMPLATE("pause: what is stored is what a load tells", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  on.rest(1h, pause_cause::peer); // An appservice that was never adopted.
  CHECK(!on.row_of());
  const auto pinned = on.accept_events("t1", {"$1"}).pinned;
  CHECK(pinned.has_value());
  for (const auto cause : {pause_cause::peer, pause_cause::own}) {
    on.rest(1h, cause);
    on.open();
    const auto loaded = on.load();
    CHECK(loaded.paused_by == cause);
    CHECK(loaded.rest > 59min);
    CHECK(loaded.rest <= 1h);
    CHECK(loaded.pinned->id == pinned->id);
  }
  on.rest(0ms, pause_cause::own);
  CHECK(on.load().rest == 0ms);
  CHECK(on.load().paused_by == pause_cause::none);
}

TEST_CASE("pause: it is told to the millisecond, and not after its end") {
  house<on_memory> on;
  on.accept_events("t1", {"$1"});
  on.rest(60s, pause_cause::peer);
  // The store's clock and the machine's go on together.
  on.runner->elapsed_clock = [&on, start = boot_time()] {
    return start + (must(on.where.connect_reader()->now()) - noon);
  };
  on.where.database.advance(59'999ms);
  CHECK(on.load().rest == 1ms);
  CHECK(!on.accept_events("t2", {"$2"}).pinned);
  on.where.database.advance(1ms);
  CHECK(on.load().rest == 0ms);
  CHECK(on.load().paused_by == pause_cause::none);
}

TEST_CASE_TEMPLATE("adopt: queues are made once, and forget a byte bound",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const adopt_queues both{{{"a"}, {"b"}}, {}};
  must(on.ask(operations::adopt, both));
  const auto made = on.row_of();
  REQUIRE(made);
  CHECK(on.row_of("b")->no != made->no);
  const auto pinned = on.accept_events("t1", ids_between(1, 4)).pinned;
  on.settle(pinned->id, settlement::split);
  auto before = on.row_of();
  CHECK(before->byte_cap > 0);
  must(on.ask(operations::adopt, both));
  before->byte_cap = 0;
  CHECK(on.row_of() == before); // The pin stays what it is.
}

TEST_CASE_TEMPLATE("owed: queues that owe are listed page by page", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  for (uint64_t n = 0; n < limits::page_rows_max + 1; ++n) {
    const auto id = "q" + std::to_string(1'000 + n);
    const auto pinned = on.accept({"t1", events_json({"$1"}), id}).pinned;
    if (n % 100 == 0)
      on.settle(pinned->id, settlement::delivered, id);
  }
  must(on.ask(operations::adopt, adopt_queues{{{"idle"}}, {}}));
  auto page = must(on.ask(operations::owed, list_owed{}));
  CHECK(page.last); // 198 of 201 owe something.
  CHECK(page.appservices.size() == limits::page_rows_max - 2);
  CHECK(page.appservices.front() == appservice_id{"q1001"});
  for (const auto* id : {"r1", "r2", "r3"})
    on.accept({"t1", events_json({"$1"}), id});
  page = must(on.ask(operations::owed, list_owed{}));
  CHECK(!page.last);
  CHECK(page.appservices.size() == limits::page_rows_max);
  page = must(on.ask(operations::owed, list_owed{page.appservices.back(), {}}));
  CHECK(page.last);
  CHECK(page.appservices == std::vector<appservice_id>{{"r3"}});
}

TEST_CASE_TEMPLATE("publish: what is told of a queue is what a reader shows",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept_events("t1", {"$1"});
  publish_status status;
  status.queue = "appservice/a";
  status.state = "resting";
  status.cause = "http_503";
  status.in_state = 5s;
  status.next_in = 0ms;
  status.last_error = "http_503";
  status.since_error = 2s;
  status.attempts = 7;
  status.subject = "r-1";
  status.last_error_text = "no route";
  must(on.ask(operations::publish, status));
  auto told = must(on.where.connect_reader()->queue({"a"}))->status.value();
  CHECK(told.state == "resting");
  CHECK(told.cause == "http_503");
  CHECK(told.last_error == "http_503");
  CHECK(told.attempts == 7);
  CHECK(told.subject == "r-1");
  CHECK(told.last_error_text == "no route");
  CHECK(told.as_of.ms > 0);
  CHECK(told.as_of - told.since == 5s);
  CHECK(told.as_of - told.last_error_at == 2s);
  CHECK(told.next_at == told.as_of);
  status.next_in = -1ms;
  status.last_error.clear();
  must(on.ask(operations::publish, status));
  told = must(on.where.connect_reader()->queue({"a"}))->status.value();
  CHECK(told.next_at.ms == 0);
  CHECK(told.last_error_at.ms == 0);
}

TEST_CASE_TEMPLATE("forget: what is young and within its bounds stays", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  CHECK(must(on.ask(operations::forget, forget_of_a())).rows == 0);
  on.settle(on.accept_events("t1", {"$1"}).pinned->id);
  CHECK(must(on.ask(operations::forget, forget_of_a())).rows == 0);
  CHECK(must(on.ask(operations::forget, forget_old{})).rows == 0);
  CHECK(on.accept_events("t1", {"$1"}).result == accept_result::duplicate);
}

TEST_CASE("forget: what is old goes") {
  house<on_memory> on;
  on.accept_events("t1", {"$1", "$2"});
  on.settle(on.load().pinned->id);
  on.runner.reset(); // A writer would take this step for somebody's mistake.
  on.where.database.advance(limits::seen_events_age);
  on.open();
  CHECK(must(on.ask(operations::forget, forget_of_a())).rows == 0);
  on.runner.reset();
  on.where.database.advance(1ms);
  on.open();
  CHECK(must(on.ask(operations::forget, forget_of_a())).rows == 3);
  CHECK(must(on.ask(operations::forget, forget_old{})).rows == 0);
  on.runner.reset();
  on.where.database.advance(limits::outcomes_age);
  on.open();
  CHECK(must(on.ask(operations::forget, forget_old{})).rows == 1);
  CHECK(on.where.database.copy()->outcomes.empty());
  CHECK(on.accept_events("t1", {"$1"}).elements == 1);
}

TEST_CASE("forget: what is above the bounds goes, a thousand rows a call") {
  constexpr size_t surplus = 2'500;
  house<on_memory> on;
  on.accept_events("t1", {"$1"});
  const auto no = on.row_of()->no;
  must(on.ask(
    [no](store& db, batch_context& batch, const int&) -> expected<stored> {
      inbound_row row;
      row.at = batch.now;
      for (size_t n = 1; n < limits::inbound_transactions_max + surplus; ++n) {
        row.hs_txn_id = "n" + std::to_string(n);
        WEIR_TRY(db.inbox().remember_inbound(no, row));
      }
      std::vector<uint64_t> hashes(limits::seen_events_max + surplus - 1);
      for (size_t n = 0; n < hashes.size(); ++n)
        hashes[n] = n + 1;
      WEIR_TRY(db.inbox().remember_seen(no, hashes, batch.now));
      return stored{};
    },
    0));
  for (const uint64_t rows : {2'000U, 2'000U, 1'000U, 0U})
    CHECK(must(on.ask(operations::forget, forget_of_a())).rows == rows);
  const auto tables = on.where.database.copy();
  CHECK(tables->inbound.size() == limits::inbound_transactions_max);
  CHECK(tables->seen.size() == limits::seen_events_max);
  CHECK(!tables->inbound.contains({no, "t1", 0})); // The oldest went.
}
