#include "persistence/sql/connection.hpp"
#include "persistence/sql/migrate.hpp"
#include "tests/conformance/stores.hpp"

#include <array>

using namespace weir;
using namespace weir::test;

namespace {

store_options options_of(const on_sqlite& where) {
  return where.file.options();
}

store_options options_of(const on_postgresql& where) {
  return where.database.options();
}

/// The last migration before those that rewrite rows.
constexpr int oldest_schema = 5;

/// A store of that schema.
class old_store {
public:
  explicit old_store(const store_options& options)
    : on_{must(sql::parse_url(options.url)), sql::purpose::migrating,
          options.allow_unsafe_database} {
    std::vector<migration> known;
    for (const auto& each : embedded_migrations())
      if (each.number <= oldest_schema)
        known.push_back(each);
    must(on_.open());
    must(sql::migrate(on_, known));
  }

  /// `0x…` is spelt as the database spells bytes.
  void insert(const std::string& table, std::string values) {
    const bool postgresql = on_.speaks().postgresql;
    for (auto at = values.find("0x"); at != std::string::npos;
         at = values.find("0x", at + 1)) {
      const auto end = values.find_first_not_of("0123456789ABCDEF", at + 2);
      const auto digits = values.substr(at + 2, end - at - 2);
      values.replace(at, end - at,
                     postgresql ? "'\\x" + digits + "'" : "x'" + digits + "'");
    }
    must(on_.script("INSERT INTO " + table + " VALUES (" + values + ")"));
  }

private:
  sql::connection on_;
};

/// Two appservices, whose numbers the database draws: 1 and 2.
void fill(old_store& old) {
  for (const std::string id : {"a", "b"})
    old.insert("appservice (id, next_seq, next_txn, acked, owed_events, "
               "owed_others, owed_bytes, delivered_stream_ordering, "
               "not_before, paused_by, suspect_first, suspect_last, byte_cap, "
               "delivered_transactions, delivered_events)",
               "'" + id + "', 10, 3, 2, 3, 0, 9, 0, 0, 0, 0, 0, 0, 1, 2");
  for (const std::string queue : {"2", "1"})
    for (const std::string seq : {"5", "3", "4"})
      old.insert("outbox (appservice, seq, came_with, alone, lane, id_hash, "
                 "accepted_at, keys, event_id, bytes)",
                 queue + ", " + seq + ", 3, 0, 0, 7, 11, '', 0x24FF, '{\""
                   + queue + "\":" + seq + "}'");
  for (const std::string generation : {"2", "1"})
    old.insert("inbound_transaction (appservice, hs_txn_id, generation, "
               "arrival, at, event_hashes, non_event_hashes)",
               "1, 0x31, " + generation + ", 2" + generation
                 + ", 5, 0x0000000000000007, 0x");
  for (const std::string arrival : {"3", "1"})
    old.insert("seen_event (appservice, arrival, count, at, hashes)",
               "1, " + arrival + ", 2, 5, 0x000000000000000" + arrival
                 + "000000000000000A");
  for (const std::string nth : {"1", "2"}) {
    old.insert("dead_letter (appservice, sha256, size, seq, lane, id_hash, "
               "attempts, accepted_at, buried_at, reason, keys, event_id, "
               "bytes)",
               "'a', 's" + nth + "', 10" + nth
                 + ", 1, 0, 7, 1, 5, 5, 'http_400', '', 0x, '{}'");
    old.insert("quarantine (appservice, sha256, size, times, first_at, "
               "last_at, reason, hs_txn_id, body)",
               "'a', 's" + nth + "', 20" + nth + ", 1, 5, 5, 'x', 0x31, 0x00");
  }
  // Positions have gaps, slots do not begin together.
  for (const std::string slot : {"2", "1"})
    for (const std::string pos : {"9", "1", "4"})
      old.insert("outcome (slot, pos, queue, subject, result, detail, events, "
                 "at)",
                 slot + ", " + pos + ", 'q', 't', 'delivered', '', 1, " + pos);
}

template <class Where>
struct upgraded {
  Where where;
  upgraded() {
    old_store old{options_of(where)};
    fill(old);
  }
};

std::vector<std::string> bytes_of(const std::vector<owed_row>& rows) {
  std::vector<std::string> bytes;
  for (const auto& each : rows)
    bytes.push_back(each.item.bytes);
  return bytes;
}

} // namespace

