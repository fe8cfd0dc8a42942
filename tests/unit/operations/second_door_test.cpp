#include "tests/unit/operations/fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using ids = std::vector<std::string>;

template <class Where>
ids owed_ids(house<Where>& on) {
  ids all;
  for (const auto& row : on.owed())
    all.push_back(row.item.event_id);
  return all;
}

/// Delivers what is pinned until nothing is; returns the ids in order.
template <class Where>
ids deliver_all(house<Where>& on) {
  ids all;
  for (auto next = on.load().pinned; next; next = on.settle(next->id).next)
    for (auto& each : ids_in(next->body.view()))
      all.push_back(each);
  return all;
}

} // namespace

TEST_CASE_TEMPLATE("second door: events are stored in order and pinned", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto reply = on.submit({30, 10, 20});
  CHECK(reply.result == accept_result::stored);
  CHECK(reply.elements == 3);
  CHECK(reply.events_repeated == 0);
  REQUIRE(reply.pinned);
  CHECK(ids_in(reply.pinned->body.view()) == ids{"$30", "$10", "$20"});
  const auto row = on.row_of().value();
  CHECK(row.orderings == 3);
  CHECK(row.ordered_seq == 3);
  CHECK(row.owed_events == 3);
}

TEST_CASE_TEMPLATE("second door: what was handed in is known, delivered or not",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.submit({1, 2});
  const auto owed = on.submit({2, 1});
  CHECK(owed.result == accept_result::duplicate);
  CHECK(owed.elements == 0);
  CHECK(owed.events_repeated == 2);
  CHECK(deliver_all(on) == ids{"$1", "$2"});
  on.open();
  const auto delivered = on.submit({1, 2, 3});
  CHECK(delivered.result == accept_result::stored);
  CHECK(delivered.elements == 1);
  CHECK(delivered.events_repeated == 2);
  CHECK(deliver_all(on) == ids{"$3"});
  CHECK(on.row_of()->orderings == 3);
}

TEST_CASE_TEMPLATE("second door: a late event with a lower ordering is new",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.submit({100});
  CHECK(deliver_all(on) == ids{"$100"});
  CHECK(on.row_of()->delivered_stream_ordering == 100);
  CHECK(on.submit({40}).elements == 1);
  CHECK(deliver_all(on) == ids{"$40"});
  CHECK(on.row_of()->delivered_stream_ordering == 100);
}

TEST_CASE_TEMPLATE("second door: equal orderings in one request count once",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto reply = on.submit({7, 7, 8, 7});
  CHECK(reply.elements == 2);
  CHECK(reply.events_repeated == 2);
  CHECK(deliver_all(on) == ids{"$7", "$8"});
}

TEST_CASE_TEMPLATE("second door: only the ordering tells, not the event id",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept_events("t1", {"$1"});
  CHECK(on.submit({1}).elements == 1);
  // And what came by it is no known event at the first door.
  CHECK(on.accept_events("t2", {"$1", "$9"}).events_repeated == 1);
  CHECK(owed_ids(on) == ids{"$1", "$1", "$9"});
  on.submit({2});
  CHECK(on.accept_events("t3", {"$2"}).events_repeated == 0);
}

TEST_CASE_TEMPLATE("second door: appservices have orderings of their own",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.submit({1});
  CHECK(must(on.ask(operations::submit, submit_of({1}, "b"))).elements == 1);
}

TEST_CASE_TEMPLATE("second door: a full queue takes nothing, and knows what it "
                   "has",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.submit({1, 2});
  auto more = submit_of({2, 3});
  more.bounds.queue.elements_max = 2;
  CHECK(must(on.ask(operations::submit, more)).result == accept_result::full);
  CHECK(on.row_of()->orderings == 2);
  auto again = submit_of({2, 1});
  again.bounds.queue.elements_max = 2;
  CHECK(must(on.ask(operations::submit, again)).result
        == accept_result::duplicate);
  CHECK(deliver_all(on) == ids{"$1", "$2"});
  CHECK(must(on.ask(operations::submit, more)).elements == 1);
}

TEST_CASE_TEMPLATE("second door: the highest ordering delivered is told, over "
                   "both doors",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept_events("t1", {"$a"});
  CHECK(on.row_of()->delivered_stream_ordering == 0);
  on.settle(on.row_of()->pinned->id);
  CHECK(on.row_of()->delivered_stream_ordering == 0);
  on.submit({5, 9, 6});
  on.accept_events("t2", {"$b"});
  CHECK(deliver_all(on) == ids{"$5", "$9", "$6", "$b"});
  CHECK(on.row_of()->delivered_stream_ordering == 9);
}

TEST_CASE_TEMPLATE("second door: what was given up is not delivered, and known",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto pinned = on.submit({5}).pinned.value();
  on.settle(pinned.id, settlement::dead_letter);
  CHECK(on.row_of()->delivered_stream_ordering == 0);
  CHECK(on.submit({5}).result == accept_result::duplicate);
}

TEST_CASE_TEMPLATE("second door: orderings are forgotten after their time, but "
                   "not while owed",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.submit({1});
  deliver_all(on);
  on.submit({2});
  on.change_queue([](queue_row& row) {
    // As if a million more had come: only what is not owed may go.
    row.orderings += limits::orderings_max;
  });
  forget_old request;
  request.appservice = appservice_id{"a"};
  CHECK(must(on.ask(operations::forget, request)).rows == 1);
  CHECK(must(on.ask(operations::forget, request)).rows == 0);
  CHECK(on.row_of()->orderings == limits::orderings_max + 1);
  CHECK(on.submit({2}).result == accept_result::duplicate);
  CHECK(on.submit({1}).elements == 1);
}
