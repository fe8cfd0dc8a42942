#include "actors/policy/overflow.hpp"
#include "tests/unit/operations/crammed_store.hpp"
#include "tests/unit/operations/fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using ids = std::vector<std::string>;

transaction_bounds oldest_go(uint64_t elements) {
  transaction_bounds bounds;
  bounds.events = 2;
  bounds.queue.elements_max = elements;
  bounds.queue.overflow = overflow_policy::dead_letter_oldest;
  return bounds;
}

transaction_bounds aged() {
  transaction_bounds bounds;
  bounds.events = 2;
  // What came a batch ago is too old: these stores' clocks go on.
  bounds.queue.age_max = milliseconds{1};
  return bounds;
}

template <class Where>
ids owed_ids(house<Where>& on, const std::string& of = "a") {
  ids all;
  for (const auto& row : on.owed(of))
    all.push_back(row.item.event_id);
  return all;
}

template <class Where>
ids letter_ids(house<Where>& on) {
  ids all;
  for (const auto& row : on.letters())
    all.push_back(row.item.event_id);
  return all;
}

/// All that is owed came long ago.
template <class Where>
void let_time_pass(house<Where>& on) {
  must(on.ask(
    [](store& db, batch_context&, int) -> expected<stored> {
      auto row = must(db.outbox().lock_queue({"a"})).value();
      auto rows = must(db.outbox().read_owed(row.no, 0, 1'000, 1u << 30));
      std::vector<lane_range> all;
      for (auto& each : rows) {
        all.push_back({each.item.kind, each.seq, each.seq});
        each.accepted_at.ms -= 60'000;
      }
      must(db.outbox().remove(row.no, all));
      must(db.outbox().append(row.no, rows));
      return stored{};
    },
    0));
}

forget_old forget_with(const transaction_bounds& bounds) {
  forget_old request;
  request.appservice = appservice_id{"a"};
  request.bounds = bounds;
  return request;
}

} // namespace

TEST_CASE_TEMPLATE("bounds: the oldest above the pin are kept aside", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto pinned
    = on.accept({"t1", events_json(ids_between(1, 5)), "a", oldest_go(5)})
        .pinned.value();
  const auto reply
    = on.accept({"t2", events_json({"$6", "$7"}), "a", oldest_go(5)});
  CHECK(reply.result == accept_result::stored);
  CHECK(reply.bounds.overflowed == 1);
  CHECK(owed_ids(on) == ids{"$1", "$2", "$4", "$5", "$6", "$7"});
  const auto letters = on.letters();
  REQUIRE(letters.size() == 1);
  CHECK(letters[0].item.event_id == "$3");
  CHECK(letters[0].reason == "queue_full");
  CHECK(letters[0].seq == 3);
  CHECK(letters[0].attempts == 0);
  const auto row = on.row_of().value();
  CHECK(row.overflowed == 1);
  CHECK(row.owed_events == 6);
  // The pinned bytes are what they were.
  CHECK(on.load().pinned->body.view() == pinned.body.view());
  CHECK(ids_in(on.settle(pinned.id).next->body.view())
        == ids{"$4", "$5", "$6", "$7"});
}

TEST_CASE_TEMPLATE("bounds: at a pin nothing goes, and the queue holds", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept({"t1", events_json({"$1", "$2"}), "a", oldest_go(2)});
  const auto reply = on.accept({"t2", events_json({"$3"}), "a", oldest_go(2)});
  CHECK(reply.result == accept_result::full);
  CHECK(on.letters().empty());
  CHECK(owed_ids(on) == ids{"$1", "$2"});
}

TEST_CASE_TEMPLATE("bounds: one commit gives up so many rows and no more",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto most = limits::overflow_rows_max;
  on.accept({"t1", events_json(ids_between(1, 2 + 2 * most)), "a",
             oldest_go(UINT64_MAX)});
  const auto refused
    = on.accept({"t2", events_json({"$x"}), "a", oldest_go(3)});
  CHECK(refused.result == accept_result::full);
  CHECK(refused.bounds.overflowed == most);
  CHECK(on.row_of()->owed_events == 2 + most);
  CHECK(on.accept({"t2", events_json({"$x"}), "a", oldest_go(3)}).result
        == accept_result::stored);
  CHECK(on.row_of()->owed_events == 3);
}

TEST_CASE_TEMPLATE("bounds: full queues leave room for refused elements", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept({"t1", events_json(ids_between(1, 5)), "a", oldest_go(5)});
  const auto size = on.owed().front().item.bytes.size();
  const auto accept_with = [&](uint64_t held) {
    return must(on.ask(
      [&](store& db, batch_context& batch, const accept_transaction& asked) {
        crammed_store crammed{db, held, 0};
        return operations::accept(crammed, batch, asked);
      },
      accept_of({"t2", events_json({"$6", "$7"}), "a", oldest_go(5)})));
  };
  const auto half = limits::dead_letter_bytes_max / 2;
  CHECK(accept_with(half - size + 1).result == accept_result::full);
  CHECK(accept_with(half - size).result == accept_result::stored);
}

TEST_CASE_TEMPLATE("bounds: another queue keeps all it has", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept({"t1", events_json(ids_between(1, 4)), "b", oldest_go(100)});
  on.accept({"t1", events_json(ids_between(1, 4)), "a", oldest_go(100)});
  const auto before = on.row_of("b");
  on.accept({"t2", events_json({"$5"}), "a", oldest_go(4)});
  CHECK(letter_ids(on) == ids{"$3"});
  CHECK(on.row_of("b") == before);
  CHECK(owed_ids(on, "b") == ids_between(1, 4));
}

TEST_CASE_TEMPLATE("bounds: at its bound the second door gives up the oldest "
                   "too",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  auto request = submit_of({1, 2, 3});
  request.bounds = oldest_go(3);
  must(on.ask(operations::submit, request));
  request = submit_of({4});
  request.bounds = oldest_go(3);
  CHECK(must(on.ask(operations::submit, request)).elements == 1);
  CHECK(letter_ids(on) == ids{"$3"});
  CHECK(on.submit({3}).result == accept_result::duplicate);
}

TEST_CASE_TEMPLATE("bounds: a duplicate gives nothing up", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept({"t1", events_json(ids_between(1, 4)), "a", oldest_go(4)});
  on.accept({"t1", events_json(ids_between(1, 4)), "a", oldest_go(4)});
  CHECK(on.letters().empty());
}

TEST_CASE_TEMPLATE("bounds: events that outlived theirs are no more sent, at a "
                   "pin and below it they are",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept({"t1",
             R"({"events":[)" + event_json("$1") + "," + event_json("$2") + ","
               + event_json("$3") + "," + event_json("$4")
               + R"(],"to_device":[{"type":"m.d"}]})",
             "a", aged()});
  let_time_pass(on);
  const auto cleaned = must(on.ask(operations::forget, forget_with(aged())));
  CHECK(cleaned.rows == 2);
  CHECK(cleaned.bounds.overflowed == 2);
  CHECK(letter_ids(on) == ids{"$3", "$4"});
  for (const auto& letter : on.letters())
    CHECK(letter.reason == "too_old");
  CHECK(owed_ids(on) == ids{"$1", "$2", ""});
  CHECK(must(on.ask(operations::forget, forget_with(aged()))).rows == 0);
  const auto pinned = on.load("a", aged()).pinned.value();
  CHECK(ids_in(pinned.body.view()) == ids{"$1", "$2"});
}

TEST_CASE_TEMPLATE("bounds: what is too old is found before the next pin",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto first
    = on.accept({"t1", events_json(ids_between(1, 5)), "a", aged()})
        .pinned.value();
  let_time_pass(on);
  settle_transaction request;
  request.appservice = {"a"};
  request.id = first.id;
  request.bounds = aged();
  const auto reply = on.settle(request);
  CHECK(!reply.next);
  CHECK(reply.bounds.overflowed == 3);
  CHECK(letter_ids(on) == ids{"$3", "$4", "$5"});
  check_empty(on.row_of().value());
}

TEST_CASE_TEMPLATE("bounds: an alarm begins once and ends once", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  transaction_bounds bounds;
  bounds.queue.elements_max = 10;
  const auto first
    = on.accept({"t1", events_json(ids_between(1, 7)), "a", bounds});
  CHECK(first.bounds.near_now == 0);
  const auto second = on.accept({"t2", events_json({"$8"}), "a", bounds});
  CHECK(second.bounds.near_before == 0);
  CHECK(second.bounds.near_now == policy::near_bound::elements);
  const auto third = on.accept({"t3", events_json({"$9"}), "a", bounds});
  CHECK(third.bounds.near_before == policy::near_bound::elements);
  CHECK(third.bounds.near_now == policy::near_bound::elements);
  CHECK(on.row_of()->near_bounds == policy::near_bound::elements);
  settle_transaction request;
  request.appservice = {"a"};
  request.id = on.row_of()->pinned->id;
  request.bounds = bounds;
  const auto ended = on.settle(request);
  CHECK(ended.bounds.near_before == policy::near_bound::elements);
  CHECK(ended.bounds.near_now == 0);
}

TEST_CASE_TEMPLATE("bounds: the age of the oldest is judged by the janitor",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept({"t1", events_json({"$1"})});
  const auto bounds = aged();
  let_time_pass(on);
  CHECK(must(on.ask(operations::forget, forget_with(bounds))).bounds.near_now
        == policy::near_bound::age);
  CHECK(on.row_of()->near_bounds == policy::near_bound::age);
  on.settle(on.row_of()->pinned->id);
  const auto ended = must(on.ask(operations::forget, forget_with(bounds)));
  CHECK(ended.bounds.near_before == policy::near_bound::age);
  CHECK(ended.bounds.near_now == 0);
}