TEST_CASE_TEMPLATE("upgrade: what was owed is owed, in its order", Where,
                   on_sqlite, on_postgresql) {
  const upgraded<Where> before;
  auto db = must(open_store(options_of(before.where), true));
  const auto lease = must(db->take_slot(1, "node", first_run));
  must(db->begin(lease, 1));
  for (const std::string id : {"a", "b"}) {
    const auto queue = must(db->outbox().lock_queue({id}));
    REQUIRE(queue.has_value());
    const auto no = std::to_string(queue->no);
    const auto rows
      = must(db->outbox().read_owed(queue->no, 0, 100, size_t{1} << 20));
    CHECK(bytes_of(rows)
          == std::vector<std::string>{
            "{\"" + no + "\":3}", "{\"" + no + "\":4}", "{\"" + no + "\":5}"});
    CHECK(rows.front().seq == 3);
    CHECK(rows.front().item.event_id == "\x24\xFF");
    // The next rows stand behind them.
    must(db->outbox().append(queue->no, std::vector{event(10)}));
    CHECK(must(db->outbox().read_owed(queue->no, 5, 100, 100)).front().seq
          == 10);
  }
  must(db->commit());
}

TEST_CASE_TEMPLATE("upgrade: what came before is still known", Where, on_sqlite,
                   on_postgresql) {
  const upgraded<Where> before;
  auto db = must(open_store(options_of(before.where), true));
  const auto lease = must(db->take_slot(1, "node", first_run));
  must(db->begin(lease, 1));
  const auto found = must(db->inbox().find_inbound(1, "1"));
  REQUIRE(found.size() == 2);
  CHECK(found.front().generation == 1);
  CHECK(found.back().event_hashes == std::vector<uint64_t>{7});
  const std::array<uint64_t, 4> asked{1, 2, 3, 10};
  CHECK(must(db->inbox().find_seen(1, asked))
        == std::vector<uint64_t>{1, 3, 10});
  must(db->commit());
}

TEST_CASE_TEMPLATE("upgrade: what is kept was counted and is counted on", Where,
                   on_sqlite, on_postgresql) {
  const upgraded<Where> before;
  auto db = must(open_store(options_of(before.where), true));
  const auto lease = must(db->take_slot(1, "node", first_run));
  must(db->begin(lease, 1));
  CHECK(must(db->keep().dead_letter_bytes()) == 203);
  CHECK(must(db->keep().quarantine_bytes()) == 403);
  must(db->keep().quarantine({0, {"a"}, "2", "12345", "x", 1, noon, noon}));
  CHECK(must(db->keep().quarantine_bytes()) == 408);
  db->rollback();
  const auto of_a
    = must(must(open_store_reader(options_of(before.where)))->queue({"a"}));
  REQUIRE(of_a);
  CHECK(of_a->dead_letters == 2);
  CHECK(of_a->dead_letter_bytes == 203);
  CHECK(of_a->quarantined == 2);
  CHECK(of_a->quarantine_bytes == 403);
  must(db->begin(lease, 1));
  CHECK(must(db->keep().quarantine_bytes()) == 403);
  must(db->commit());
}

TEST_CASE_TEMPLATE("upgrade: the feed goes on and is bounded", Where, on_sqlite,
                   on_postgresql) {
  const upgraded<Where> before;
  auto db = must(open_store(options_of(before.where), true));
  const auto lease = must(db->take_slot(1, "node", first_run));
  must(db->begin(lease, 1));
  must(db->outcomes().record(
    {1, 20, "q", "t", "delivered", "", 1, stored_time{20}}));
  // Seven rows; the oldest four stand at 1 and 4 of both slots.
  CHECK(must(db->outcomes().forget_outcomes(stored_time{0}, 3, 100)) == 4);
  CHECK(must(db->outcomes().forget_outcomes(stored_time{0}, 3, 100)) == 0);
  CHECK(must(db->outcomes().forget_outcomes(stored_time{10}, 3, 100)) == 2);
  CHECK(must(db->outcomes().forget_outcomes(stored_time{30}, 3, 100)) == 1);
  must(db->commit());
}
