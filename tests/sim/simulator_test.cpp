#include "actors/trace/reader.hpp"
#include "actors/trace/recorder.hpp"
#include "tests/sim/backend.hpp"
#include "tests/sim/disk.hpp"
#include "tests/sim/shrink.hpp"
#include "tests/sim/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <sstream>

using namespace weir;
using namespace weir::sim;

namespace {

run_options telling(store_kind store) {
  run_options how;
  how.store = store;
  how.tell = true;
  return how;
}

std::string bytes_on(disk& of, const char* name) {
  const auto all = of.copy();
  const auto found = all.find(name);
  return found == all.end() ? "" : found->second;
}

/// One writer on a disk, with one queue.
struct sqlite_store {
  std::unique_ptr<backend> database = make_backend(store_kind::sqlite);
  std::unique_ptr<store> open = std::move(database->open().value());
  slot_lease lease = open->take_slot(1, "test", 7).value();

  bool adopt(const std::string& id) {
    return open->begin(lease, 1).has_value()
      && open->outbox().adopt_queue({id}).has_value()
      && open->commit().has_value();
  }
  void die() {
    open.reset();
  }
  size_t queues() {
    return database->books().size();
  }
};

} // namespace

TEST_CASE("simulator: the same seed gives the same history") {
  for (const auto store : {store_kind::memory, store_kind::sqlite})
    for (const uint64_t seed : {3U, 8U, 21U}) {
      const auto first = run_plan(make_plan(seed), telling(store));
      const auto again = run_plan(make_plan(seed), telling(store));
      CHECK(first.history == again.history);
      CHECK(first.lines == again.lines);
      CHECK(first.lines.size() > 50);
    }
}

TEST_CASE("simulator: other seeds give other histories") {
  CHECK(run_plan(make_plan(1), {}).history
        != run_plan(make_plan(2), {}).history);
}

TEST_CASE("simulator: a plan has traffic and faults of many kinds") {
  std::set<act> kinds;
  for (uint64_t seed = 1; seed <= 100; ++seed)
    for (const auto& line : make_plan(seed).entries)
      kinds.insert(line.what);
  CHECK(kinds.size() == static_cast<size_t>(act::remove_bridge) + 1);
}

TEST_CASE("simulator: a run leaves a trace that can be read") {
  const auto lines = std::make_shared<trace::memory_sink>();
  const auto of = make_plan(4);
  const auto quiet = run_plan(of, {});
  trace::start(lines, {});
  const auto traced = run_plan(of, {});
  trace::stop();
  CHECK(traced.history == quiet.history); // It changes nothing.
  std::stringstream file;
  for (const auto& line : lines->lines())
    file << line << '\n';
  const auto read = trace::load(file);
  REQUIRE(read.has_value());
  size_t of_queues = 0;
  for (const auto& each : read.value().records)
    of_queues += each.actor.starts_with("appservice/") ? 1 : 0;
  CHECK(of_queues > 20);
}

namespace {

/// What a plan of which only these lines are left comes to. They found a fault,
/// of Weir or of its checkers, that was mended.
void passes(uint64_t seed, const kept_lines& lines) {
  for (const auto store : {store_kind::memory, store_kind::sqlite}) {
    run_options how;
    how.store = store;
    const auto result = run_plan(only(make_plan(seed), lines), how);
    REQUIRE(result.faults > 0); // Else the seed means another plan by now.
    if (result.found)
      FAIL(result.found->rule << ": " << result.found->what);
  }
}

} // namespace

TEST_CASE("simulator: the end of the transport once doubled a pause") {
  passes(207, {8, 11});
  passes(30117, {1, 9});
}

TEST_CASE("simulator: a pause that a ping had ended once came back") {
  passes(20161, {29, 31, 32, 33, 34});
}

TEST_CASE("simulator: an episode once outlived a send at the moment of the end "
          "of its pause") {
  passes(90434, {0, 1, 2, 3, 5, 6, 7, 10, 12, 38, 39});
}

TEST_CASE("simulator: what came in during a skip once waited for a scan") {
  passes(7025544, {8, 18, 28});
  passes(7125259, {0, 3, 37});
}

TEST_CASE("simulator: a reload once left the pause of a queue without actor") {
  passes(7020522, {22, 36, 39, 40, 48, 49, 50, 51});
}

TEST_CASE("simulator: an old wake once outlived the removal of its bridge") {
  passes(7120830, {1, 3, 9, 11, 58});
  passes(7232527, {1, 16, 17, 27, 53});
}

TEST_CASE("simulator: what a homeserver had offered before its restart once "
          "outlived the removal of its bridge") {
  passes(7232439, {0, 1, 12, 13, 34});
}

TEST_CASE("simulator: a store that is away while the node starts delays the "
          "start by a scan") {
  passes(7706464, {0, 1, 7, 9, 10});
}

