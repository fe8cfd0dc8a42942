#include "actors/operations/removal.hpp"
#include "tests/unit/operations/fixture.hpp"

#include "tests/support/memory_store/memory_state.hpp"

#include <functional>

using namespace weir;
using namespace weir::test;

/// Faults between the statements of one operation. Only the memory store can
/// be told which statement is to fail; that a failed batch leaves no trace on
/// the others is shown by the conformance suite.
namespace {

using memory_house = house<on_memory>;
using tables_copy = std::shared_ptr<const memory_tables>;

/// More than any operation here executes, the batch's own included.
constexpr uint64_t statements_max = 20;
constexpr uint64_t never = 1'000'000;

/// All that a queue is made of. The slot's row moves with every batch.
void check_same(const memory_tables& a, const memory_tables& b) {
  CHECK(a.queues == b.queues);
  CHECK(a.outbox == b.outbox);
  CHECK(a.letters == b.letters);
  CHECK(a.commands == b.commands);
  CHECK(a.removals == b.removals);
  CHECK(a.orderings == b.orderings);
  CHECK(a.quarantine == b.quarantine);
  CHECK(a.outcomes == b.outcomes);
  CHECK(a.statuses == b.statuses);
  CHECK(a.inbound_order == b.inbound_order);
  CHECK(a.seen_order == b.seen_order);
  REQUIRE(a.inbound.size() == b.inbound.size());
  for (const auto& [key, entry] : a.inbound)
    CHECK(entry.row == b.inbound.at(key).row);
}

/// One operation, and what must be there before it.
struct scenario {
  std::string name;
  std::function<void(memory_house&)> prepare;
  /// Returns `ec::none` when it was done.
  std::function<ec(memory_house&)> act;
};

scenario settling(settlement how) {
  return {"settle " + std::to_string(static_cast<int>(how)),
          [how](memory_house& on) {
            on.accept_events("t1",
                             how == settlement::dead_letter
                               ? ids_between(1, 1)
                               : ids_between(1, 6));
            on.accept({"t2", R"({"to_device":[{"a":1}]})"});
          },
          [how](memory_house& on) {
            settle_transaction request;
            request.appservice = {"a"};
            request.id = {"1a2b3c4d5e6f-1.1"};
            request.how = how;
            return code_of(on.ask(operations::settle, request));
          }};
}

void bury_three(memory_house& on) {
  on.accept_events("t1", {"$1"});
  must(on.ask(
    [](store& db, batch_context&, int) -> expected<stored> {
      for (const std::string bytes : {"[1]", "[2]", "[3]"}) {
        dead_letter_row row;
        row.appservice = {"a"};
        row.item.keys = "events";
        row.item.bytes = event_bytes{bytes};
        must(db.keep().bury(row));
      }
      return stored{};
    },
    0));
  settle_transaction request;
  request.appservice = {"a"};
  request.id = {"1a2b3c4d5e6f-1.1"};
  on.settle(request);
}

scenario replaying(const std::string& where,
                   std::function<void(memory_house&)> then) {
  return {"replay " + where,
          [then](memory_house& on) {
            bury_three(on);
            then(on);
          },
          [](memory_house& on) {
            return code_of(on.ask(operations::replay,
                                  replay_letters{{"a"}, {}, {}, "", {}}));
          }};
}

std::vector<scenario> scenarios() {
  const auto accepting = [](const std::string& id, const std::string& body) {
    return [=](memory_house& on) {
      return code_of(on.ask(operations::accept, accept_of({id, body})));
    };
  };
  const auto one = [](memory_house& on) { on.accept_events("t1", {"$1"}); };
  return {
    {"accept into nothing", [](memory_house&) {},
     accepting("t1", events_json(ids_between(1, 5)))},
    {"accept behind a pin", one, accepting("t2", events_json({"$1", "$2"}))},
    {"accept a non-event part", one,
     accepting("t1", R"({"events":[{"event_id":"$1"}],"ephemeral":[{}]})")},
    replaying("into nothing", [](memory_house&) {}),
    replaying("behind a pin",
              [](memory_house& on) { on.accept_events("t9", {"$9"}); }),
    {"drop dead letters", bury_three,
     [](memory_house& on) {
       return code_of(
         on.ask(operations::drop, drop_letters{{"a"}, {}, "", {}}));
     }},
    {"remove", bury_three,
     [](memory_house& on) {
       return code_of(
         on.ask(operations::remove, remove_appservice{{"a"}, {}, "", {}, {}}));
     }},
    settling(settlement::delivered),
    settling(settlement::bisected),
    settling(settlement::split),
    settling(settlement::dead_letter),
    {"store a pause", one,
     [](memory_house& on) {
       store_pause request;
       request.appservice = {"a"};
       request.rest = 60s;
       request.cause = pause_cause::peer;
       return code_of(on.ask(operations::pause, request));
     }},
    {"load without a pin",
     [one](memory_house& on) {
       one(on);
       on.change_queue([](queue_row& row) { row.pinned.reset(); });
     },
     [](memory_house& on) {
       return code_of(on.ask(operations::load, load_queue{{"a"}, {}, {}}));
     }},
  };
}

/// What the operation leaves when nothing goes wrong.
tables_copy faultless(const scenario& each) {
  memory_house on;
  each.prepare(on);
  CHECK(each.act(on) == ec::none);
  return on.where.database.copy();
}

} // namespace

