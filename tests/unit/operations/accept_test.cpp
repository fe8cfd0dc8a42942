#include "tests/unit/operations/fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using ids = std::vector<std::string>;

constexpr std::string_view all_lanes = R"({
  "events": [{"event_id":"$1","n":-0}, {"event_id":"$2"}],
  "ephemeral": [{"type":"m.typing"}],
  "de.sorunome.msc2409.to_device": [{"type":"m.d"}, {"type":"m.e"}],
  "org.matrix.msc3202.device_lists": {"changed":["@a:b"],"left":[]},
  "org.matrix.msc3202.device_one_time_keys_count": {"@a:b":{"D":{"k":1}}}
})";

} // namespace

TEST_CASE_TEMPLATE("accept: elements are stored in order and pinned", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto reply = on.accept({"t1", std::string{all_lanes}});
  CHECK(reply.result == accept_result::stored);
  CHECK(reply.elements == 7);
  CHECK(reply.events_repeated == 0);
  const auto content = must(slice_transaction(all_lanes));
  const auto rows = on.owed();
  REQUIRE(rows.size() == 7);
  // Ephemeral elements have their place behind all others.
  const std::vector<size_t> order{0, 1, 3, 4, 5, 6, 2};
  for (size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].seq == i + 1);
    CHECK(!rows[i].alone);
    CHECK(rows[i].item == content.elements[order[i]]);
    CHECK(rows[i].accepted_at.ms > 0);
  }
  const auto row = on.row_of().value();
  CHECK(row.next_seq == 8);
  CHECK(row.owed_events == 2);
  CHECK(row.owed_others == 5);
  REQUIRE(reply.pinned);
  REQUIRE(row.pinned);
  CHECK(reply.pinned->id == row.pinned->id);
  CHECK(reply.pinned->elements == 7);
  CHECK(reply.pinned->events == 2);
  CHECK(reply.pinned->first_seq == 1);
  CHECK(reply.pinned->last_seq == 7);
  CHECK(!reply.pinned->suspect);
  CHECK(reply.pinned->body.view().find(R"({"event_id":"$1","n":-0})")
        != std::string_view::npos);
}

TEST_CASE_TEMPLATE("accept: a queue with a pin gets no other", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto first = on.accept_events("t1", {"$1"});
  const auto second = on.accept_events("t2", {"$2", "$3"});
  CHECK(second.result == accept_result::stored);
  CHECK(!second.pinned);
  const auto row = on.row_of().value();
  CHECK(row.pinned->id == first.pinned->id);
  CHECK(row.owed_events == 3);
  CHECK(on.owed().at(2).came_with == 2);
  // The rows that came later do not change what the id stands for.
  CHECK(on.load().pinned->body == first.pinned->body);
  CHECK(ids_in(on.settle(first.pinned->id).next->body.view())
        == ids{"$2", "$3"});
}

TEST_CASE_TEMPLATE("accept: a repeat of it or of a part of it stores nothing",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept({"t1", std::string{all_lanes}});
  const auto before = on.row_of();
  const std::string no_ephemeral
    = R"({"events":[{"event_id":"$1","age":5},{"event_id":"$2"}]})";
  const std::string purged = R"({"events":[{"event_id":"$2"}]})";
  for (const auto& body :
       {std::string{all_lanes}, no_ephemeral, purged, std::string{"{}"}}) {
    const auto reply = on.accept({"t1", body});
    CHECK(reply.result == accept_result::duplicate);
    CHECK(reply.elements == 0);
    CHECK(!reply.pinned);
  }
  CHECK(on.row_of() == before);
  CHECK(on.owed().size() == 7);
}

TEST_CASE_TEMPLATE("accept: a repeat after the delivery stores nothing", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  on.settle(on.accept_events("t1", {"$1"}).pinned->id);
  on.open();
  CHECK(on.accept_events("t1", {"$1"}).result == accept_result::duplicate);
  check_empty(on.row_of().value());
}

TEST_CASE_TEMPLATE("accept: a known id with other events is a new generation",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept_events("1", {"$1"});
  const auto reply = on.accept_events("1", {"$2"});
  CHECK(reply.result == accept_result::id_reused);
  CHECK(reply.elements == 1);
  // Both are known from now on.
  for (const auto* id : {"$1", "$2"})
    CHECK(on.accept_events("1", {id}).result == accept_result::duplicate);
  CHECK(on.owed().size() == 2);
}

TEST_CASE_TEMPLATE("accept: events seen under another id are dropped if told",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept_events("t1", {"$1", "$2"});
  const auto reply = on.accept({"t2", events_json({"$2", "$3", "$1"})});
  CHECK(reply.result == accept_result::stored);
  CHECK(reply.elements == 1);
  CHECK(reply.events_repeated == 2);
  auto all = offered{"t3", events_json({"$1", "$2", "$3"})};
  CHECK(on.accept(all).elements == 0);
  all.hs_txn_id = "t4";
  all.dedupe_events = false;
  const auto kept = on.accept(all);
  CHECK(kept.elements == 3);
  CHECK(kept.events_repeated == 0);
  CHECK(on.row_of()->owed_events == 6);
}

TEST_CASE_TEMPLATE("accept: what was accepted without the window is not in it",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  auto first = offered{"t1", events_json({"$1"})};
  first.dedupe_events = false;
  on.accept(first);
  CHECK(on.accept_events("t2", {"$1"}).elements == 1);
  CHECK(on.accept_events("t3", {"$1"}).elements == 0);
}

