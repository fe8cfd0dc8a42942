#include "persistence/sql/connection.hpp"
#include "tests/conformance/stores.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// A plain connection to a PostgreSQL store.
sql::connection beside(const postgresql_database& database) {
  return {must(sql::parse_url(database.options().url)), sql::purpose::migrating,
          true};
}

/// A queue with `count` events of 14 bytes, seqs from 1.
template <class Where>
queue_no filled(world<Where>& on, uint64_t count, const std::string& id = "a") {
  const auto queue = on.adopted(id);
  std::vector<owed_row> rows;
  for (uint64_t seq = 1; seq <= count; ++seq)
    rows.push_back(event(seq));
  on.batch([&] { must(on.db->outbox().append(queue.no, rows)); });
  return queue.no;
}

std::vector<uint64_t> seqs(const std::vector<owed_row>& rows) {
  std::vector<uint64_t> found;
  for (const auto& row : rows)
    found.push_back(row.seq);
  return found;
}

using numbers = std::vector<uint64_t>;

} // namespace

TEST_CASE_TEMPLATE("outbox: a queue is adopted once", Where, WEIR_EVERY_STORE) {
  world<Where> on;
  on.batch([&] {
    CHECK(!must(on.db->outbox().lock_queue({"irc"})));
    const auto made = must(on.db->outbox().adopt_queue({"irc"}));
    CHECK(made.no > 0);
    auto fresh = queue_row{};
    fresh.no = made.no;
    fresh.id = {"irc"};
    CHECK(made == fresh);
    CHECK(must(on.db->outbox().adopt_queue({"irc"})) == made);
    CHECK(must(on.db->outbox().lock_queue({"irc"})) == made);
    CHECK(must(on.db->outbox().adopt_queue({"Irc"})).no != made.no);
  });
}

TEST_CASE_TEMPLATE("outbox: a saved queue comes back whole", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  auto row = on.adopted("a");
  const auto other = on.adopted("b");
  row.next_seq = 1'000'000'007;
  row.next_txn = 43;
  row.pinned = pin{{"1a2b-42"},
                   3,
                   {{lane::event, 5, 9}, {lane::other, 7, 7}},
                   std::string(64, 'f')};
  row.acked = 4;
  row.owed_events = 5;
  row.owed_others = 6;
  row.owed_bytes = uint64_t{1} << 40;
  row.delivered_stream_ordering = 99;
  row.not_before = noon;
  row.paused_by = pause_cause::peer;
  row.suspect_first = 5;
  row.suspect_last = 6;
  row.byte_cap = 4096;
  row.delivered_transactions = 42;
  row.delivered_events = 4200;
  row.waiting = 3;
  row.waiting_bytes = 333;
  row.merged = 11;
  row.dropped = 12;
  on.batch([&] { must(on.db->outbox().save_queue(row)); });
  on.batch([&] {
    CHECK(must(on.db->outbox().lock_queue({"a"})) == row);
    CHECK(must(on.db->outbox().lock_queue({"b"})) == other);
    row.pinned.reset();
    must(on.db->outbox().save_queue(row));
    CHECK(must(on.db->outbox().lock_queue({"a"})) == row);
  });
}

TEST_CASE_TEMPLATE("outbox: a pin without lanes is still a pin", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  auto row = on.adopted("a");
  row.pinned = pin{{"r-1"}, 1, {}, ""};
  on.batch([&] {
    must(on.db->outbox().save_queue(row));
    CHECK(must(on.db->outbox().lock_queue({"a"})) == row);
  });
}

TEST_CASE_TEMPLATE("outbox: saving a queue that is not there is refused", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  queue_row row;
  row.no = 77;
  must(on.db->begin(on.lease, 1));
  CHECK(code_of(on.db->outbox().save_queue(row)) == ec::rejected);
  on.db->rollback();
}

TEST_CASE_TEMPLATE("outbox: elements come back as they went in", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a");
  std::vector<owed_row> rows;
  for (const auto kind : {lane::event, lane::ephemeral, lane::to_device,
                          lane::device_lists, lane::key_counts, lane::other}) {
    auto row = event(rows.size() + 1);
    row.came_with = 1;
    row.alone = kind == lane::other;
    row.item.kind = kind;
    row.item.keys = kind == lane::event ? "" : "a\\u0041\nde.b \"quoted\"\\";
    row.item.id_hash = ~uint64_t{0} - rows.size();
    rows.push_back(row);
  }
  on.batch([&] { must(on.db->outbox().append(queue.no, rows)); });
  CHECK(on.owed(queue.no) == rows);
}

