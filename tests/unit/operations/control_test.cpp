#include "actors/operations/control.hpp"

#include "tests/unit/operations/crammed_store.hpp"
#include "tests/unit/operations/fixture.hpp"

#include <algorithm>
#include <limits>

using namespace weir;
using namespace weir::test;

namespace {

template <class Where>
std::vector<command_row> commands(house<Where>& on) {
  return must(on.where.connect_reader()->commands(
    std::numeric_limits<int64_t>::max(), 100));
}

template <class Where>
queue_halted halt_of(house<Where>& on, bool halted, const std::string& by) {
  return must(
    on.ask(operations::set_halt, halt_queue{{"a"}, halted, by, "why", {}}));
}

template <class Where>
transaction_skipped skip(house<Where>& on, const txn_id& id,
                         bool keep_rows = false) {
  skip_transaction request;
  request.appservice = {"a"};
  request.id = id;
  request.keep_rows = keep_rows;
  request.attempts = 4;
  request.by = "ada";
  return must(on.ask(operations::skip, request));
}

/// Changes the bytes of one owed row, or takes it away, behind Weir's back.
template <class Where>
void damage(house<Where>& on, uint64_t seq, bool lost) {
  const auto no = on.row_of()->no;
  auto row = on.owed().at(seq - 1);
  must(on.ask(
    [&](store& db, batch_context&, const int&) -> expected<stored> {
      const std::vector<lane_range> one{{row.item.kind, seq, seq}};
      WEIR_TRY(db.outbox().remove(no, one));
      row.item.bytes += " ";
      const std::vector changed{row};
      if (!lost) {
        WEIR_TRY(db.outbox().append(no, changed));
      }
      return stored{};
    },
    0));
}

const std::string every_lane
  = R"({"events":[{"event_id":"$1"},{"event_id":"$2"}],"to_device":[{"a":1}],)"
    R"("ephemeral":[{"type":"m.typing","room_id":"!r","content":{}}]})";

} // namespace

TEST_CASE_TEMPLATE("control: a pause is stored with its row, and once", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept_events("t1", {"$1"});
  const auto first = halt_of(on, true, "ada");
  CHECK(first.command > 0);
  REQUIRE(first.now);
  CHECK(first.now->by == "ada");
  const auto again = halt_of(on, true, "bob");
  CHECK(again.command == 0);
  CHECK(again.now == first.now);
  CHECK(on.load().halted == first.now);
  CHECK(halt_of(on, false, "bob").command > first.command);
  CHECK_FALSE(on.load().halted);
  CHECK(halt_of(on, false, "bob").command == 0);
  const auto rows = commands(on);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].target == "appservice/a");
  CHECK(rows[0].verb == "pause");
  CHECK(rows[0].by == "ada");
  CHECK(rows[0].at == first.now->since);
  CHECK(rows[0].result == "why");
  CHECK(rows[1].verb == "resume");
}

TEST_CASE_TEMPLATE("control: a pause lasts over a start and what is accepted",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto halted = halt_of(on, true, "ada").now;
  on.open();
  on.accept_events("t1", {"$1"});
  const auto loaded = on.load();
  CHECK(loaded.halted == halted);
  REQUIRE(loaded.pinned);
  on.settle(loaded.pinned->id);
  CHECK(on.load().halted == halted);
}

TEST_CASE_TEMPLATE("control: a try ends our own stored pause", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept_events("t1", {"$1"});
  on.rest(60s, pause_cause::own);
  const end_back_off now{{"a"}, false, "ada", {}};
  CHECK(must(on.ask(operations::end_stored_back_off, now)).command > 0);
  CHECK(on.load().rest == 0ms);
  REQUIRE(commands(on).size() == 1);
  CHECK(commands(on)[0].verb == "retry");
}

