#include "persistence/sql/connection.hpp"
#include "tests/conformance/stores.hpp"

#include <set>

using namespace weir;
using namespace weir::test;

namespace {

dead_letter_row letter(const std::string& appservice, uint64_t seq,
                       std::string bytes) {
  dead_letter_row row;
  row.appservice = {appservice};
  row.seq = seq;
  row.item = event(seq, std::move(bytes)).item;
  row.item.kind = lane::event;
  row.reason = "500, \xE2\x80\xA6";
  row.attempts = 7;
  row.accepted_at = noon;
  row.buried_at = noon + milliseconds{5};
  return row;
}

quarantine_row suspicious(const std::string& appservice, std::string body) {
  quarantine_row row;
  row.appservice = {appservice};
  row.hs_txn_id = std::string("\xFFtxn\0", 5);
  row.body = std::move(body);
  row.reason = "not_json";
  row.first_at = noon;
  row.last_at = noon;
  return row;
}

} // namespace

TEST_CASE_TEMPLATE("keep: a dead letter comes back whole", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  auto row = letter("a", 9, R"({"x":"\u0000\ud800"})");
  row.item.kind = lane::to_device;
  row.item.keys = "to_device\nde.sorunome.msc2409.to_device";
  on.batch([&] { row.id = must(on.db->keep().bury(row)); });
  CHECK(row.id > 0);
  CHECK(must(on.reader->dead_letter(row.id)) == row);
  CHECK(!must(on.reader->dead_letter(row.id + 1)));
}

TEST_CASE_TEMPLATE("keep: equal dead letters of an appservice are kept once",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  on.batch([&] {
    auto& keep = on.db->keep();
    const auto first = must(keep.bury(letter("a", 1, "{}")));
    CHECK(must(keep.bury(letter("a", 2, "{}"))) == first);
    CHECK(must(keep.bury(letter("b", 1, "{}"))) != first);
    CHECK(must(keep.bury(letter("a", 3, "{ }"))) != first);
    CHECK(must(keep.dead_letter_bytes()) == 2 + 2 + 3);
  });
  CHECK(must(on.reader->dead_letters(appservice_id{"a"}, {})).at(0).seq == 1);
}

TEST_CASE_TEMPLATE("keep: elements that are not the same are letters each",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  const auto of = [](lane kind, std::string keys, uint64_t seq) {
    auto row = letter("a", seq, "true");
    row.item.kind = kind;
    row.item.keys = std::move(keys);
    row.item.event_id.clear();
    return row;
  };
  on.batch([&] {
    auto& keep = on.db->keep();
    std::set<int64_t> ids;
    ids.insert(must(keep.bury(of(lane::event, "", 1))));
    // Both spellings of a key have one value; nobody gives these ids.
    ids.insert(must(keep.bury(of(lane::key_counts, "counts", 2))));
    ids.insert(must(keep.bury(of(lane::key_counts, "count", 3))));
    ids.insert(must(keep.bury(of(lane::other, "count", 4))));
    ids.insert(must(keep.bury(of(lane::to_device, "to_device", 5))));
    ids.insert(must(keep.bury(of(lane::to_device, "to_device", 6))));
    CHECK(ids.size() == 6);
    CHECK(must(keep.held_by({"a"})).letters == 6 * 4);
    CHECK(must(keep.held_by({"b"})) == keep_store::kept_bytes{});
    must(keep.quarantine(suspicious("a", "x")));
    must(keep.quarantine(suspicious("b", "yy")));
    CHECK(must(keep.held_by({"a"})).bodies == 1);
    CHECK(must(keep.held_by({"b"})) == keep_store::kept_bytes{0, 2});
  });
}

TEST_CASE_TEMPLATE("keep: an empty store holds no bytes", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  on.batch([&] {
    CHECK(must(on.db->keep().dead_letter_bytes()) == 0);
    CHECK(must(on.db->keep().quarantine_bytes()) == 0);
  });
}

