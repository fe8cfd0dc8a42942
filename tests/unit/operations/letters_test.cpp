#include "tests/unit/operations/fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using texts = std::vector<std::string>;

/// Letters of appservice `to`, as they were buried.
template <class Where>
std::vector<int64_t> bury(house<Where>& on, const std::vector<element>& items,
                          const std::string& to = "a") {
  std::vector<int64_t> ids;
  must(on.ask(
    [&](store& db, batch_context&, int) -> expected<stored> {
      must(db.outbox().adopt_queue({to}));
      for (const auto& item : items)
        ids.push_back(must(
          db.keep().bury({0, {to}, 1, item, "http_400", 3, {1'000}, {2'000}})));
      return stored{};
    },
    0));
  return ids;
}

element item_of(const std::string& body) {
  return must(slice_transaction(body)).elements.at(0);
}

std::vector<element> event_items(const texts& ids, size_t filler = 0) {
  std::vector<element> items;
  for (const auto& id : ids)
    items.push_back(item_of(events_json({id}, filler)));
  return items;
}

replay_letters replay_of(kept_selection which = {},
                         transaction_bounds bounds = {}) {
  return {{"a"}, std::move(which), bounds, "admin", {}};
}

template <class Where>
kept_changed replay(house<Where>& on, kept_selection which = {},
                    transaction_bounds bounds = {}) {
  return must(on.ask(operations::replay, replay_of(std::move(which), bounds)));
}

template <class Where>
kept_changed drop(house<Where>& on, kept_selection which = {}) {
  return must(on.ask(operations::drop,
                     drop_letters{{"a"}, std::move(which), "admin", {}}));
}

template <class Where>
texts letter_ids(house<Where>& on) {
  texts all;
  for (const auto& row : on.letters())
    all.push_back(row.item.event_id);
  return all;
}

template <class Where>
std::vector<command_row> told(house<Where>& on) {
  return must(on.where.connect_reader()->commands(INT64_MAX, 100));
}

} // namespace

TEST_CASE_TEMPLATE("replay: letters are owed again at the end and pinned",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto ids = bury(on, event_items({"$1", "$2", "$3"}));
  const auto reply = replay(on);
  CHECK(reply.done == 3);
  CHECK(reply.missing == 0);
  CHECK(reply.after == ids[2]);
  CHECK(!reply.more);
  CHECK(!reply.full);
  REQUIRE(reply.pinned);
  CHECK(ids_in(reply.pinned->body.view()) == texts{"$1", "$2", "$3"});
  CHECK(on.letters().empty());
  CHECK(on.row_of()->owed_events == 3);
  const auto rows = told(on);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].target == "appservice/a");
  CHECK(rows[0].verb == "replay dead letters");
  CHECK(rows[0].by == "admin");
  on.settle(reply.pinned->id);
  check_empty(on.row_of().value());
  // Nothing is left of it, and nothing more is told.
  CHECK(replay(on).done == 0);
  CHECK(told(on).size() == 1);
}

TEST_CASE_TEMPLATE("replay: what is pinned stays as it was", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto pinned = on.accept_events("t1", {"$1", "$2"}).pinned.value();
  const auto before = on.row_of().value();
  bury(on, event_items({"$x"}));
  const auto reply = replay(on);
  CHECK(reply.done == 1);
  CHECK(!reply.pinned);
  const auto after = on.row_of().value();
  CHECK(after.pinned == before.pinned);
  CHECK(after.next_seq == before.next_seq + 1);
  CHECK(on.load().pinned->body.view() == pinned.body.view());
  CHECK(on.owed().back().seq == before.next_seq);
  const auto next = on.settle(pinned.id).next;
  REQUIRE(next);
  CHECK(next->id != pinned.id);
  CHECK(ids_in(next->body.view()) == texts{"$x"});
}

