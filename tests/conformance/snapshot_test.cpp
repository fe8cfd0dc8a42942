#include "tests/conformance/token_world.hpp"

#include <algorithm>
#include <map>
#include <random>

// What a read by a token gets. B-numbers are those of docs/stream-tokens.md.

using namespace weir;
using namespace weir::test;

namespace {

using place_list = std::vector<std::pair<uint32_t, uint64_t>>;
using client = feed_client;

token_standing refused(token_refusal why) {
  return {why, {}};
}

} // namespace

TEST_CASE_TEMPLATE("snapshot: B-22 the slots and all rows are of one commit",
                   Where, WEIR_EVERY_STORE) {
  Where where;
  auto writer = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  writer.write(2);
  const auto open = client::opened(*reader, {});
  writer.write(3);
  const auto first = client::page_of(open, 100);
  writer.write();
  const auto second = client::page_of(open, 100);
  CHECK(places(first.rows) == place_list{{1, 1}, {1, 2}});
  CHECK(first.at.pos_of(1) == 2);
  CHECK(places(second.rows) == places(first.rows));
  CHECK(second.next == first.next);
}

TEST_CASE_TEMPLATE(
  "snapshot: B-22 rows that are forgotten meanwhile stay in it", Where,
  WEIR_EVERY_STORE) {
  Where where;
  auto writer = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  const auto token = client::cursor_at({});
  writer.write(3);
  const auto open = client::opened(*reader, client::since(token));
  writer.forget(0);
  CHECK(places(client::page_of(open, 100).rows)
        == place_list{{1, 1}, {1, 2}, {1, 3}});
}

TEST_CASE_TEMPLATE("snapshot: rows are those that were recorded", Where,
                   WEIR_EVERY_STORE) {
  Where where;
  auto writer = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  outcome_row row{1, 1, "appservice/b", "x-9", "dead_letter", "why", 7, noon};
  must(writer.db->begin(writer.lease, 1));
  must(writer.db->outcomes().record(row));
  must(writer.db->commit());
  const auto told = client::read(*reader, {});
  REQUIRE(told.rows.size() == 1);
  CHECK(told.rows[0] == row);
}

TEST_CASE_TEMPLATE("snapshot: B-27 the token of a write is satisfied at once",
                   Where, WEIR_EVERY_STORE) {
  Where where;
  auto writer = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  for (int round = 0; round < 3; ++round) {
    const auto token = client::bound_at(writer.write(2));
    const auto told = client::read(*reader, client::after(token));
    CHECK(told.at.pos_of(1) == writer.lease.pos);
    CHECK(told.rows.back().pos == writer.lease.pos);
  }
}

TEST_CASE_TEMPLATE("snapshot: B-5 a position that is not there yet is behind",
                   Where, WEIR_EVERY_STORE) {
  Where where;
  auto writer = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  writer.write(2);
  const auto next = client::after(client::bound_at({1, first_run, 3}));
  CHECK(client::stands(*reader, next) == token_standing{{}, slot_lag{1, 1}});
  CHECK(
    client::stands(
      *reader, client::since(client::cursor_at(vector_of({{1, first_run, 9}}))))
    == token_standing{{}, slot_lag{1, 7}});
  // Nothing stayed open: the reader is free, and the next look sees more.
  must(reader->now());
  writer.write();
  CHECK(client::stands(*reader, next).covered());
}

TEST_CASE_TEMPLATE("snapshot: an open batch is not seen", Where,
                   WEIR_EVERY_STORE) {
  Where where;
  auto writer = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  writer.write();
  writer.begin(1);
  const auto told = client::read(*reader, {});
  CHECK(told.at.pos_of(1) == 1);
  CHECK(places(told.rows) == place_list{{1, 1}});
  writer.commit(1);
}

TEST_CASE_TEMPLATE("snapshot: T9 a slot or a run that is not known is refused",
                   Where, WEIR_EVERY_STORE) {
  Where where;
  auto writer = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  writer.write(5);
  writer = writer_on(where, 1, first_run + 1);
  writer.write();
  const auto stands = [&](uint32_t slot, uint64_t run, uint64_t pos) {
    return client::stands(*reader,
                          client::after(client::bound_at({slot, run, pos})));
  };
  CHECK(stands(1, first_run, 5).covered());
  CHECK(stands(1, first_run + 1, 6).covered());
  CHECK(stands(1, first_run, 6) == refused(token_refusal::beyond_run));
  CHECK(stands(1, first_run + 2, 1) == refused(token_refusal::unknown_run));
  CHECK(stands(1, UINT64_MAX, 1) == refused(token_refusal::unknown_run));
  CHECK(stands(2, first_run, 1) == refused(token_refusal::unknown_slot));
  CHECK(stands(UINT32_MAX, first_run, 1)
        == refused(token_refusal::unknown_slot));
}