TEST_CASE("atomic: an operation whose nth statement fails leaves no trace") {
  for (const auto& each : scenarios()) {
    CAPTURE(each.name);
    const auto done = faultless(each);
    int failures = 0;
    for (uint64_t nth = 1; nth <= statements_max; ++nth) {
      memory_house on;
      each.prepare(on);
      const auto before = on.where.database.copy();
      on.where.database.fail_statement(nth);
      const bool failed = each.act(on) != ec::none;
      on.where.database.fail_statement(never);
      check_same(*on.where.database.copy(), failed ? *before : *done);
      if (!failed)
        continue; // The fault was at the beginning or came too late.
      ++failures;
      CHECK(each.act(on) == ec::none); // Now it does what it always did.
      CHECK(on.where.database.copy()->queues == done->queues);
      CHECK(on.where.database.copy()->outbox == done->outbox);
    }
    CHECK(failures >= 2); // Of its own; the fence tells the time.
    CHECK(failures < static_cast<int>(statements_max) - 2);
  }
}

TEST_CASE("atomic: a lost connection in any statement is made good") {
  for (const auto& each : scenarios()) {
    CAPTURE(each.name);
    const auto done = faultless(each);
    for (uint64_t nth = 1; nth <= statements_max; ++nth) {
      memory_house on;
      each.prepare(on);
      on.where.database.fail_statement(nth, ec::unavailable);
      CHECK(each.act(on) == ec::none);
      on.where.database.fail_statement(never);
      check_same(*on.where.database.copy(), *done);
    }
  }
}

TEST_CASE("atomic: a commit in doubt is done once, whatever became of it") {
  for (const auto& each : scenarios()) {
    CAPTURE(each.name);
    const auto done = faultless(each);
    for (const auto loss :
         {connection_loss::before_commit, connection_loss::at_commit_not_stored,
          connection_loss::at_commit_stored, connection_loss::after_commit}) {
      memory_house on;
      each.prepare(on);
      on.where.database.lose_connection(loss);
      CHECK(each.act(on) == ec::none);
      check_same(*on.where.database.copy(), *done);
    }
  }
}

TEST_CASE("atomic: with the disk full nothing is stored and nothing is lost") {
  for (const auto& each : scenarios()) {
    CAPTURE(each.name);
    const auto done = faultless(each);
    memory_house on;
    each.prepare(on);
    const auto before = on.where.database.copy();
    on.where.database.set_disk_full(true);
    if (each.act(on) != ec::none)
      check_same(*on.where.database.copy(), *before);
    on.where.database.set_disk_full(false);
    static_cast<void>(each.act(on));
    CHECK(on.where.database.copy()->queues == done->queues);
    CHECK(on.where.database.copy()->outbox == done->outbox);
  }
}
