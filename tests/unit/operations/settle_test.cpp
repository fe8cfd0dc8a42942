#include "tests/unit/operations/fixture.hpp"

#include "tests/support/memory_store/memory_state.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using ids = std::vector<std::string>;

/// How many rows the outcome feed has. Takes them out of it.
template <class Where>
uint64_t outcomes(house<Where>& on) {
  return must(on.ask(
    [](store& db, batch_context& batch, const int&) {
      return db.outcomes().forget_outcomes(batch.now + milliseconds{1h}, 0,
                                           100'000);
    },
    0));
}

/// The one row of the feed. Only the memory store lets itself be looked into.
outcome_row outcome_of(const house<on_memory>& on) {
  const auto tables = on.where.database.copy();
  REQUIRE(tables->outcomes.size() == 1);
  return tables->outcomes.begin()->second;
}

} // namespace

TEST_CASE_TEMPLATE("settle: delivered rows are gone and the next is pinned",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto first = on.accept_events("t1", {"$1", "$2"}).pinned.value();
  on.accept({"t2", R"({"events":[{"event_id":"$3"}],"ephemeral":[{"a":1}]})"});
  const auto reply = on.settle(first.id);
  CHECK(!reply.not_current);
  CHECK(!reply.no_room);
  REQUIRE(reply.next);
  CHECK(reply.next->elements == 2);
  CHECK(reply.next->events == 1);
  CHECK(ids_in(reply.next->body.view()) == ids{"$3"});
  auto row = on.row_of().value();
  CHECK(row.pinned->id == reply.next->id);
  CHECK(row.acked == 2);
  CHECK(row.owed_events == 1);
  CHECK(row.owed_others == 1);
  CHECK(row.owed_bytes
        == std::string_view{R"({"event_id":"$3"}{"a":1})"}.size());
  CHECK(row.delivered_transactions == 1);
  CHECK(row.delivered_events == 2);
  CHECK(!on.settle(reply.next->id).next);
  row = on.row_of().value();
  check_empty(row);
  CHECK(row.acked == row.next_seq - 1);
  CHECK(row.delivered_transactions == 2);
  CHECK(row.delivered_events == 3);
  CHECK(on.owed().empty());
  CHECK(outcomes(on) == 2);
}

TEST_CASE_TEMPLATE("settle: an id that is not pinned changes nothing", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  CHECK(
    on.settle(txn_id{"nobody-1"}, settlement::delivered, "nobody").not_current);
  const auto first = on.accept_events("t1", {"$1"}).pinned.value();
  on.accept_events("t2", {"$2"});
  on.settle(first.id);
  outcomes(on);
  const auto before = on.row_of();
  for (const auto how : {settlement::delivered, settlement::bisected,
                         settlement::split, settlement::dead_letter}) {
    const auto reply = on.settle(first.id, how);
    CHECK(reply.not_current);
    CHECK(!reply.next);
  }
  CHECK(on.row_of() == before);
  CHECK(on.owed().size() == 1);
  CHECK(on.letters().empty());
  CHECK(outcomes(on) == 0);
  on.settle(before->pinned->id);
  CHECK(on.settle(before->pinned->id).not_current);
}

TEST_CASE_TEMPLATE("settle: bisected rows are planned anew, half of them",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto first = on.accept_events("t1", ids_between(1, 10)).pinned.value();
  const auto reply = on.settle(first.id, settlement::bisected);
  REQUIRE(reply.next);
  CHECK(reply.next->id != first.id);
  CHECK(reply.next->suspect);
  CHECK(ids_in(reply.next->body.view()) == ids_between(1, 5));
  const auto row = on.row_of().value();
  CHECK(row.suspect_first == 1);
  CHECK(row.suspect_last == 10);
  CHECK(row.acked == 0);
  CHECK(row.owed_events == 10);
  CHECK(row.delivered_transactions == 0);
  // A restart goes on where it was.
  on.open();
  CHECK(on.load().pinned->suspect);
  CHECK(outcomes(on) == 1);
}

