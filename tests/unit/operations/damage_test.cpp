#include "tests/unit/operations/fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// Puts another row in the place of one that is owed, behind Weir's back.
template <class Where, class Change>
void tamper(house<Where>& on, uint64_t seq, Change change) {
  const auto no = on.row_of()->no;
  auto rows = on.owed();
  must(on.ask(
    [&](store& db, batch_context&, const int&) -> expected<stored> {
      auto row = rows.at(seq - 1);
      const std::vector<lane_range> one{{row.item.kind, seq, seq}};
      WEIR_TRY(auto removed, db.outbox().remove(no, one));
      WEIR_ASSERT(removed == 1);
      if (change(row)) {
        const std::vector changed{row};
        WEIR_TRY(db.outbox().append(no, changed));
      }
      return stored{};
    },
    0));
}

template <class Where>
void check_corrupt(house<Where>& on) {
  const auto before = on.row_of();
  const auto loaded = on.load();
  CHECK(loaded.corrupt);
  CHECK(!loaded.pinned);
  // Finding it changes nothing, and nor does what is accepted later.
  CHECK(on.row_of() == before);
  const auto later = on.accept_events("later", {"$later"});
  CHECK(later.result == accept_result::stored);
  CHECK(!later.pinned);
  CHECK(on.load().corrupt);
}

const std::string two_lanes
  = R"({"events":[{"event_id":"$1"},{"event_id":"$2"}],"ephemeral":[{"a":1}]})";

} // namespace

TEST_CASE_TEMPLATE("damage: other bytes than the pinned ones are not rendered",
                   Where, WEIR_EVERY_STORE) {
  const std::vector<std::function<void(owed_row&)>> changes{
    [](owed_row& row) { row.item.bytes[2] = 'x'; },
    [](owed_row& row) { row.item.bytes += ' '; },
    [](owed_row& row) { row.item.bytes.clear(); }};
  for (const auto& change : changes) {
    house<Where> on;
    on.accept({"t1", two_lanes});
    tamper(on, 2, [&](owed_row& row) {
      change(row);
      return true;
    });
    check_corrupt(on);
  }
}

TEST_CASE_TEMPLATE("damage: a key under which nothing was promised is seen",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept({"t1", two_lanes});
  tamper(on, 3, [](owed_row& row) {
    row.item.keys = "to_device";
    return true;
  });
  check_corrupt(on);
}

TEST_CASE_TEMPLATE("damage: a row that is gone or moved is seen", Where,
                   WEIR_EVERY_STORE) {
  {
    house<Where> on;
    on.accept({"t1", two_lanes});
    tamper(on, 1, [](owed_row&) { return false; });
    check_corrupt(on);
  }
  house<Where> on;
  on.accept({"t1", two_lanes});
  tamper(on, 1, [](owed_row& row) {
    row.item.kind = lane::to_device;
    row.item.keys = "to_device";
    return true;
  });
  check_corrupt(on);
}

TEST_CASE_TEMPLATE("damage: a pin that was altered is seen", Where,
                   WEIR_EVERY_STORE) {
  const std::vector<std::function<void(pin&)>> changes{
    [](pin& of) { of.sha256[0] = of.sha256[0] == '0' ? '1' : '0'; },
    [](pin& of) { of.format = 99; }, [](pin& of) { of.lanes[0].last -= 1; },
    [](pin& of) { of.lanes.pop_back(); }, [](pin& of) { of.events += 1; }};
  for (const auto& change : changes) {
    house<Where> on;
    on.accept({"t1", two_lanes});
    on.change_queue([&](queue_row& row) { change(*row.pinned); });
    check_corrupt(on);
  }
}

TEST_CASE_TEMPLATE("damage: rows that are owed and not there are seen", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  on.settle(on.accept_events("t1", {"$1"}).pinned->id);
  on.change_queue([](queue_row& row) { row.owed_events = 1; });
  const auto loaded = on.load();
  CHECK(loaded.corrupt);
  CHECK(!loaded.pinned);
}

TEST_CASE_TEMPLATE("damage: rows lost in flight do not pass for delivered",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto pinned = on.accept({"t1", two_lanes}).pinned.value();
  tamper(on, 1, [](owed_row&) { return false; });
  settle_transaction request;
  request.appservice = {"a"};
  request.id = pinned.id;
  const auto before = on.row_of();
  CHECK(code_of(on.ask(operations::settle, request)) == ec::corrupt);
  CHECK(on.row_of() == before);
  CHECK(on.owed().size() == 2);
}

TEST_CASE_TEMPLATE("damage: one damaged queue does not disturb another", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept({"t1", two_lanes});
  const auto pinned = on.accept({"t1", two_lanes, "b"}).pinned.value();
  tamper(on, 1, [](owed_row&) { return false; });
  CHECK(on.load().corrupt);
  CHECK(on.load("b").pinned->body == pinned.body);
  CHECK(!on.settle(pinned.id, settlement::delivered, "b").not_current);
}
