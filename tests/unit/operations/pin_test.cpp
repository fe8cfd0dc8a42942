#include "tests/unit/operations/fixture.hpp"

#include "schema/hash.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

using namespace weir;
using namespace weir::test;

namespace {

/// What each id ever stood for. An id that is met with other bytes is the one
/// thing that must never be.
class promises {
public:
  /// True when the id is new.
  bool met(const owed_transaction& what) {
    const auto [entry, is_new]
      = bodies_.try_emplace(what.id.value, what.body.view());
    CHECK(entry->second == what.body.view());
    return is_new;
  }
  [[nodiscard]] size_t size() const {
    return bodies_.size();
  }

private:
  std::map<std::string, std::string> bodies_;
};

bool is_run_and_counter(const std::string& id) {
  const auto dash = id.find('-');
  const auto all_of = [&](size_t from, size_t to, std::string_view allowed) {
    return from < to
      && std::all_of(id.begin() + static_cast<std::ptrdiff_t>(from),
                     id.begin() + static_cast<std::ptrdiff_t>(to),
                     [&](char each) {
                       return allowed.find(each) != std::string_view::npos;
                     });
  };
  return dash == 12 && all_of(0, dash, "0123456789abcdef")
    && all_of(dash + 1, id.size(), "0123456789.");
}

/// Accepts and delivers, noting each id.
template <class Where>
void deliver(house<Where>& on, promises& known, uint64_t from, uint64_t count) {
  for (auto each = from; each < from + count; ++each) {
    auto pinned
      = on.accept_events("t" + std::to_string(each), ids_between(each, each))
          .pinned;
    REQUIRE(pinned);
    CHECK(known.met(*pinned));
    on.settle(pinned->id);
  }
}

} // namespace

TEST_CASE_TEMPLATE("pin: an id is a run and a counter and never repeats", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  promises known;
  const auto first = on.accept_events("t0", {"$0"}).pinned.value();
  CHECK(first.id.value == "1a2b3c4d5e6f-1.1");
  on.settle(first.id);
  known.met(first);
  deliver(on, known, 1, 600);
  on.open();
  deliver(on, known, 601, 400);
  CHECK(known.size() == 1'001);
  const auto last = on.accept_events("t", {"$last"}).pinned.value();
  CHECK(is_run_and_counter(last.id.value));
  CHECK(last.id.value == "1a2b3c4d5e70-1.1002");
}

TEST_CASE_TEMPLATE("pin: no two queues share an id", Where, WEIR_EVERY_STORE) {
  house<Where> on;
  // A bridge may be renamed, or have two registrations.
  const auto one = on.accept({"t1", events_json({"$1"}), "one", {}}).pinned;
  const auto renamed
    = on.accept({"t2", events_json({"$2"}), "renamed", {}}).pinned;
  CHECK(one->id != renamed->id);
}

TEST_CASE_TEMPLATE("pin: each way to end a transaction draws a new id", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  promises known;
  auto pinned = on.accept_events("t1", ids_between(1, 9)).pinned;
  for (const auto how :
       {settlement::bisected, settlement::split, settlement::bisected,
        settlement::dead_letter, settlement::delivered, settlement::split}) {
    CHECK(known.met(pinned.value()));
    pinned = on.settle(pinned->id, how).next;
  }
  CHECK(known.met(pinned.value()));
}

TEST_CASE_TEMPLATE("pin: the digest is that of what is sent", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto pinned = on.accept_events("t1", {"$1"}).pinned.value();
  const auto row = on.row_of().value();
  CHECK(row.pinned->sha256 == sha256_hex(pinned.body.view()));
  CHECK(row.pinned->format == transaction_format);
  const std::vector<lane_range> lanes{{lane::event, 1, 1}};
  CHECK(row.pinned->lanes == lanes);
  CHECK(pinned.body.view() == events_json({"$1"}));
}

TEST_CASE_TEMPLATE("pin: what is loaded is byte for byte what was pinned",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const std::string body = R"({"de.sorunome.msc2409.ephemeral": [{"b":1}],
    "events": [{"event_id":"$1", "n":-0, "n":1E400,"s":"\ud800\u00e9é"} ],
    "ephemeral": [{"b":1}], "org.matrix.msc3202.device_lists":{"left":["@a"]},
    "device_one_time_keys_count":{"@a":{"D":{}}}, "org.example":null})";
  auto pinned = on.accept({"t1", body}).pinned;
  // More of each kind behind it, and settings that have changed meanwhile.
  on.accept({"t2", body});
  on.accept({"t3", R"({"events":[{"event_id":"$3"}]})"});
  transaction_bounds small;
  small.events = 1;
  small.bytes = 1'000;
  size_t transactions = 0;
  while (pinned) {
    ++transactions;
    for (int starts = 0; starts < 2; ++starts) {
      on.open();
      const auto loaded = on.load("a", small);
      CHECK(!loaded.corrupt);
      REQUIRE(loaded.pinned);
      CHECK(loaded.pinned->id == pinned->id);
      CHECK(loaded.pinned->body == pinned->body);
      CHECK(loaded.pinned->elements == pinned->elements);
      CHECK(loaded.pinned->events == pinned->events);
      CHECK(loaded.pinned->first_seq == pinned->first_seq);
      CHECK(loaded.pinned->last_seq == pinned->last_seq);
    }
    pinned = on.settle(pinned->id).next;
  }
  CHECK(transactions == 3);
}