TEST_CASE_TEMPLATE("snapshot: each token of a request is judged by itself",
                   Where, WEIR_EVERY_STORE) {
  Where where;
  auto writer = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  writer.write(5);
  const auto known = client::cursor_at(vector_of({{1, first_run, 5}}));
  const auto lost = client::bound_at({1, first_run + 9, 4});
  const auto ahead = client::bound_at({1, first_run, 7});
  auto demand = client::since(known);
  demand.after = client::after(lost).after;
  CHECK(client::stands(*reader, demand) == refused(token_refusal::unknown_run));
  demand.after = client::after(ahead).after;
  CHECK(client::stands(*reader, demand) == token_standing{{}, slot_lag{1, 2}});
  demand.after = client::after(known).after;
  CHECK(client::stands(*reader, demand).covered());
  demand = client::since(client::cursor_at(vector_of({{1, first_run + 9, 4}})));
  demand.after = client::after(ahead).after;
  CHECK(client::stands(*reader, demand) == refused(token_refusal::unknown_run));
}

TEST_CASE_TEMPLATE("snapshot: B-7 of a slot that joins later nothing is missed",
                   Where, WEIR_EVERY_STORE) {
  Where where;
  auto first = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  first.write(2);
  const auto before = client::read(*reader, {});
  auto joined_later = writer_on(where, 3, first_run);
  joined_later.write(2);
  const auto told = client::read(*reader, client::since(before.next));
  CHECK(places(told.rows) == place_list{{3, 1}, {3, 2}});
}

TEST_CASE_TEMPLATE("snapshot: B-8 a slot that nobody beats is read like others",
                   Where, WEIR_EVERY_STORE) {
  Where where;
  auto lasting = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  std::string token;
  {
    auto dying = writer_on(where, 2, first_run);
    dying.write(4);
    token = client::read(*reader, {}).next;
  }
  lasting.write();
  const auto told = client::read(*reader, client::since(token));
  CHECK(places(told.rows) == place_list{{1, 1}});
  auto next = writer_on(where, 2, first_run + 1);
  CHECK(next.lease.pos == 4);
  next.write();
  CHECK(places(client::read(*reader, client::since(told.next)).rows)
        == place_list{{2, 5}});
}

TEST_CASE_TEMPLATE("snapshot: B-10 what is rolled back leaves no gap", Where,
                   WEIR_EVERY_STORE) {
  Where where;
  auto writer = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  const auto token = client::cursor_at(vector_of({writer.write(2)}));
  writer.begin(1);
  writer.db->rollback();
  writer.write();
  CHECK(places(client::read(*reader, client::since(token)).rows)
        == place_list{{1, 3}});
}

TEST_CASE("snapshot: B-11 a slow commit is read once it is there, and once") {
  // Only PostgreSQL lets two slots write at one time.
  on_postgresql where;
  auto slow = writer_on(where, 1, first_run);
  auto fast = writer_on(where, 2, first_run);
  auto reader = where.connect_reader();
  slow.write();
  slow.begin(1);
  fast.write();
  const auto between = client::read(*reader, {});
  CHECK(between.at == vector_of({{1, first_run, 1}, {2, first_run, 1}}));
  slow.commit(1);
  const auto then = client::read(*reader, client::since(between.next));
  CHECK(places(then.rows) == place_list{{1, 2}});
  CHECK(client::read(*reader, client::since(then.next)).rows.empty());
}

TEST_CASE_TEMPLATE("snapshot: B-21 pages go on while rows are added", Where,
                   WEIR_EVERY_STORE) {
  Where where;
  auto one = writer_on(where, 1, first_run);
  auto two = writer_on(where, 2, first_run);
  auto reader = where.connect_reader();
  one.write(40);
  two.write(5);
  std::map<std::pair<uint32_t, uint64_t>, int> seen;
  std::string token = client::cursor_at({});
  for (int page = 0; page < 40; ++page) {
    auto told = client::read(*reader, client::since(token), 7);
    CHECK(told.rows.size() <= 7);
    for (const auto& place : places(told.rows))
      ++seen[place];
    token = told.next;
    if (page < 10) {
      one.write(2);
      two.write(1);
    } else if (!told.more) {
      break;
    }
  }
  CHECK(seen.size() == one.lease.pos + two.lease.pos);
  CHECK(std::ranges::all_of(seen,
                            [](const auto& each) { return each.second == 1; }));
}

TEST_CASE_TEMPLATE("snapshot: a slot that never ends keeps none waiting", Where,
                   WEIR_EVERY_STORE) {
  Where where;
  auto flood = writer_on(where, 1, first_run);
  auto quiet = writer_on(where, 2, first_run);
  auto reader = where.connect_reader();
  flood.write(50);
  quiet.write();
  const auto told = client::read(*reader, {}, 4);
  CHECK(told.more);
  CHECK(places(told.rows) == place_list{{1, 1}, {1, 2}, {2, 1}});
  // T12: only what was read moved.
  CHECK(
    told.next
    == client::cursor_at(vector_of({{1, first_run, 2}, {2, first_run, 1}})));
}

