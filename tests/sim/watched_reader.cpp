#include "tests/sim/watched_store.hpp"

#include "persistence/realm_store.hpp"

namespace weir::sim {

namespace {

class watched_reader final : public store_reader {
public:
  watched_reader(std::unique_ptr<store_reader> inner,
                 std::shared_ptr<store_watch> by)
    : inner_{std::move(inner)},
      by_{std::move(by)} {
  }

  expected<store_identity> identity() override {
    WEIR_TRY(there());
    return inner_->identity();
  }
  expected<stored_time> now() override {
    WEIR_TRY(there());
    return inner_->now();
  }
  expected<std::vector<queue_view>> queues(page_request page) override {
    WEIR_TRY(there());
    return inner_->queues(page);
  }
  expected<std::optional<queue_view>> queue(const appservice_id& id) override {
    WEIR_TRY(there());
    return inner_->queue(id);
  }
  expected<std::vector<dead_letter_row>>
  dead_letters(const std::optional<appservice_id>& of,
               page_request page) override {
    WEIR_TRY(there());
    return inner_->dead_letters(of, page);
  }
  expected<std::optional<dead_letter_row>> dead_letter(int64_t id) override {
    WEIR_TRY(there());
    return inner_->dead_letter(id);
  }
  expected<std::vector<quarantine_row>>
  quarantined(const std::optional<appservice_id>& of,
              page_request page) override {
    WEIR_TRY(there());
    return inner_->quarantined(of, page);
  }
  expected<std::optional<quarantine_row>>
  quarantined_body(int64_t id) override {
    WEIR_TRY(there());
    return inner_->quarantined_body(id);
  }
  expected<std::vector<owed_row>> owed(const appservice_id& of, uint64_t after,
                                       size_t rows_max,
                                       size_t bytes_max) override {
    WEIR_TRY(there());
    return inner_->owed(of, after, rows_max, bytes_max);
  }
  expected<kept_counts> kept_by(const appservice_id& of) override {
    WEIR_TRY(there());
    return inner_->kept_by(of);
  }
  expected<std::vector<command_row>> commands(int64_t before,
                                              size_t rows_max) override {
    WEIR_TRY(there());
    return inner_->commands(before, rows_max);
  }

  expected<kept_totals> kept() override {
    WEIR_TRY(there());
    return inner_->kept();
  }
  expected<uint64_t> database_bytes() override {
    WEIR_TRY(there());
    return inner_->database_bytes();
  }
  expected<std::unique_ptr<store_snapshot>>
  open_snapshot(snapshot_access with) override {
    WEIR_TRY(there());
    return inner_->open_snapshot(with);
  }
  realm_reader& realms() override {
    return inner_->realms();
  }

private:
  expected<void> there() {
    if (by_->is_away())
      return fail(ec::unavailable, "the database is away");
    return ok();
  }

  std::unique_ptr<store_reader> inner_;
  std::shared_ptr<store_watch> by_;
};

} // namespace

std::unique_ptr<store_reader> watch_reader(std::unique_ptr<store_reader> inner,
                                           std::shared_ptr<store_watch> by) {
  return std::make_unique<watched_reader>(std::move(inner), std::move(by));
}

} // namespace weir::sim