TEST_CASE_TEMPLATE("control: only force ends what the bridge asked for", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept_events("t1", {"$1"});
  on.rest(60s, pause_cause::peer);
  end_back_off now{{"a"}, false, "ada", {}};
  must(on.ask(operations::end_stored_back_off, now));
  CHECK(on.load().paused_by == pause_cause::peer);
  now.force = true;
  must(on.ask(operations::end_stored_back_off, now));
  CHECK(on.load().paused_by == pause_cause::none);
  CHECK(commands(on).back().result == "forced");
}

TEST_CASE_TEMPLATE("control: what is skipped is kept, and the next is pinned",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto first = on.accept({"t1", every_lane}).pinned;
  REQUIRE(first);
  on.accept_events("t2", {"$3"});
  on.rest(60s, pause_cause::own);
  const auto skipped = skip(on, first->id);
  CHECK(skipped.result == command_result::done);
  CHECK(skipped.elements == first->elements);
  REQUIRE(skipped.next);
  CHECK(skipped.next->id != first->id);
  CHECK(skipped.current == skipped.next->id);
  CHECK(ids_in(skipped.next->body.view()) == ids_between(3, 3));
  const auto letters = on.letters();
  REQUIRE(letters.size() == first->elements);
  for (const auto& letter : letters) {
    CHECK(letter.reason == "skipped by ada");
    CHECK(letter.attempts == 4);
    CHECK_FALSE(letter.item.bytes.empty());
  }
  CHECK(on.load().rest == 0ms);
  const auto rows = commands(on);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].id == skipped.command);
  CHECK(rows[0].result.starts_with(first->id.value));
  on.settle(skipped.next->id);
  check_empty(*on.row_of());
}

TEST_CASE_TEMPLATE("control: equal values under two keys are kept each", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const std::string counts = R"({"@a:h":{"D":{"signed_curve25519":1}}})";
  const auto first
    = on.accept({"t1",
                 R"({"events":[{"event_id":"$1"}],)"
                 R"("org.matrix.msc3202.device_one_time_keys_count":)"
                   + counts
                   + R"(,"org.matrix.msc3202.device_one_time_key_counts":)"
                   + counts + R"(,"a":true,"b":true})"})
        .pinned;
  REQUIRE(first);
  const auto skipped = skip(on, first->id);
  CHECK(skipped.elements == 5);
  CHECK(on.letters().size() == 5);
}

TEST_CASE_TEMPLATE("control: a skip of another id changes nothing", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  CHECK(skip(on, {"none-1"}).result == command_result::not_current);
  const auto pinned = on.accept_events("t1", {"$1"}).pinned;
  const auto before = on.row_of();
  const auto refused = skip(on, {"other-1"});
  CHECK(refused.result == command_result::not_current);
  CHECK(refused.current == pinned->id);
  CHECK(on.row_of() == before);
  on.settle(pinned->id);
  CHECK(skip(on, pinned->id).result == command_result::not_current);
  CHECK(on.letters().empty());
  CHECK(commands(on).empty());
}

TEST_CASE_TEMPLATE("control: a skip keeps what the bridge asked for", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto pinned = on.accept_events("t1", {"$1"}).pinned;
  on.rest(60s, pause_cause::peer);
  skip(on, pinned->id);
  CHECK(on.row_of()->paused_by == pause_cause::peer);
}

TEST_CASE_TEMPLATE("control: a skip of a suspect stretch suspects no more",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept_events("t1", ids_between(1, 4));
  on.settle(on.load().pinned->id, settlement::bisected);
  const auto half = on.load().pinned;
  REQUIRE(half->suspect);
  const auto skipped = skip(on, half->id);
  CHECK(on.row_of()->suspect_last == 0);
  REQUIRE(skipped.next);
  CHECK_FALSE(skipped.next->suspect);
}