TEST_CASE_TEMPLATE("keep: equal bodies of an appservice are counted", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const std::string body("\0\xFF{not json", 11);
  auto again = suspicious("a", body);
  again.last_at = noon + milliseconds{9};
  again.hs_txn_id = "later";
  on.batch([&] {
    auto& keep = on.db->keep();
    const auto first = must(keep.quarantine(suspicious("a", body)));
    CHECK(must(keep.quarantine(again)) == first);
    CHECK(must(keep.count_quarantined(again)));
    CHECK_FALSE(must(keep.count_quarantined(suspicious("b", body))));
    CHECK(must(keep.quarantine(suspicious("b", body))) != first);
    CHECK(must(keep.quarantine_bytes()) == 22);
  });
  const auto rows = must(on.reader->quarantined({}, {}));
  REQUIRE(rows.size() == 2);
  auto kept = suspicious("a", "");
  kept.id = rows[0].id;
  kept.times = 3;
  kept.size = body.size();
  kept.last_at = again.last_at;
  CHECK(rows[0] == kept);
}

TEST_CASE_TEMPLATE("keep: nothing survives a rollback", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  on.batch([&] { must(on.db->keep().quarantine(suspicious("a", "x"))); });
  must(on.db->begin(on.lease, 1));
  must(on.db->keep().bury(letter("a", 1, "{}")));
  must(on.db->keep().quarantine(suspicious("a", "x")));
  must(on.db->keep().quarantine(suspicious("a", "yy")));
  on.db->rollback();
  on.batch([&] {
    CHECK(must(on.db->keep().dead_letter_bytes()) == 0);
    CHECK(must(on.db->keep().quarantine_bytes()) == 1);
  });
  CHECK(must(on.reader->quarantined({}, {})).at(0).times == 1);
}

namespace {

/// A plain connection to the same store, as an operator has it.
sql::connection beside(const on_sqlite& where) {
  return {must(sql::parse_url(where.file.options().url)),
          sql::purpose::migrating, false};
}

sql::connection beside(const on_postgresql& where) {
  return {must(sql::parse_url(where.database.options().url)),
          sql::purpose::migrating, true};
}

} // namespace

TEST_CASE_TEMPLATE("keep: what is held is the sum of what is there", Where,
                   on_sqlite, on_postgresql) {
  world<Where> on;
  auto by_hand = beside(on.where);
  must(by_hand.open());
  const auto compare = [&] {
    for (const std::string table : {"dead_letter", "quarantine"}) {
      const auto sum
        = must(by_hand.value("SELECT coalesce(sum(size), 0) FROM " + table));
      CHECK(must(by_hand.value("SELECT bytes FROM kept_bytes WHERE kind = '"
                               + table + "'"))
            == sum);
    }
  };
  compare();
  on.batch([&] {
    for (uint64_t each = 1; each <= 5; ++each) {
      const std::string bytes(each * 10, '1');
      must(on.db->keep().bury(letter("a", each, bytes)));
      must(on.db->keep().bury(letter("a", each + 1, bytes)));
      must(on.db->keep().quarantine(suspicious("b", bytes)));
      must(on.db->keep().quarantine(suspicious("b", bytes)));
    }
  });
  compare();
  must(by_hand.script("DELETE FROM dead_letter WHERE seq > 2;"
                      "DELETE FROM quarantine WHERE size = 30"));
  compare();
  on.batch([&] {
    CHECK(must(on.db->keep().dead_letter_bytes()) == 10 + 20);
    CHECK(must(on.db->keep().quarantine_bytes()) == 10 + 20 + 40 + 50);
  });
}

TEST_CASE_TEMPLATE("keep: what is held of each appservice is kept, too", Where,
                   on_sqlite, on_postgresql) {
  world<Where> on;
  auto by_hand = beside(on.where);
  must(by_hand.open());
  const auto compare = [&] {
    for (const std::string table : {"dead_letter", "quarantine"})
      CHECK(must(by_hand.value(
              "SELECT count(*) FROM (SELECT appservice, elements, bytes FROM "
              "kept_of WHERE kind = '"
              + table + "' EXCEPT SELECT appservice, count(*), sum(size) FROM "
              + table + " GROUP BY appservice) AS differing"))
            == "0");
  };
  const auto kept
    = [&] { return must(by_hand.value("SELECT count(*) FROM kept_of")); };
  on.batch([&] {
    for (uint64_t each = 1; each <= 5; ++each)
      for (const std::string id : {"a", "b", "c"}) {
        const std::string bytes(each * 10, '1');
        must(on.db->keep().bury(letter(id, each, bytes)));
        must(on.db->keep().bury(letter(id, each + 1, bytes)));
        must(on.db->keep().quarantine(suspicious(id, bytes)));
        must(on.db->keep().quarantine(suspicious(id, bytes)));
      }
  });
  CHECK(kept() == "6");
  compare();
  must(by_hand.script("DELETE FROM dead_letter WHERE seq > 2;"
                      "DELETE FROM quarantine WHERE size = 30"));
  CHECK(kept() == "6");
  compare();
  // Who holds nothing any more has no row.
  must(by_hand.script("DELETE FROM dead_letter WHERE appservice <> 'b'"));
  CHECK(kept() == "4");
  compare();
  must(by_hand.script("DELETE FROM quarantine"));
  CHECK(kept() == "1");
  compare();
}