TEST_CASE_TEMPLATE("replay: an event that was seen is sent all the same", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto first = on.accept_events("t1", {"$1"}).pinned.value();
  on.settle(first.id, settlement::dead_letter);
  REQUIRE(letter_ids(on) == texts{"$1"});
  CHECK(on.accept_events("t2", {"$1"}).events_repeated == 1);
  const auto again = replay(on).pinned;
  REQUIRE(again);
  CHECK(ids_in(again->body.view()) == texts{"$1"});
  CHECK(again->id != first.id);
}

TEST_CASE_TEMPLATE("replay: what is rejected again is a dead letter again",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto first = on.accept_events("t1", {"$1"}).pinned.value();
  on.settle(first.id, settlement::dead_letter);
  const auto old = on.letters().at(0);
  const auto again = replay(on);
  on.settle(again.pinned->id, settlement::dead_letter);
  const auto letters = on.letters();
  REQUIRE(letters.size() == 1);
  CHECK(letters[0].id > old.id);
  CHECK(letters[0].item == old.item);
  // Whoever goes on to the end that was told does not meet it again.
  const auto rest = replay(on, {{}, again.after, again.until});
  CHECK(rest.done == 0);
  CHECK(!rest.more);
}

TEST_CASE_TEMPLATE("replay: named letters go back, and strangers are counted",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto ids = bury(on, event_items({"$1", "$2", "$3"}));
  const auto others = bury(on, event_items({"$1"}), "b");
  const auto reply
    = replay(on, {{ids[2], 1'000'000, ids[0], others[0], ids[0]}, 0, 0});
  CHECK(reply.done == 2);
  CHECK(reply.missing == 2);
  CHECK(!reply.more);
  CHECK(ids_in(reply.pinned->body.view()) == texts{"$1", "$3"});
  CHECK(letter_ids(on) == texts{"$2", "$1"});
  // Another operator had the same thought.
  const auto late = replay(on, {{ids[0], ids[2]}, 0, 0});
  CHECK(late.done == 0);
  CHECK(late.missing == 2);
  CHECK(on.row_of()->owed_events == 2);
}

TEST_CASE_TEMPLATE("replay: one commit takes so many letters and says where it"
                   " stands",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto most = limits::kept_changed_max;
  const auto ids = bury(on, event_items(ids_between(1, most + 2)));
  const auto first = replay(on);
  CHECK(first.done == most);
  CHECK(first.more);
  CHECK(first.after == ids[most - 1]);
  CHECK(first.until == ids.back());
  // One that came meanwhile is not among those that were there.
  bury(on, event_items({"$late"}));
  const auto second = replay(on, {{}, first.after, first.until});
  CHECK(second.done == 2);
  CHECK(!second.more);
  CHECK(letter_ids(on) == texts{"$late"});
  CHECK(on.row_of()->owed_events == most + 2);
}

TEST_CASE_TEMPLATE("replay: one commit takes so many bytes", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto half = limits::kept_changed_bytes_max / 2;
  const auto ids = bury(on, event_items({"$1", "$2", "$3", "$4"}, half));
  kept_selection which;
  SUBCASE("of all") {
  }
  SUBCASE("of those that are named") {
    which.ids = ids;
  }
  const auto first = replay(on, which);
  CHECK(first.done == 2);
  CHECK(first.more);
  which.after = first.after;
  which.until = first.until;
  const auto second = replay(on, which);
  CHECK(second.done == 2);
  CHECK(!second.more);
}

