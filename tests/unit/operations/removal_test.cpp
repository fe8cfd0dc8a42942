#include "actors/operations/export_pages.hpp"
#include "actors/operations/removal.hpp"
#include "tests/unit/operations/fixture.hpp"

#include <set>

using namespace weir;
using namespace weir::test;

namespace {

/// Something of `to` in every table.
template <class Where>
void fill(house<Where>& on, const std::string& to = "a", size_t events = 3) {
  on.accept({"t-" + to, events_json(ids_between(1, events)), to});
  on.accept(
    {"u-" + to,
     R"({"ephemeral":[{"type":"m.typing","room_id":"!r","content":{}}]})", to});
  must(on.ask(operations::submit, submit_of({7, 8}, to)));
  must(on.ask(
    [&](store& db, batch_context&, int) -> expected<stored> {
      for (const std::string bytes : {"[1]", "[2]"}) {
        dead_letter_row row;
        row.appservice = {to};
        row.item.keys = "events";
        row.item.bytes = event_bytes{bytes};
        must(db.keep().bury(row));
      }
      return stored{};
    },
    0));
  quarantine_body body;
  body.appservice = {to};
  body.body = shared_bytes{std::string{"\xff\0{", 3}};
  must(on.ask(operations::quarantine, body));
  publish_status status;
  status.queue = "appservice/" + to;
  status.state = "flowing";
  must(on.ask(operations::publish, status));
}

template <class Where>
removal_done remove(house<Where>& on, const std::string& mark = {},
                    const std::string& id = "a",
                    milliseconds kept_for = milliseconds{0}) {
  return must(on.ask(operations::remove,
                     remove_appservice{{id}, mark, "ada", kept_for, {}}));
}

/// Until nothing is left; how many rows went.
template <class Where>
uint64_t remove_all(house<Where>& on) {
  uint64_t rows = 0;
  for (int each = 0; each < 100; ++each) {
    const auto done = remove(on);
    CHECK(done.result == removal_result::removed);
    CHECK(done.rows <= limits::remove_rows_max);
    rows += done.rows;
    if (!done.more)
      return rows;
  }
  FAIL("it does not end");
  return 0;
}

/// Every line of an export of `id`.
template <class Where>
export_page export_all(house<Where>& on, const std::string& id = "a") {
  auto reader = on.where.connect_reader();
  export_page all;
  read_export request{{id}, export_part::owed, 0};
  for (int each = 0; each < 100; ++each) {
    auto page = must(read_export_page(*reader, request));
    all.known = page.known;
    std::ranges::move(page.owed, std::back_inserter(all.owed));
    std::ranges::move(page.letters, std::back_inserter(all.letters));
    std::ranges::move(page.bodies, std::back_inserter(all.bodies));
    all.end = page.end;
    if (page.end || !page.known)
      return all;
    request.part = page.next_part;
    request.after = page.next_after;
  }
  FAIL("it does not end");
  return all;
}

template <class Where>
kept_counts kept(house<Where>& on, const std::string& id = "a") {
  return must(on.where.connect_reader()->kept_by({id}));
}

} // namespace

TEST_CASE_TEMPLATE("removal: all of an appservice goes, and of no other", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  fill(on);
  fill(on, "b");
  const auto others = on.owed("b");
  // 3 events, 2 by the second door, a notice, 2 orderings, 2 inbound ids, what
  // was seen of 3 events, 2 letters, a body: rows of that are tables' own.
  CHECK(remove_all(on) >= 11);
  CHECK(!on.row_of());
  CHECK(kept(on).letters == 0);
  CHECK(kept(on).bodies == 0);
  CHECK(!must(on.where.connect_reader()->queue({"a"})));
  CHECK(on.owed("b") == others);
  CHECK(kept(on, "b").letters == 2);
  CHECK(kept(on, "b").bodies == 1);
  CHECK(must(on.where.connect_reader()->queue({"b"}))->status.has_value());
  CHECK(remove(on).result == removal_result::nothing);
}

TEST_CASE_TEMPLATE("removal: who comes back under the id starts clean", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  fill(on);
  const auto before = on.row_of().value();
  SUBCASE("when all is gone") {
    remove_all(on);
  }
  SUBCASE("while rows of it still go") {
    CHECK(remove(on).more);
  }
  // The same ids and orderings are new again, and are pinned anew.
  const auto again = on.accept({"t-a", events_json(ids_between(1, 3))});
  CHECK(again.result == accept_result::stored);
  CHECK(again.elements == 3);
  REQUIRE(again.pinned);
  CHECK(again.pinned->id != before.pinned->id);
  CHECK(on.submit({7, 8}).elements == 2);
  const auto now = on.row_of().value();
  CHECK(now.no != before.no);
  CHECK(now.next_txn > before.next_txn);
  // A message that was under way since before means nothing to it.
  CHECK(now.acked + 1 == before.next_seq);
  CHECK(now.owed_events == 5);
  CHECK(now.removed_at == stored_time{});
  while (must(on.ask(operations::remove_next, continue_removals{})).more) {
  }
  CHECK(on.owed().size() == 5);
}

TEST_CASE_TEMPLATE("removal: the new one's letters outlive the old removal",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  fill(on);
  CHECK(remove(on).more);
  fill(on);
  const auto next = kept(on).last_letter;
  while (must(on.ask(operations::remove_next, continue_removals{})).more) {
  }
  CHECK(kept(on).letters > 0);
  CHECK(kept(on).last_letter == next);
  CHECK(on.row_of().has_value());
}