TEST_CASE_TEMPLATE("keep: what is held is not found by adding it up", Where,
                   on_sqlite, on_postgresql) {
  world<Where> on;
  on.batch([&] { must(on.db->keep().bury(letter("a", 1, "{}"))); });
  auto by_hand = beside(on.where);
  must(by_hand.open());
  must(by_hand.script("UPDATE kept_bytes SET bytes = bytes + 7"));
  on.batch([&] {
    CHECK(must(on.db->keep().dead_letter_bytes()) == 2 + 7);
    CHECK(must(on.db->keep().quarantine_bytes()) == 7);
  });
}

TEST_CASE("keep: PostgreSQL adds up what goes in one statement at once") {
  world<on_postgresql> on;
  on.batch([&] {
    for (uint64_t each = 1; each <= 9; ++each)
      must(on.db->keep().quarantine(suspicious("b", std::to_string(each))));
  });
  auto by_hand = beside(on.where);
  must(by_hand.open());
  must(by_hand.script("BEGIN; DELETE FROM quarantine WHERE id > 1"));
  // Each change of a row looks through its changes by the same transaction.
  CHECK(must(by_hand.value("SELECT CAST(n_tup_upd AS TEXT) FROM "
                           "pg_stat_xact_user_tables WHERE relname = "
                           "'kept_bytes' AND schemaname = current_schema()"))
        == "1");
  must(by_hand.script("COMMIT"));
  on.batch([&] { CHECK(must(on.db->keep().quarantine_bytes()) == 1); });
  must(by_hand.script("TRUNCATE quarantine"));
  on.batch([&] { CHECK(must(on.db->keep().quarantine_bytes()) == 0); });
  CHECK(must(by_hand.value("SELECT count(*) FROM kept_of")) == "0");
}