TEST_CASE_TEMPLATE("control: without room a skip changes nothing", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto pinned = on.accept_events("t1", {"$1", "$2"}).pinned;
  const auto size = on.row_of()->pinned->bytes;
  const auto before = on.row_of();
  skip_transaction request;
  request.appservice = {"a"};
  request.id = pinned->id;
  const auto skip_with = [&](uint64_t held) {
    return must(on.ask(
      [&](store& db, batch_context& batch, const skip_transaction& asked) {
        crammed_store crammed{db, held, 0};
        return operations::skip(crammed, batch, asked);
      },
      request));
  };
  CHECK(skip_with(limits::dead_letter_bytes_max - size + 1).result
        == command_result::no_room);
  CHECK(on.row_of() == before);
  CHECK(on.letters().empty());
  CHECK(commands(on).empty());
  CHECK(skip_with(limits::dead_letter_bytes_max - size).result
        == command_result::done);
  CHECK(on.letters().size() == 2);
}

TEST_CASE_TEMPLATE("control: one appservice keeps half of all room at most",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto pinned = on.accept_events("t1", {"$1"}).pinned;
  const auto size = on.row_of()->pinned->bytes;
  skip_transaction request;
  request.appservice = {"a"};
  request.id = pinned->id;
  const auto skip_with = [&](uint64_t own) {
    return must(on.ask(
      [&](store& db, batch_context& batch, const skip_transaction& asked) {
        crammed_store crammed{db, own, 0, {own, 0}};
        return operations::skip(crammed, batch, asked);
      },
      request));
  };
  const auto half = limits::dead_letter_bytes_max / 2;
  CHECK(skip_with(half - size + 1).result == command_result::no_room);
  CHECK(skip_with(half - size).result == command_result::done);
}

TEST_CASE_TEMPLATE("control: a skip may end an alarm of a bound", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  transaction_bounds bounds;
  bounds.queue.elements_max = 2;
  const auto pinned
    = on.accept({"t1", events_json({"$1", "$2"}), "a", bounds}).pinned;
  REQUIRE(on.row_of()->near_bounds != 0);
  skip_transaction request;
  request.appservice = {"a"};
  request.id = pinned->id;
  request.bounds = bounds;
  const auto skipped = must(on.ask(operations::skip, request));
  CHECK(skipped.bounds.near_before != 0);
  CHECK(skipped.bounds.near_now == 0);
  CHECK(on.row_of()->near_bounds == 0);
}

TEST_CASE_TEMPLATE("control: a damaged transaction is skipped all the same",
                   Where, WEIR_EVERY_STORE) {
  for (const bool lost : {false, true}) {
    CAPTURE(lost);
    house<Where> on;
    const auto pinned = on.accept_events("t1", {"$1", "$2", "$3"}).pinned;
    on.accept_events("t2", {"$4"});
    damage(on, 2, lost);
    REQUIRE(on.load().corrupt);
    const auto skipped = skip(on, pinned->id);
    CHECK(skipped.result == command_result::done);
    CHECK(skipped.elements == (lost ? 2 : 3));
    REQUIRE(skipped.next);
    CHECK(ids_in(skipped.next->body.view()) == ids_between(4, 4));
    CHECK_FALSE(on.load().corrupt);
    on.settle(skipped.next->id);
    check_empty(*on.row_of());
  }
}

TEST_CASE_TEMPLATE("control: a damaged transaction gets another id", Where,
                   WEIR_EVERY_STORE) {
  for (const bool lost : {false, true}) {
    CAPTURE(lost);
    house<Where> on;
    const auto pinned = on.accept_events("t1", {"$1", "$2", "$3"}).pinned;
    damage(on, 2, lost);
    const auto retired = skip(on, pinned->id, true);
    CHECK(retired.result == command_result::done);
    REQUIRE(retired.next);
    CHECK(retired.next->id != pinned->id);
    CHECK(retired.next->events == (lost ? 2 : 3));
    CHECK(on.letters().empty());
    CHECK_FALSE(on.load().corrupt);
    on.settle(retired.next->id);
    check_empty(*on.row_of());
  }
}

TEST_CASE_TEMPLATE("control: a transaction that is whole is not retired", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto pinned = on.accept_events("t1", {"$1"}).pinned;
  const auto before = on.row_of();
  CHECK(skip(on, pinned->id, true).result == command_result::not_damaged);
  CHECK(on.row_of() == before);
  CHECK(commands(on).empty());
}