TEST_CASE_TEMPLATE("removal: transaction ids are never given again", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  std::set<std::string> given;
  for (int each = 0; each < 4; ++each) {
    const auto first = on.accept_events("t1", {"$1"});
    REQUIRE(first.pinned);
    CHECK(given.insert(first.pinned->id.value).second);
    const auto next = on.accept_events("t2", {"$2"});
    const auto settled = on.settle(first.pinned->id);
    REQUIRE(settled.next);
    CHECK(given.insert(settled.next->id.value).second);
    remove_all(on);
  }
}

TEST_CASE_TEMPLATE("removal: a start goes on with what was begun", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  fill(on);
  CHECK(remove(on).more);
  on.open();
  CHECK(!on.row_of());
  auto done = must(on.ask(operations::remove_next, continue_removals{}));
  CHECK(done.appservice == appservice_id{"a"});
  while (done.more)
    done = must(on.ask(operations::remove_next, continue_removals{}));
  CHECK(done.result == removal_result::nothing);
  CHECK(remove(on).result == removal_result::nothing);
}

TEST_CASE_TEMPLATE("removal: a commit takes so many rows", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  for (int each = 0; each < 6; ++each)
    on.accept_events("t" + std::to_string(each),
                     ids_between(static_cast<uint64_t>(each) * 100 + 1,
                                 static_cast<uint64_t>(each) * 100 + 100));
  const auto first = remove(on);
  CHECK(first.rows == limits::remove_rows_max);
  CHECK(first.more);
  CHECK(remove_all(on) >= 100);
}

TEST_CASE_TEMPLATE("removal: an export has all of it, and its mark", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  fill(on, "a", 250);
  fill(on, "b");
  const auto all = export_all(on);
  CHECK(all.known);
  CHECK(all.owed == on.owed());
  CHECK(all.owed.size() == 252);
  REQUIRE(all.letters.size() == 2);
  CHECK(all.letters[0].item.bytes == "[1]");
  REQUIRE(all.bodies.size() == 1);
  CHECK(all.bodies[0].body == std::string{"\xff\0{", 3});
  REQUIRE(all.end);
  CHECK(all.end->owed == 252);
  CHECK(all.end->kept.letters == 2);
  CHECK(all.end->kept.bodies == 1);
  CHECK(remove(on, all.end->mark).result == removal_result::removed);
  CHECK(!export_all(on).known);
}

TEST_CASE_TEMPLATE("removal: what is not as it was exported is not deleted",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  fill(on);
  const auto mark = export_all(on).end->mark;
  SUBCASE("something came") {
    on.accept_events("late", {"$late"});
  }
  SUBCASE("something was delivered") {
    on.settle(on.row_of()->pinned->id);
  }
  SUBCASE("something was buried") {
    must(on.ask(operations::drop, drop_letters{{"a"}, {{1}, 0, 0}, "", {}}));
  }
  SUBCASE("it is another") {
    remove_all(on);
    fill(on);
  }
  const auto owed = on.owed();
  const auto told = remove(on, mark);
  CHECK(told.result == removal_result::changed);
  CHECK(told.rows == 0);
  CHECK(on.owed() == owed);
}

TEST_CASE_TEMPLATE("removal: for its age alone it goes when it is due", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  fill(on);
  const auto long_ago = [&](bool is_gone) {
    must(
      on.ask(operations::note, note_removed{{{"a"}, {"none"}}, is_gone, {}}));
  };
  CHECK(remove(on, {}, "a", 1ms).result == removal_result::kept);
  long_ago(true);
  const auto since = on.row_of()->removed_at;
  CHECK(since != stored_time{});
  long_ago(true); // The first time counts.
  CHECK(on.row_of()->removed_at == since);
  CHECK(remove(on, {}, "a", 24h).result == removal_result::kept);
  SUBCASE("it came back") {
    SUBCASE("as it was noted") {
      long_ago(false);
    }
    SUBCASE("by a reload or a start") {
      must(on.ask(operations::adopt, adopt_queues{{{"a"}}, {}}));
    }
    CHECK(on.row_of()->removed_at == stored_time{});
    CHECK(remove(on, {}, "a", 1ms).result == removal_result::kept);
  }
  SUBCASE("it is due") {
    on.change_queue([](queue_row& row) { row.removed_at.ms -= 86'400'000; });
    CHECK(remove(on, {}, "a", 24h).result == removal_result::removed);
  }
}

TEST_CASE_TEMPLATE("removal: pages name every queue and since when", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  must(on.ask(operations::adopt, adopt_queues{{{"a"}, {"b"}, {"c"}}, {}}));
  must(on.ask(operations::note, note_removed{{{"b"}}, true, {}}));
  const auto page = must(on.ask(operations::held, list_held{{"a"}, {}}));
  REQUIRE(page.queues.size() == 2);
  CHECK(page.last);
  CHECK(page.queues[0].id == appservice_id{"b"});
  CHECK(page.queues[0].removed_at == on.row_of("b")->removed_at);
  CHECK(page.queues[1].removed_at == stored_time{});
  CHECK(page.now >= page.queues[0].removed_at);
}

TEST_CASE_TEMPLATE("removal: who did it is told, and nothing of before", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  fill(on);
  must(on.ask(operations::drop, drop_letters{{"a"}, {{1}, 0, 0}, "bob", {}}));
  remove_all(on);
  const auto told = must(on.where.connect_reader()->commands(INT64_MAX, 100));
  REQUIRE(told.size() == 1);
  CHECK(told[0].verb == "remove");
  CHECK(told[0].by == "ada");
  CHECK(told[0].target == "appservice/a");
}