TEST_CASE_TEMPLATE("keep: letters of an appservice are read whole and in order",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  std::vector<dead_letter_row> mine;
  on.batch([&] {
    auto& keep = on.db->keep();
    CHECK(must(keep.last_letter({"a"})) == 0);
    for (uint64_t seq = 1; seq <= 4; ++seq) {
      mine.push_back(letter("a", seq, std::string(10 * seq, '1')));
      mine.back().id = must(keep.bury(mine.back()));
      must(keep.bury(letter("b", seq, std::string(10 * seq, '1'))));
    }
    CHECK(must(keep.last_letter({"a"})) == mine[3].id);
  });
  on.batch([&] {
    auto& keep = on.db->keep();
    const auto read
      = [&](int64_t after, int64_t until, size_t rows, size_t bytes) {
          return must(keep.read_letters({"a"}, after, until, rows, bytes));
        };
    using letters = std::vector<dead_letter_row>;
    CHECK(read(0, INT64_MAX, 100, 1'000) == mine);
    CHECK(read(mine[0].id, mine[2].id, 100, 1'000)
          == letters{mine[1], mine[2]});
    CHECK(read(0, INT64_MAX, 2, 1'000) == letters{mine[0], mine[1]});
    // The row with which the bound is passed is the last.
    CHECK(read(0, INT64_MAX, 100, 1) == letters{mine[0]});
    CHECK(read(0, INT64_MAX, 100, 10) == letters{mine[0], mine[1]});
    CHECK(read(0, INT64_MAX, 100, 29) == letters{mine[0], mine[1]});
    CHECK(read(0, INT64_MAX, 100, 30) == letters{mine[0], mine[1], mine[2]});
    CHECK(read(mine[3].id, INT64_MAX, 100, 1'000).empty());
    CHECK(must(keep.read_letters({"c"}, 0, INT64_MAX, 100, 1'000)).empty());
  });
}

TEST_CASE_TEMPLATE("keep: removed letters give their bytes back", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  std::vector<int64_t> ids;
  on.batch([&] {
    auto& keep = on.db->keep();
    for (const std::string bytes : {"1", "22", "333", "4444"})
      ids.push_back(must(keep.bury(letter("a", 1, bytes))));
    ids.push_back(must(keep.bury(letter("b", 1, "55555"))));
  });
  on.batch([&] {
    auto& keep = on.db->keep();
    CHECK(must(keep.remove_letters({"a"}, {})) == 0);
    // Of another appservice, unknown, and one named twice.
    const std::vector<int64_t> some{ids[0], ids[4], 1'000'000, ids[2], ids[2]};
    CHECK(must(keep.remove_letters({"a"}, some)) == 2);
    CHECK(must(keep.dead_letter_bytes()) == 2 + 4 + 5);
    CHECK(must(keep.remove_letters({"a"}, some)) == 0);
    CHECK(must(keep.dead_letter_bytes()) == 2 + 4 + 5);
  });
  CHECK(!must(on.reader->dead_letter(ids[0])));
  CHECK(must(on.reader->dead_letter(ids[1])));
  CHECK(must(on.reader->dead_letter(ids[4])));
  on.batch([&] {
    // An id is given once: what is buried again is another letter.
    CHECK(must(on.db->keep().bury(letter("a", 1, "1"))) > ids[4]);
  });
}

TEST_CASE_TEMPLATE("keep: a removal that is rolled back gives nothing back",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  int64_t id = 0;
  on.batch([&] { id = must(on.db->keep().bury(letter("a", 1, "1"))); });
  must(on.db->begin(on.lease, 1));
  CHECK(must(on.db->keep().remove_letters({"a"}, std::vector{id})) == 1);
  on.db->rollback();
  on.batch([&] { CHECK(must(on.db->keep().dead_letter_bytes()) == 1); });
  CHECK(must(on.reader->dead_letter(id)));
}

TEST_CASE_TEMPLATE("keep: a quarantined body comes back whole", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  auto row = suspicious("a", std::string("\0\xFF{not json", 11));
  on.batch([&] { row.id = must(on.db->keep().quarantine(row)); });
  CHECK(must(on.reader->quarantined_body(row.id)) == row);
  CHECK(!must(on.reader->quarantined_body(row.id + 1)));
}

TEST_CASE_TEMPLATE("keep: removed bodies give their bytes back", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  using sizes = std::vector<keep_store::kept_size>;
  sizes mine;
  int64_t other = 0;
  on.batch([&] {
    auto& keep = on.db->keep();
    CHECK(must(keep.last_quarantined({"a"})) == 0);
    for (const std::string body : {"1", "22", "333"})
      mine.push_back(
        {must(keep.quarantine(suspicious("a", body))), body.size()});
    other = must(keep.quarantine(suspicious("b", "4444")));
    CHECK(must(keep.last_quarantined({"a"})) == mine[2].id);
  });
  on.batch([&] {
    auto& keep = on.db->keep();
    const auto next
      = [&](int64_t after, int64_t until, size_t rows, size_t bytes) {
          return must(keep.next_quarantined({"a"}, after, until, rows, bytes));
        };
    CHECK(next(0, INT64_MAX, 100, 100) == mine);
    CHECK(next(0, INT64_MAX, 2, 100) == sizes{mine[0], mine[1]});
    CHECK(next(0, INT64_MAX, 100, 0) == sizes{mine[0]});
    CHECK(next(0, INT64_MAX, 100, 2) == sizes{mine[0], mine[1]});
    CHECK(next(mine[0].id, mine[1].id, 100, 100) == sizes{mine[1]});
    const std::vector<int64_t> some{mine[0].id, other, 1'000'000, mine[2].id};
    CHECK(must(keep.remove_quarantined({"a"}, some)) == 2);
    CHECK(must(keep.quarantine_bytes()) == 2 + 4);
  });
  CHECK(must(on.reader->quarantined({}, {})).size() == 2);
}