TEST_CASE_TEMPLATE("snapshot: what is handed out is at least what came in",
                   Where, WEIR_EVERY_STORE) {
  Where where;
  auto writer = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  writer.write(3);
  const auto first = client::read(*reader, {});
  const auto again = client::read(*reader, client::since(first.next));
  CHECK(again.rows.empty());
  CHECK(again.next == first.next);
  writer.write(0); // A batch without rows of the feed.
  const auto later = client::read(*reader, client::since(first.next));
  CHECK(later.rows.empty());
  CHECK(later.next == client::cursor_at(vector_of({{1, first_run, 4}})));
}

TEST_CASE_TEMPLATE("snapshot: the token of a write moves no listing", Where,
                   WEIR_EVERY_STORE) {
  Where where;
  auto writer = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  auto demand = client::since(client::cursor_at({}));
  demand.after = client::after(client::bound_at(writer.write(6))).after;
  const auto told = client::read(*reader, demand, 2);
  CHECK(told.next == client::cursor_at(vector_of({{1, first_run, 2}})));
}

TEST_CASE_TEMPLATE("snapshot: a token behind what was forgotten is expired",
                   Where, WEIR_EVERY_STORE) {
  Where where;
  auto one = writer_on(where, 1, first_run);
  auto two = writer_on(where, 2, first_run);
  auto reader = where.connect_reader();
  one.write(2);
  two.write(3);
  const auto early
    = client::cursor_at(vector_of({{1, first_run, 2}, {2, first_run, 1}}));
  const auto late
    = client::cursor_at(vector_of({{1, first_run, 2}, {2, first_run, 2}}));
  CHECK(client::stands(*reader, client::since(early)).covered());
  one.forget(1); // The two of slot 1 and two of slot 2.
  CHECK(client::stands(*reader, client::since(early))
        == refused(token_refusal::expired));
  const auto told = client::read(*reader, client::since(late));
  CHECK(places(told.rows) == place_list{{2, 3}});
  // Who has no token begins at what there is.
  CHECK(places(client::read(*reader, {}).rows) == place_list{{2, 3}});
  // No retention is asked of a token that only says how new a read must be.
  CHECK(client::stands(*reader, client::after(early)).covered());
  one.forget(0);
  CHECK(client::stands(*reader, client::since(late))
        == refused(token_refusal::expired));
  CHECK(client::stands(*reader, client::since(told.next)).covered());
}

TEST_CASE_TEMPLATE("snapshot: a page that ended before its run lasts", Where,
                   WEIR_EVERY_STORE) {
  Where where;
  auto reader = [&] {
    auto writer = writer_on(where, 1, first_run);
    writer.write(6);
    return where.connect_reader();
  }();
  auto writer = writer_on(where, 1, first_run + 1);
  const auto part = client::read(*reader, {}, 2);
  writer.write();
  writer = writer_on(where, 1, first_run + 2);
  const auto rest = client::read(*reader, client::since(part.next));
  CHECK(rest.rows.size() == 5);
  CHECK(rest.rows.front().pos == 3);
}

TEST_CASE_TEMPLATE("snapshot: B-20 no reader of many misses or repeats a row",
                   Where, WEIR_EVERY_STORE) {
  Where where;
  std::mt19937_64 random{20'261'130};
  std::vector<slot_writer> writers;
  for (uint32_t slot = 1; slot <= 3; ++slot)
    writers.push_back(writer_on(where, slot, first_run));
  std::vector<std::unique_ptr<store_reader>> nodes;
  for (int node = 0; node < 3; ++node)
    nodes.push_back(where.connect_reader());
  std::string token = client::cursor_at({});
  std::map<uint32_t, uint64_t> last;
  uint64_t written = 0;
  uint64_t rows = 0;
  uint64_t run = first_run;
  for (int request = 0; request < 300; ++request) {
    CAPTURE(request);
    const auto slot = random() % writers.size();
    if (random() % 40 == 0)
      writers[slot] = writer_on(where, static_cast<uint32_t>(slot + 1), ++run);
    const auto added = random() % 4;
    writers[slot].write(added);
    written += added;
    const auto told = client::read(*nodes[random() % nodes.size()],
                                   client::since(token), 1 + random() % 9);
    for (const auto& row : told.rows) {
      CHECK(row.pos > last[row.slot]);
      last[row.slot] = row.pos;
      ++rows;
    }
    token = told.next;
  }
  for (bool more = true; more;) {
    const auto told = client::read(*nodes[0], client::since(token));
    rows += told.rows.size();
    token = told.next;
    more = told.more;
  }
  CHECK(rows == written);
}