TEST_CASE_TEMPLATE("accept: equal events without an id are not one event",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const std::string body = R"({"events":[{"type":"m.x"},{"type":"m.x"}]})";
  CHECK(on.accept({"t1", body}).elements == 2);
  CHECK(on.accept({"t2", body}).elements == 2);
  CHECK(on.accept({"t2", body}).result == accept_result::duplicate);
}

TEST_CASE_TEMPLATE("accept: each appservice has a window of its own", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  CHECK(on.accept({"t1", events_json({"$1"}), "a"}).pinned);
  CHECK(on.accept({"t1", events_json({"$1"}), "b"}).pinned);
}

TEST_CASE_TEMPLATE("accept: a new non-event part of a known id is stored alone",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept_events("t1", {"$1"});
  const offered repeat{
    "t1", R"({"events":[{"event_id":"$1"}],"to_device":[{"type":"m.d"}]})"};
  const auto reply = on.accept(repeat);
  CHECK(reply.result == accept_result::non_event_part);
  CHECK(reply.elements == 1);
  CHECK(reply.events_repeated == 0);
  CHECK(on.owed().at(1).item.kind == lane::to_device);
  CHECK(on.accept(repeat).result == accept_result::duplicate);
}

TEST_CASE_TEMPLATE("accept: to-device messages without events are no repeat",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto carrying = [](int n) {
    return offered{"1", R"({"to_device":[{"n":)" + std::to_string(n) + "}]}"};
  };
  CHECK(on.accept(carrying(1)).result == accept_result::stored);
  CHECK(on.accept(carrying(1)).result == accept_result::duplicate);
  CHECK(on.accept(carrying(2)).result == accept_result::id_reused);
  CHECK(on.owed().size() == 2);
}

TEST_CASE_TEMPLATE("accept: a transaction with nothing in it owes nothing",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto reply = on.accept({"t1", R"({"events":[],"ephemeral":[]})"});
  CHECK(reply.result == accept_result::stored);
  CHECK(reply.elements == 0);
  CHECK(!reply.pinned);
  check_empty(on.row_of().value());
}

TEST_CASE_TEMPLATE("accept: unknown keys are joined with no other transaction",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  auto pinned = on.accept_events("t0", {"$0"}).pinned;
  on.accept_events("t1", {"$1"});
  on.accept_events("t2", {"$2"});
  on.accept({"t3", R"({"events":[{"event_id":"$3"}],"org.example.x":[1]})"});
  on.accept_events("t4", {"$4"});
  on.accept({"t5", R"({"org.example.x":[2]})"});
  on.accept({"t6", R"({"org.example.x":[3]})"});
  std::vector<ids> sent;
  while (pinned) {
    sent.push_back(ids_in(pinned->body.view()));
    pinned = on.settle(pinned->id).next;
  }
  CHECK(sent == std::vector<ids>{{"$0"}, {"$1", "$2"}, {"$3"}, {"$4"}, {}, {}});
}

TEST_CASE_TEMPLATE("accept: a resting queue pins, and nothing is handed out",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.settle(on.accept_events("t1", {"$1"}).pinned->id);
  on.rest(1h, pause_cause::peer);
  CHECK(!on.accept_events("t2", {"$2"}).pinned);
  const auto loaded = on.load();
  REQUIRE(loaded.pinned);
  CHECK(loaded.paused_by == pause_cause::peer);
  CHECK(loaded.rest > 59min);
  CHECK(loaded.rest <= 1h);
}

TEST_CASE_TEMPLATE("accept: bounds of the queue bound what is pinned", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  auto many = offered{"t1", events_json(ids_between(1, 10), 100)};
  many.bounds.events = 4;
  CHECK(ids_in(on.accept(many).pinned->body.view()) == ids_between(1, 4));
  many.to = "b";
  many.bounds.events = 100;
  many.bounds.bytes = 500;
  const auto pinned = on.accept(many).pinned;
  CHECK(pinned->body.size() <= 500);
  CHECK(pinned->elements == 3);
  many.to = "c";
  many.bounds.bytes = 1; // The first always goes.
  CHECK(on.accept(many).pinned->elements == 1);
}

TEST_CASE_TEMPLATE("accept: a full queue takes nothing and knows its repeats",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto first = on.accept_events("t1", {"$1", "$2"}).pinned.value();
  const auto before = on.row_of();
  auto more = offered{"t2", events_json({"$3"})};
  for (const auto& [elements, bytes] :
       {std::pair<uint64_t, uint64_t>{2, UINT64_MAX},
        std::pair<uint64_t, uint64_t>{UINT64_MAX, before->owed_bytes}}) {
    more.queue_elements_max = elements;
    more.queue_bytes_max = bytes;
    const auto refused = on.accept(more);
    CHECK(refused.result == accept_result::full);
    CHECK(refused.elements == 0);
    CHECK(!refused.pinned);
    // What it has already is no addition.
    auto repeat = more;
    repeat.hs_txn_id = "t1";
    repeat.body = events_json({"$1", "$2"});
    CHECK(on.accept(repeat).result == accept_result::duplicate);
    auto after = on.row_of();
    CHECK(after->near_bounds != 0);
    after->near_bounds = 0;
    CHECK(after == before);
  }
  // Once there is room the same transaction is no repeat, nor are its events.
  more.queue_elements_max = 2;
  more.queue_bytes_max = UINT64_MAX;
  on.settle(first.id);
  CHECK(on.accept(more).result == accept_result::stored);
  CHECK(on.row_of()->owed_events == 1);
}