TEST_CASE_TEMPLATE("outbox: JSON bytes are kept exactly", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a");
  const std::vector<std::string> texts{
    R"("an escaped \u0000 and a raw one is refused")",
    R"("a lone \ud800 surrogate, \"quotes\" and \\ backslashes")",
    "{ \"\xF0\x9F\x90\x9F\" : \"\xC3\xA9\xE2\x82\xAC\" ,\r\n\t\"x\":1.0e+00 }",
    R"({"braces":"{},{","number":18446744073709551616,"null":null})",
    "\"" + std::string(200'000, 'x') + "\"",
    "''';--\"$1 :name ::text",
    "1",
  };
  std::vector<owed_row> rows;
  for (const auto& text : texts)
    rows.push_back(event(rows.size() + 1, text));
  on.batch([&] { must(on.db->outbox().append(queue.no, rows)); });
  CHECK(on.owed(queue.no) == rows);
}

TEST_CASE_TEMPLATE("outbox: an event id may hold any bytes", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a");
  std::string every_byte;
  for (int value = 0; value < 256; ++value)
    every_byte.push_back(static_cast<char>(value));
  auto row = event(1);
  row.item.event_id = every_byte;
  auto none = event(2);
  none.item.event_id.clear();
  const std::vector rows{row, none};
  on.batch([&] { must(on.db->outbox().append(queue.no, rows)); });
  CHECK(on.owed(queue.no) == rows);
}

TEST_CASE_TEMPLATE("outbox: text that a store would alter is refused", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a");
  for (const std::string& text :
       std::vector{std::string("a\0b", 3), std::string("\xFF"),
                   std::string("\xED\xA0\x80"), std::string("12345678\xC3")}) {
    const std::vector rows{event(1, text)};
    must(on.db->begin(on.lease, 1));
    CHECK(code_of(on.db->outbox().append(queue.no, rows)) == ec::rejected);
    // A broken transaction takes nothing more and does not commit.
    CHECK(code_of(on.db->outbox().lock_queue({"a"})) == ec::rejected);
    CHECK(code_of(on.db->commit()) == ec::rejected);
    on.db->rollback();
  }
  CHECK(on.owed(queue.no).empty());
}

TEST_CASE_TEMPLATE("outbox: a seq in use is refused and nothing stays", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = filled(on, 2);
  const std::vector rows{event(3), event(2)};
  must(on.db->begin(on.lease, 1));
  CHECK(code_of(on.db->outbox().append(queue, rows)) == ec::rejected);
  on.db->rollback();
  CHECK(seqs(on.owed(queue)) == numbers{1, 2});
}

TEST_CASE_TEMPLATE("outbox: reading stops after the row that passes a bound",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = filled(on, 6);
  const auto size = event(1).item.bytes.size();
  const auto read = [&](uint64_t after, size_t rows_max, size_t bytes_max) {
    return seqs(
      must(on.db->outbox().read_owed(queue, after, rows_max, bytes_max)));
  };
  on.batch([&] {
    CHECK(read(0, 100, 1'000'000) == numbers{1, 2, 3, 4, 5, 6});
    CHECK(read(4, 100, 1'000'000) == numbers{5, 6});
    CHECK(read(6, 100, 1'000'000).empty());
    CHECK(read(UINT64_MAX, 100, 1'000'000).empty());
    CHECK(read(1, 2, 1'000'000) == numbers{2, 3});
    CHECK(read(0, 100, 0) == numbers{1});
    CHECK(read(0, 100, size - 1) == numbers{1});
    CHECK(read(0, 100, size) == numbers{1, 2});
    CHECK(read(0, 100, 2 * size + 1) == numbers{1, 2, 3});
    CHECK(read(0, 0, 1'000'000).empty());
  });
}

TEST_CASE_TEMPLATE("outbox: ranges name rows of one lane", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a").no;
  const auto other = filled(on, 3, "b");
  std::vector<owed_row> rows;
  for (uint64_t seq = 1; seq <= 6; ++seq) {
    rows.push_back(event(seq));
    rows.back().item.kind = seq % 2 == 0 ? lane::to_device : lane::event;
  }
  on.batch([&] { must(on.db->outbox().append(queue, rows)); });
  const std::vector<lane_range> ranges{
    {lane::to_device, 1, 4}, {lane::event, 3, 3}, {lane::ephemeral, 1, 6}};
  on.batch([&] {
    CHECK(seqs(must(on.db->outbox().read_ranges(queue, ranges)))
          == numbers{2, 3, 4});
    CHECK(must(on.db->outbox().remove(queue, ranges)) == 3);
    CHECK(must(on.db->outbox().remove(queue, ranges)) == 0);
    CHECK(must(on.db->outbox().read_ranges(queue, ranges)).empty());
  });
  CHECK(seqs(on.owed(queue)) == numbers{1, 5, 6});
  CHECK(seqs(on.owed(other)) == numbers{1, 2, 3});
  on.batch([&] {
    const std::vector<lane_range> all{{lane::event, 0, UINT64_MAX},
                                      {lane::to_device, 0, UINT64_MAX}};
    CHECK(must(on.db->outbox().remove(queue, all)) == 3);
  });
}

TEST_CASE_TEMPLATE("outbox: owed queues are listed page by page", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  // By bytes, not by a language's order.
  for (const std::string id : {"b", "Z", "a", "\xC3\xA9", "empty"})
    filled(on, id == "empty" ? 0 : 1, id);
  const auto page = [&](const std::string& after, size_t rows_max) {
    std::vector<std::string> ids;
    for (const auto& id : must(on.db->outbox().owed_queues({after}, rows_max)))
      ids.push_back(id.value);
    return ids;
  };
  using names = std::vector<std::string>;
  on.batch([&] {
    CHECK(page("", 100) == names{"Z", "a", "b", "\xC3\xA9"});
    CHECK(page("", 2) == names{"Z", "a"});
    CHECK(page("a", 2) == names{"b", "\xC3\xA9"});
    CHECK(page("\xC3\xA9", 2).empty());
  });
}

TEST_CASE_TEMPLATE("outbox: nothing survives a rollback", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  auto queue = on.adopted("a");
  on.batch([&] {
    const std::vector rows{event(1), event(2)};
    must(on.db->outbox().append(queue.no, rows));
  });
  must(on.db->begin(on.lease, 1));
  const std::vector more{event(3)};
  const std::vector<lane_range> first{{lane::event, 1, 1}};
  must(on.db->outbox().append(queue.no, more));
  must(on.db->outbox().remove(queue.no, first));
  queue.next_txn = 9;
  must(on.db->outbox().save_queue(queue));
  must(on.db->outbox().adopt_queue({"b"}));
  on.db->rollback();
  CHECK(seqs(on.owed(queue.no)) == numbers{1, 2});
  on.batch([&] {
    CHECK(must(on.db->outbox().lock_queue({"a"}))->next_txn == 1);
    CHECK(!must(on.db->outbox().lock_queue({"b"})));
  });
}

TEST_CASE_TEMPLATE("outbox: a very large transaction is one commit", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a");
  std::vector<owed_row> rows;
  for (uint64_t seq = 1; seq <= 20; ++seq)
    rows.push_back(event(seq, std::string(size_t{1} << 20, 'x')));
  must(on.db->begin(on.lease, 1));
  must(on.db->outbox().append(queue.no, rows));
  on.db->rollback();
  CHECK(on.owed(queue.no).empty());
  on.batch([&] { must(on.db->outbox().append(queue.no, rows)); });
  CHECK(on.owed(queue.no) == rows);
}

TEST_CASE("outbox: no statement carries a very large transaction") {
  world<on_postgresql> on;
  const auto queue = on.adopted("a");
  auto watching = beside(on.where.database);
  must(watching.open());
  must(watching.script(
    "CREATE TABLE added (bytes BIGINT);"
    "CREATE FUNCTION note_added() RETURNS trigger LANGUAGE plpgsql AS $$ "
    "BEGIN INSERT INTO added SELECT sum(octet_length(bytes)) FROM fresh; "
    "RETURN NULL; END $$;"
    "CREATE TRIGGER added AFTER INSERT ON outbox REFERENCING NEW TABLE AS "
    "fresh FOR EACH STATEMENT EXECUTE FUNCTION note_added()"));
  std::vector<owed_row> rows;
  for (uint64_t seq = 1; seq <= 10; ++seq)
    rows.push_back(event(seq, std::string(size_t{1} << 20, 'x')));
  // What is larger than a statement should be goes alone.
  rows.push_back(event(11, std::string(size_t{9} << 20, 'x')));
  rows.push_back(event(12, "{}"));
  on.batch([&] { must(on.db->outbox().append(queue.no, rows)); });
  CHECK(must(watching.value(
          "SELECT string_agg(CAST(bytes AS TEXT), ' ') FROM added"))
        == "4194304 4194304 2097152 9437184 2");
}

TEST_CASE_TEMPLATE("outbox: values are read behind a seq and rewritten", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = filled(on, 2);
  const auto other = on.adopted("b").no;
  auto list = event(3, R"({"changed":["@a"]})");
  list.item.kind = lane::device_lists;
  auto counts = event(4, R"({"@a":{}})");
  counts.item.kind = lane::key_counts;
  auto message = event(5);
  message.item.kind = lane::to_device;
  on.batch([&] {
    must(on.db->outbox().append(queue, std::vector{list, counts, message}));
    must(on.db->outbox().append(other, std::vector{list}));
  });
  on.batch([&] {
    auto& outbox = on.db->outbox();
    CHECK(must(outbox.read_values(queue, 0, 10)) == std::vector{list, counts});
    CHECK(must(outbox.read_values(queue, 3, 10)) == std::vector{counts});
    CHECK(must(outbox.read_values(queue, 4, 10)).empty());
    // The newest when there are more.
    CHECK(must(outbox.read_values(queue, 0, 1)) == std::vector{counts});
    list.item.bytes = std::string{R"({"left":["@\u00e4\"']})"};
    must(outbox.rewrite(queue, 3, list.item.bytes));
    CHECK(must(outbox.read_values(queue, 0, 10)).front() == list);
    CHECK(must(outbox.read_values(other, 0, 10)).front().item.bytes
          != list.item.bytes);
  });
  CHECK(on.owed(queue).at(2) == list);
  must(on.db->begin(on.lease, 1));
  CHECK(code_of(on.db->outbox().rewrite(queue, 6, "{}")) == ec::rejected);
  on.db->rollback();
}