TEST_CASE_TEMPLATE("pin: owed rows without a pin are pinned by a load", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto first = on.accept_events("t1", {"$1"}).pinned.value();
  // No operation leaves this behind; an import or a repair may.
  on.change_queue([](queue_row& row) { row.pinned.reset(); });
  const auto loaded = on.load();
  REQUIRE(loaded.pinned);
  CHECK(loaded.pinned->id != first.id);
  CHECK(loaded.pinned->body == first.body);
  CHECK(on.load().pinned->id == loaded.pinned->id);
}

TEST_CASE_TEMPLATE("pin: a queue that owes nothing loads nothing", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  for (const auto& loaded : {on.load("nobody"), on.load()}) {
    CHECK(!loaded.pinned);
    CHECK(!loaded.corrupt);
    CHECK(loaded.rest == 0ms);
    CHECK(loaded.paused_by == pause_cause::none);
  }
}

TEST_CASE("pin: a database file that is put back repeats no id") {
  house<on_sqlite> on;
  promises known;
  deliver(on, known, 1, 20);
  // One is pinned, and others wait behind it, when the copy is made.
  const auto promised = on.accept_events("t21", {"$21"}).pinned.value();
  known.met(promised);
  on.accept_events("t22", {"$22"});
  on.close();
  const auto file = on.where.file.path();
  const auto copy = file.parent_path() / "yesterday.db";
  std::filesystem::copy_file(file, copy);

  on.open();
  on.settle(promised.id);
  CHECK(known.met(on.load().pinned.value()));
  on.settle(on.load().pinned->id);
  deliver(on, known, 23, 20);
  on.close();

  for (const auto* suffix : {"-wal", "-shm"})
    std::filesystem::remove(file.string() + suffix);
  std::filesystem::copy_file(copy, file,
                             std::filesystem::copy_options::overwrite_existing);
  on.open();
  // What was pinned in the copy goes again: the same id and the same bytes.
  auto pinned = on.load().pinned;
  CHECK(pinned->id == promised.id);
  CHECK(!known.met(*pinned));
  pinned = on.settle(pinned->id).next;
  CHECK(known.met(pinned.value()));
  on.settle(pinned->id);
  deliver(on, known, 43, 20);
}

TEST_CASE("pin: a copy put back under a running writer stops it") {
  house<on_memory> on;
  promises known;
  deliver(on, known, 1, 3);
  const auto yesterday = on.where.database.copy();
  deliver(on, known, 4, 3);
  on.where.database.restore(yesterday);
  const auto refused
    = on.ask(operations::accept, accept_of({"t9", events_json({"$9"})}));
  CHECK(code_of(refused) == ec::unavailable);
  on.open();
  CHECK(on.owed().empty());
  deliver(on, known, 10, 3);
}
