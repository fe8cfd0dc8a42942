#include "tests/conformance/lossy_store.hpp"
#include "tests/conformance/stores.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// A memory database, told when to lose the connection.
struct doubtful_memory {
  on_memory where;
  std::unique_ptr<store> db = where.connect();

  store& writer() {
    return *db;
  }
  void lose_next_commit(bool stored) {
    where.database.lose_connection(stored
                                     ? connection_loss::at_commit_stored
                                     : connection_loss::at_commit_not_stored);
  }
};

/// SQLite cannot be cut from outside: the loss is in between.
struct doubtful_sqlite {
  on_sqlite where;
  std::unique_ptr<store> db = where.connect();
  lossy_store lossy{*db};

  store& writer() {
    return lossy;
  }
  void lose_next_commit(bool stored) {
    lossy.next_commit
      = stored ? lossy_store::loss::after : lossy_store::loss::before;
  }
};

/// PostgreSQL behind a proxy that cuts the wire.
struct doubtful_postgresql {
  on_postgresql where;
  cut_proxy proxy{postgresql_cluster::shared().port()};
  std::unique_ptr<store> db
    = must(open_store(where.database.options_through(proxy.port()), true));

  store& writer() {
    return *db;
  }
  void lose_next_commit(bool stored) {
    proxy.cut_next_commit(stored ? commit_cut::after : commit_cut::before);
  }
};

template <class Doubtful>
std::vector<uint64_t> stored_seqs(Doubtful& on, const std::string& id) {
  auto direct = on.where.connect();
  static uint64_t run = first_run;
  const auto lease = must(direct->take_slot(9, "checker", ++run));
  must(direct->begin(lease, 1));
  std::vector<uint64_t> seqs;
  if (const auto queue = must(direct->outbox().lock_queue({id}))) {
    for (const auto& row :
         must(direct->outbox().read_owed(queue->no, 0, 100, 1'000'000)))
      seqs.push_back(row.seq);
  }
  direct->rollback();
  return seqs;
}

} // namespace

TYPE_TO_STRING_AS("memory", doubtful_memory);
TYPE_TO_STRING_AS("SQLite", doubtful_sqlite);
TYPE_TO_STRING_AS("PostgreSQL", doubtful_postgresql);

#define EVERY_DOUBTFUL_STORE                                                   \
  doubtful_memory, doubtful_sqlite, doubtful_postgresql

TEST_CASE_TEMPLATE("doubt: a commit whose answer was lost is not done again",
                   Doubtful, EVERY_DOUBTFUL_STORE) {
  Doubtful on;
  batch_runner runner{on.writer(),
                      must(on.writer().take_slot(1, "node", first_run))};
  std::vector<bool> doubts;
  runner.on_in_doubt = [&](bool committed) { doubts.push_back(committed); };
  on.lose_next_commit(true);
  asked_batch batch;
  batch.add("appservice/a", append_one("a"));
  must(batch.run(runner));
  CHECK(batch.told(0) == ec::none);
  CHECK(doubts == std::vector{true});
  CHECK(runner.lease().pos == 1);
  CHECK(stored_seqs(on, "a") == std::vector<uint64_t>{1});
}

TEST_CASE_TEMPLATE("doubt: a commit that was lost is done again", Doubtful,
                   EVERY_DOUBTFUL_STORE) {
  Doubtful on;
  batch_runner runner{on.writer(),
                      must(on.writer().take_slot(1, "node", first_run))};
  std::vector<bool> doubts;
  runner.on_in_doubt = [&](bool committed) { doubts.push_back(committed); };
  on.lose_next_commit(false);
  asked_batch batch;
  batch.add("appservice/a", append_one("a"));
  must(batch.run(runner));
  CHECK(batch.told(0) == ec::none);
  CHECK(doubts == std::vector{false});
  CHECK(runner.lease().pos == 1);
  CHECK(stored_seqs(on, "a") == std::vector<uint64_t>{1});
}

TEST_CASE_TEMPLATE("doubt: the next batch goes on after either", Doubtful,
                   EVERY_DOUBTFUL_STORE) {
  Doubtful on;
  batch_runner runner{on.writer(),
                      must(on.writer().take_slot(1, "node", first_run))};
  for (const bool stored : {true, false, true}) {
    on.lose_next_commit(stored);
    asked_batch batch;
    batch.add("appservice/a", append_one("a"));
    batch.add("appservice/b", append_one("b"));
    must(batch.run(runner));
    CHECK(batch.told(0) == ec::none);
    CHECK(batch.told(1) == ec::none);
  }
  CHECK(runner.lease().pos == 3);
  CHECK(stored_seqs(on, "a") == std::vector<uint64_t>{1, 2, 3});
  CHECK(stored_seqs(on, "b") == std::vector<uint64_t>{1, 2, 3});
}

TEST_CASE_TEMPLATE("doubt: a take-over in between supersedes", Doubtful,
                   EVERY_DOUBTFUL_STORE) {
  Doubtful on;
  batch_runner runner{on.writer(),
                      must(on.writer().take_slot(1, "node", first_run))};
  auto successor = on.where.connect();
  // It comes before the batch is done again.
  runner.on_in_doubt
    = [&](bool) { must(successor->take_slot(1, "other", first_run + 1)); };
  on.lose_next_commit(false);
  asked_batch batch;
  batch.add("appservice/a", append_one("a"));
  CHECK(code_of(batch.run(runner)) == ec::superseded);
  CHECK(batch.told(0) == ec::unavailable);
  CHECK(stored_seqs(on, "a").empty());
}

TEST_CASE("doubt: a connection that the server ended is made anew") {
  on_postgresql where;
  auto db = where.connect();
  batch_runner runner{*db, must(db->take_slot(1, "node", first_run))};
  where.database.end_connections();
  asked_batch batch;
  batch.add("appservice/a", append_one("a"));
  must(batch.run(runner));
  CHECK(batch.told(0) == ec::none);
  // And in the middle of a batch.
  bool ended = false;
  asked_batch second;
  second.add("appservice/a",
             [&](store& on, batch_context& context) -> expected<void> {
               if (!std::exchange(ended, true))
                 where.database.end_connections();
               return append_one("a")(on, context);
             });
  must(second.run(runner));
  CHECK(second.told(0) == ec::none);
  CHECK(runner.lease().pos == 2);
}

TEST_CASE("doubt: a reader makes a lost connection anew") {
  on_postgresql where;
  auto db = where.connect();
  auto reader = where.connect_reader();
  const auto before = must(reader->identity());
  where.database.end_connections();
  CHECK(must(reader->identity()).store_id == before.store_id);
}

TEST_CASE("doubt: a writer that waits too long for its slot is told so") {
  on_postgresql where;
  auto db = where.connect();
  auto lease = must(db->take_slot(1, "node", first_run));
  auto other = where.connect();
  must(other->begin(lease, 1));
  CHECK(code_of(db->begin(lease, 1)) == ec::unavailable);
  other->rollback();
  must(db->begin(lease, 1));
  must(db->commit());
}
