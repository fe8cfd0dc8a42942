#include "tests/conformance/copied_stores.hpp"
#include "tests/conformance/token_world.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE_TEMPLATE("rewind: a writer from before a copy was put back is "
                   "superseded",
                   Copied, WEIR_EVERY_COPIED_STORE) {
  Copied on;
  slot_lease lease;
  {
    auto db = on.where.connect();
    batch_runner runner{*db, must(db->take_slot(1, "node", first_run))};
    must(runner.run({}));
    lease = runner.lease();
  }
  on.keep_copy();
  {
    auto db = on.where.connect();
    batch_runner runner{*db, lease};
    must(runner.run({}));
    lease = runner.lease();
  }
  on.put_back();
  auto db = on.where.connect();
  batch_runner runner{*db, lease};
  asked_batch batch;
  batch.add("appservice/a", append_one("a"));
  CHECK(code_of(batch.run(runner)) == ec::superseded);
  CHECK(batch.told(0) == ec::unavailable);
}

TEST_CASE_TEMPLATE("rewind: no transaction id comes twice from a copy", Copied,
                   WEIR_EVERY_COPIED_STORE) {
  // Each start pins one transaction under the run of its slot row.
  Copied on;
  const auto start = [&](uint64_t run) {
    auto db = on.where.connect();
    batch_runner runner{*db, must(db->take_slot(1, "node", run))};
    std::string id;
    asked_batch batch;
    batch.add("appservice/a",
              [&](store& to, batch_context& context) -> expected<void> {
                WEIR_TRY(auto queue, to.outbox().adopt_queue({"a"}));
                id = std::to_string(context.run) + "-"
                  + std::to_string(queue.next_txn++);
                return to.outbox().save_queue(queue);
              });
    must(batch.run(runner));
    CHECK(batch.told(0) == ec::none);
    return id;
  };
  std::vector<std::string> ids{start(first_run)};
  on.keep_copy();
  ids.push_back(start(first_run + 1));
  on.put_back();
  // The counter is back where it was; the run is not.
  ids.push_back(start(first_run + 2));
  CHECK(ids[1].substr(ids[1].find('-')) == ids[2].substr(ids[2].find('-')));
  std::sort(ids.begin(), ids.end());
  CHECK(std::unique(ids.begin(), ids.end()) == ids.end());
}

namespace {

/// How the store stands to the token of a write.
template <class Where>
token_standing stands_to(Where& where, const slot_position& written) {
  auto reader = where.connect_reader();
  return feed_client::stands(
    *reader, feed_client::after(feed_client::bound_at(written)));
}

} // namespace

TEST_CASE_TEMPLATE("rewind: B-17 tokens from after a copy was made are refused",
                   Copied, WEIR_EVERY_COPIED_STORE) {
  Copied on;
  const auto start
    = [&](uint64_t run) { return writer_on(on.where, 1, run).write(); };
  const auto before = start(first_run);
  on.keep_copy();
  const auto after = start(first_run + 1);
  on.put_back();
  const auto now = start(first_run + 2);
  // Both stand at the same position of the same slot.
  CHECK(after.pos == now.pos);
  CHECK(stands_to(on.where, after)
        == token_standing{token_refusal::unknown_run, {}});
  CHECK(stands_to(on.where, before).covered());
  CHECK(stands_to(on.where, now).covered());
}

TEST_CASE_TEMPLATE("rewind: B-18 tokens of commits that were lost are refused",
                   Copied, WEIR_EVERY_COPIED_STORE) {
  Copied on;
  slot_position kept;
  slot_lease lease;
  {
    auto writer = writer_on(on.where, 1, first_run);
    kept = writer.write();
    lease = writer.lease;
  }
  on.keep_copy();
  slot_position lost;
  {
    slot_writer writer{on.where.connect(), lease};
    for (int commit = 0; commit < 3; ++commit)
      lost = writer.write();
  }
  on.put_back();
  // Until somebody takes the slot the position may still come.
  CHECK(stands_to(on.where, lost) == token_standing{{}, slot_lag{1, 3}});
  writer_on(on.where, 1, first_run + 1).write(9);
  CHECK(stands_to(on.where, lost)
        == token_standing{token_refusal::beyond_run, {}});
  CHECK(stands_to(on.where, kept).covered());
}