TEST_CASE_TEMPLATE("settle: past the stretch nothing is suspect", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  auto pinned = on.accept_events("t1", ids_between(1, 4)).pinned;
  on.accept_events("t2", ids_between(5, 8));
  pinned = on.settle(pinned->id, settlement::bisected).next;
  std::vector<std::pair<size_t, bool>> sent;
  while (pinned) {
    sent.emplace_back(pinned->elements, pinned->suspect);
    pinned = on.settle(pinned->id).next;
  }
  CHECK(sent
        == std::vector<std::pair<size_t, bool>>{
          {2, true}, {1, true}, {1, true}, {4, false}});
  check_empty(on.row_of().value());
}

TEST_CASE_TEMPLATE("settle: a split halves the bytes and keeps every row",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const offered large{"t1", events_json(ids_between(1, 8), 1'000)};
  auto pinned = on.accept(large).pinned;
  const auto bytes = on.row_of()->pinned->bytes;
  pinned = on.settle(pinned->id, settlement::split).next;
  CHECK(on.row_of()->byte_cap == bytes / 2);
  CHECK(!pinned->suspect);
  CHECK(pinned->body.size() <= bytes / 2);
  CHECK(pinned->elements == 3);
  CHECK(on.owed().size() == 8);
  pinned = on.settle(pinned->id, settlement::split).next;
  CHECK(pinned->elements == 1);
  // The bound is kept for what follows, also over a restart.
  on.open();
  ids delivered;
  while (pinned) {
    CHECK(pinned->elements == 1);
    for (const auto& id : ids_in(pinned->body.view()))
      delivered.push_back(id);
    pinned = on.settle(pinned->id).next;
  }
  CHECK(delivered == ids_between(1, 8));
  // Until a start forgets it.
  must(on.ask(operations::adopt, adopt_queues{{{"a"}}, {}}));
  CHECK(on.row_of()->byte_cap == 0);
}

TEST_CASE_TEMPLATE("settle: a dead letter keeps the bytes and frees the queue",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const std::string odd = R"({"event_id":"$1","n":1e400, "s":"\ud800"})";
  const auto pinned
    = on.accept({"t1", R"({"events":[)" + odd + "]}"}).pinned.value();
  on.accept_events("t2", {"$2"});
  const auto accepted_at = on.owed().at(0).accepted_at;
  const auto reply = on.settle(pinned.id, settlement::dead_letter);
  CHECK(!reply.no_room);
  CHECK(ids_in(reply.next->body.view()) == ids{"$2"});
  const auto letters = on.letters();
  REQUIRE(letters.size() == 1);
  CHECK(letters[0].appservice == appservice_id{"a"});
  CHECK(letters[0].seq == 1);
  CHECK(letters[0].item.bytes == odd);
  CHECK(letters[0].item.kind == lane::event);
  CHECK(letters[0].item.event_id == "$1");
  CHECK(letters[0].reason == "http_400");
  CHECK(letters[0].attempts == 3);
  CHECK(letters[0].accepted_at == accepted_at);
  CHECK(letters[0].buried_at >= accepted_at);
  const auto row = on.row_of().value();
  CHECK(row.acked == 1);
  CHECK(row.owed_events == 1);
  CHECK(row.delivered_transactions == 0);
  CHECK(row.delivered_events == 0);
  on.settle(reply.next->id);
  check_empty(on.row_of().value());
}

TEST_CASE_TEMPLATE("settle: what is no event can be a dead letter too", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto pinned
    = on.accept({"t1", R"({"to_device":[{"type":"m.d"}]})"}).pinned.value();
  on.settle(pinned.id, settlement::dead_letter);
  check_empty(on.row_of().value());
  CHECK(on.letters().at(0).item.kind == lane::to_device);
  CHECK(on.letters().at(0).item.keys == "to_device");
}

TEST_CASE_TEMPLATE("settle: only a lone element becomes a dead letter", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto pinned = on.accept_events("t1", {"$1", "$2"}).pinned.value();
  const auto before = on.row_of();
  settle_transaction request;
  request.appservice = {"a"};
  request.id = pinned.id;
  request.how = settlement::dead_letter;
  CHECK(code_of(on.ask(operations::settle, request)) == ec::rejected);
  CHECK(on.row_of() == before);
  CHECK(on.letters().empty());
}

TEST_CASE_TEMPLATE("settle: with the bad one buried nothing is suspect", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  auto pinned = on.accept_events("t1", ids_between(1, 3)).pinned;
  pinned = on.settle(pinned->id, settlement::bisected).next;
  CHECK(pinned->elements == 1);
  pinned = on.settle(pinned->id, settlement::dead_letter).next;
  CHECK(pinned->elements == 2);
  CHECK(!pinned->suspect);
}

TEST_CASE_TEMPLATE("settle: every verdict ends our own stored pause", Where,
                   WEIR_EVERY_STORE) {
  for (const auto how : {settlement::delivered, settlement::bisected,
                         settlement::split, settlement::dead_letter}) {
    for (const auto cause : {pause_cause::own, pause_cause::peer}) {
      house<Where> on;
      const auto pinned = on.accept_events("t1", {"$1"}).pinned.value();
      on.rest(1h, cause);
      CHECK(on.load().rest > 59min);
      on.settle(pinned.id, how);
      // What the bridge asked for holds until it accepts something.
      const bool holds
        = cause == pause_cause::peer && how != settlement::delivered;
      CHECK((on.load().rest > 0ms) == holds);
      CHECK((on.load().paused_by == pause_cause::peer) == holds);
    }
  }
}

TEST_CASE("settle: the feed says what became of each transaction") {
  const std::pair<settlement, std::string> results[]
    = {{settlement::delivered, "delivered"},
       {settlement::bisected, "retired"},
       {settlement::split, "retired"},
       {settlement::dead_letter, "dead_letter"}};
  for (const auto& [how, result] : results) {
    house<on_memory> on;
    const auto pinned = on.accept_events("t1", {"$1"}).pinned.value();
    on.settle(pinned.id, how);
    const auto outcome = outcome_of(on);
    CHECK(outcome.slot == 1);
    CHECK(outcome.queue == "appservice/a");
    CHECK(outcome.subject == pinned.id.value);
    CHECK(outcome.result == result);
    CHECK(outcome.detail == (how == settlement::delivered ? "" : "http_400"));
    CHECK(outcome.events == 1);
    CHECK(outcome.at == noon);
  }
}

TEST_CASE("settle: positions of the feed rise with the commits") {
  house<on_memory> on;
  auto pinned = on.accept_events("t1", {"$1"}).pinned;
  on.accept_events("t2", {"$2"});
  pinned = on.settle(pinned->id).next;
  on.settle(pinned->id);
  std::vector<uint64_t> positions;
  const auto tables = on.where.database.copy();
  for (const auto& [key, row] : tables->outcomes)
    positions.push_back(row.pos);
  REQUIRE(positions.size() == 2);
  CHECK(positions[0] < positions[1]);
  CHECK(positions[1] <= on.runner->lease().pos);
}

TEST_CASE_TEMPLATE("load: what was told of a queue comes with it", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto id = on.accept_events("t1", {"$1"}).pinned->id;
  CHECK(!on.load().story);
  publish_status status;
  status.queue = "appservice/a";
  status.state = "resting";
  status.cause = "http_503";
  status.subject = id.value;
  status.in_state = 1h;
  status.last_error = "connect_refused";
  status.last_error_text = "Connection refused";
  status.since_error = 30min;
  must(on.ask(operations::publish, status));
  on.open(); // As at a start.
  const auto told = on.load().story.value();
  CHECK(told.state == "resting");
  CHECK(told.cause == "http_503");
  CHECK(told.subject == id.value);
  CHECK(told.in_state >= 1h);
  CHECK(told.in_state < 1h + 1min);
  CHECK(told.last_error == "connect_refused");
  CHECK(told.last_error_text == "Connection refused");
  CHECK(told.since_error >= 30min);
  CHECK(told.since_error < 31min);
  CHECK(!on.load("b").story);
}

TEST_CASE("load: what was told by a clock ahead of ours is of now") {
  house<on_memory> on;
  on.accept_events("t1", {"$1"});
  publish_status status;
  status.queue = "appservice/a";
  status.in_state = -1h;
  must(on.ask(operations::publish, status));
  CHECK(on.load().story->in_state == 0ms);
}