TEST_CASE("simulator: what was too big in a future that was taken back may "
          "still be suspect") {
  passes(7723055, {0, 1, 4, 5, 7, 10, 14, 17, 18});
}

TEST_CASE(
  "simulator: a wish whose commit was lost twice is expected of nobody") {
  passes(7038621, {5, 6, 7, 21, 24, 33, 34, 36, 39, 42, 43, 45, 46, 49, 61});
}

TEST_CASE("shrink: what does not matter goes") {
  auto of = make_plan(5);
  const auto lines = all_lines(of);
  REQUIRE(lines.size() > 20);
  // Only these two lines together fail.
  const auto a = of.entries[3];
  const auto b = of.entries[17];
  const auto fails = [&](const plan& fewer) {
    const auto& all = fewer.entries;
    return std::find(all.begin(), all.end(), a) != all.end()
      && std::find(all.begin(), all.end(), b) != all.end();
  };
  CHECK(shrink(of, lines, fails, 1'000) == kept_lines{3, 17});
}

TEST_CASE("shrink: it ends when it has tried often enough") {
  size_t runs = 0;
  const auto of = make_plan(5);
  const auto never = [&](const plan&) { return ++runs == 0; };
  CHECK(shrink(of, all_lines(of), never, 3) == all_lines(of));
  CHECK(runs == 3);
}

TEST_CASE("sim_disk: a power cut takes what was not flushed") {
  sqlite_store on;
  REQUIRE(on.adopt("kept"));
  REQUIRE(on.open->begin(on.lease, 1).has_value() == false); // Moved already.
  on.lease.pos += 1;
  REQUIRE(on.open->begin(on.lease, 1).has_value());
  REQUIRE(on.open->outbox().adopt_queue({"lost"}).has_value());
  on.database->cut_power([](size_t writes) { return writes; });
  on.die();
  CHECK(on.queues() == 1);
}

TEST_CASE("sim_disk: a commit outlives the power") {
  sqlite_store on;
  REQUIRE(on.adopt("kept"));
  on.database->cut_power([](size_t) { return size_t{0}; });
  on.die();
  CHECK(on.queues() == 1);
}

TEST_CASE("sim_disk: a process that ends is not cleaned up after") {
  sqlite_store on;
  REQUIRE(on.adopt("kept"));
  on.database->end_process();
  on.die();
  CHECK(on.queues() == 1);
}

TEST_CASE("sim_disk: a full disk refuses and what was there stays") {
  sqlite_store on;
  REQUIRE(on.adopt("kept"));
  on.lease.pos += 1;
  on.database->set_full(true);
  CHECK_FALSE(on.adopt("refused"));
  on.open->rollback();
  on.database->set_full(false);
  CHECK(on.adopt("taken"));
  CHECK(on.queues() == 2);
}

TEST_CASE("sim_disk: a flush that fails leaves a doubt") {
  sqlite_store on;
  REQUIRE(on.open->begin(on.lease, 1).has_value());
  REQUIRE(on.open->outbox().adopt_queue({"perhaps"}).has_value());
  on.database->fail_next_flush();
  const auto done = on.open->commit();
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code == ec::in_doubt);
}

TEST_CASE("sim_disk: an old copy can be put back") {
  sqlite_store on;
  REQUIRE(on.adopt("old"));
  const auto copied = on.database->copy();
  on.lease.pos += 1;
  REQUIRE(on.adopt("new"));
  on.die();
  on.database->put_back(copied);
  CHECK(on.queues() == 1);
}

TEST_CASE("sim_disk: files are there until they are removed") {
  disk on;
  CHECK(on.open("a", false) == nullptr);
  on.open("a", true);
  CHECK_FALSE(on.exists("a")); // Nothing is in it.
  CHECK(bytes_on(on, "a").empty());
  CHECK(on.remove("a"));
  CHECK_FALSE(on.remove("a"));
}

TEST_CASE("sim_books: rows and sums that differ are found") {
  queue_books books;
  books.id = "a";
  books.next_seq = 4;
  books.acked = 1;
  books.owed_events = books.event_rows = 2;
  books.owed_bytes = books.row_bytes = 10;
  books.first_seq = 2;
  books.last_seq = 3;
  books.pinned = true;
  CHECK(fault_in(books).empty());
  const auto broken = [&](auto change) {
    auto other = books;
    change(other);
    return !fault_in(other).empty();
  };
  CHECK(broken([](auto& of) { of.owed_events = 1; }));
  CHECK(broken([](auto& of) { of.owed_others = 1; }));
  CHECK(broken([](auto& of) { of.row_bytes = 9; }));
  CHECK(broken([](auto& of) { of.acked = 2; }));
  CHECK(broken([](auto& of) { of.next_seq = 3; }));
  CHECK(broken([](auto& of) { of.pinned = false; }));
  CHECK(broken([](auto& of) { of.waiting = 1; }));
  CHECK(broken([](auto& of) { of.waiting_row_bytes = 1; }));
}