TEST_CASE_TEMPLATE("replay: a full queue takes no more, and the rest is kept",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  transaction_bounds bounds;
  bounds.queue.elements_max = 3;
  bounds.queue.overflow = overflow_policy::dead_letter_oldest;
  const auto first
    = on.accept({"t1", events_json({"$1"}), "a", bounds}).pinned.value();
  const auto gone = bury(on, event_items({"$gone"})).at(0);
  drop(on, {{gone}, 0, 0});
  const auto ids = bury(on, event_items({"$a", "$b", "$c", "$d"}));
  kept_selection which;
  SUBCASE("of all") {
  }
  SUBCASE("of those that are named") {
    which.ids = {gone, ids[0], ids[1], ids[2], ids[3], ids[3] + 1'000};
  }
  const auto reply = replay(on, which, bounds);
  CHECK(reply.full);
  CHECK(reply.more);
  CHECK(reply.done == 2);
  CHECK(reply.missing == (which.ids.empty() ? 0 : 1));
  CHECK(reply.after == ids[1]);
  CHECK(letter_ids(on) == texts{"$c", "$d"});
  which.after = reply.after;
  which.until = reply.until;
  const auto none = replay(on, which, bounds);
  CHECK(none.full);
  CHECK(none.done == 0);
  CHECK(none.missing == 0);
  CHECK(none.after == ids[1]);
  CHECK(told(on).size() == 2); // The drop, and what went back.
  // There is room when something went.
  on.settle(first.id);
  CHECK(replay(on, which, bounds).done == 1);
}

TEST_CASE_TEMPLATE("replay: the rows are those that the lanes make of them",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  bury(on,
       {item_of(R"({"to_device":[{"to":1}]})"),
        item_of(R"({"device_lists":{"changed":["@u:x"],"left":[]}})"),
        item_of(R"({"ephemeral":[{"type":"m.typing","room_id":"!r","n":1}]})"),
        item_of(R"({"ephemeral":[{"type":"m.typing","room_id":"!r","n":2}]})"),
        item_of(R"({"org.new":1})"), item_of(R"({"org.new":2})")});
  on.accept_events("t1", {"$1"});
  on.accept({"t2", R"({"device_lists":{"changed":["@v:x"],"left":["@u:x"]}})"});
  const auto reply = replay(on);
  CHECK(reply.done == 6);
  const auto row = on.row_of().value();
  CHECK(row.waiting == 1); // The later of the two.
  REQUIRE(on.waiting().size() == 1);
  CHECK(std::string{on.waiting()[0].bytes}.find(R"("n":2)")
        != std::string::npos);
  texts sent;
  for (auto next = on.load().pinned; next; next = on.settle(next->id).next)
    sent.emplace_back(next->body.view());
  // Of its own kind each unknown key goes by itself.
  CHECK(sent.size() >= 4);
  size_t with_new = 0;
  size_t with_lists = 0;
  for (const auto& body : sent) {
    with_new += body.find("org.new") != std::string::npos ? 1 : 0;
    with_lists += body.find("device_lists") != std::string::npos ? 1 : 0;
  }
  CHECK(with_new == 2);
  CHECK(with_lists >= 1);
  check_empty(on.row_of().value());
}

TEST_CASE_TEMPLATE("replay: while a pause lasts nothing is handed out", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  bury(on, event_items({"$1"}));
  on.rest(60s, pause_cause::peer);
  const auto reply = replay(on);
  CHECK(reply.done == 1);
  CHECK(!reply.pinned);
  CHECK(on.row_of()->pinned);
}

TEST_CASE_TEMPLATE("drop: letters go for good, and nothing is owed", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto ids = bury(on, event_items({"$1", "$2", "$3"}));
  bury(on, event_items({"$other"}), "b");
  const auto one = drop(on, {{ids[1], 1'000'000}, 0, 0});
  CHECK(one.done == 1);
  CHECK(one.missing == 1);
  CHECK(letter_ids(on) == texts{"$1", "$3", "$other"});
  const auto rest = drop(on);
  CHECK(rest.done == 2);
  CHECK(!rest.more);
  CHECK(letter_ids(on) == texts{"$other"});
  check_empty(on.row_of().value());
  const auto rows = told(on);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].verb == "drop dead letters");
  CHECK(drop(on).done == 0);
  CHECK(told(on).size() == 2);
}

TEST_CASE_TEMPLATE("drop: a full store has room for a letter again", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  bury(on, event_items({"$1", "$2"}, 1'000));
  const auto held = [&] {
    return must(on.ask([](store& db, batch_context&,
                          int) { return db.keep().dead_letter_bytes(); },
                       0));
  };
  CHECK(held() > 2'000);
  drop(on);
  CHECK(held() == 0);
}
