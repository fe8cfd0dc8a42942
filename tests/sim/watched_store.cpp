#include "tests/sim/watched_store.hpp"

#include "persistence/realm_store.hpp"

namespace weir::sim {

namespace {

class watched_outbox final : public outbox_store {
public:
  watched_outbox(outbox_store& inner, batch_content& content)
    : inner_{inner},
      content_{content} {
  }

  expected<std::optional<queue_row>>
  lock_queue(const appservice_id& id) override {
    content_.locked = true;
    auto row = inner_.lock_queue(id);
    if (row && row.value())
      note_pin(*row.value());
    return row;
  }
  expected<queue_row> adopt_queue(const appservice_id& id) override {
    auto row = inner_.adopt_queue(id);
    if (row)
      note_pin(row.value());
    return row;
  }
  expected<void> save_queue(const queue_row& row) override {
    content_.saved = true;
    content_.rows.push_back(row);
    return inner_.save_queue(row);
  }
  expected<void> append(queue_no queue,
                        std::span<const owed_row> rows) override {
    content_.appended = true;
    return inner_.append(queue, rows);
  }
  expected<std::vector<owed_row>> read_owed(queue_no queue, uint64_t after,
                                            size_t rows_max,
                                            size_t bytes_max) override {
    return inner_.read_owed(queue, after, rows_max, bytes_max);
  }
  expected<std::vector<owed_row>>
  read_ranges(queue_no queue, std::span<const lane_range> ranges) override {
    return inner_.read_ranges(queue, ranges);
  }
  expected<std::vector<owed_row>> read_values(queue_no queue, uint64_t after,
                                              size_t rows_max) override {
    return inner_.read_values(queue, after, rows_max);
  }
  expected<void> rewrite(queue_no queue, uint64_t seq,
                         std::string_view bytes) override {
    content_.appended = true;
    return inner_.rewrite(queue, seq, bytes);
  }
  expected<uint64_t> remove(queue_no queue,
                            std::span<const lane_range> ranges) override {
    WEIR_TRY(const auto removed, inner_.remove(queue, ranges));
    WEIR_TRY(look_at_full_queues());
    return removed;
  }
  expected<std::vector<appservice_id>> owed_queues(const appservice_id& after,
                                                   size_t rows_max) override {
    return inner_.owed_queues(after, rows_max);
  }

private:
  void note_pin(const queue_row& row) {
    content_.pins_before.try_emplace(row.id.value,
                                     row.pinned ? row.pinned->id : txn_id{});
  }

  /// What a full queue gives up is its oldest: nothing older stays behind. The
  /// pin is that of before, since no row was saved yet.
  expected<void> look_at_full_queues() {
    for (auto& at = content_.burials_seen; at < content_.burials.size(); ++at) {
      const auto& burial = content_.burials[at];
      if (burial.reason != "queue_full")
        continue;
      WEIR_TRY(const auto queue, inner_.lock_queue(burial.appservice));
      if (!queue)
        continue;
      WEIR_TRY(
        const auto rows,
        inner_.read_owed(queue->no, queue->acked, SIZE_MAX / 2, SIZE_MAX / 2));
      for (const auto& row : rows)
        if (row.seq < burial.seq && !is_pinned(*queue, row.item.kind, row.seq))
          content_.passed_over.try_emplace(burial.appservice.value, row.seq);
    }
    return ok();
  }

  outbox_store& inner_;
  batch_content& content_;
};

class watched_keep final : public keep_store {
public:
  watched_keep(keep_store& inner, batch_content& content, store_watch& by)
    : inner_{inner},
      content_{content},
      by_{by} {
  }

  expected<int64_t> bury(const dead_letter_row& row) override {
    WEIR_TRY(const auto id, inner_.bury(row));
    content_.burials.push_back(seen(row, id));
    return id;
  }
  expected<std::vector<dead_letter_row>>
  read_letters(const appservice_id& of, int64_t after, int64_t until,
               size_t rows_max, size_t bytes_max) override {
    WEIR_TRY(auto rows,
             inner_.read_letters(of, after, until, rows_max, bytes_max));
    for (const auto& row : rows)
      content_.letters_read[row.id] = seen(row, row.id);
    return rows;
  }
  expected<int64_t> last_letter(const appservice_id& of) override {
    return inner_.last_letter(of);
  }
  expected<uint64_t> remove_letters(const appservice_id& of,
                                    std::span<const int64_t> ids) override {
    for (const auto id : ids)
      if (const auto found = content_.letters_read.find(id);
          found != content_.letters_read.end())
        content_.letters_taken.push_back(found->second);
    return inner_.remove_letters(of, ids);
  }
  expected<bool> count_quarantined(const quarantine_row& row) override {
    return inner_.count_quarantined(row);
  }
  expected<int64_t> quarantine(const quarantine_row& row) override {
    return inner_.quarantine(row);
  }
  expected<std::vector<kept_size>>
  next_quarantined(const appservice_id& of, int64_t after, int64_t until,
                   size_t rows_max, size_t bytes_max) override {
    return inner_.next_quarantined(of, after, until, rows_max, bytes_max);
  }
  expected<int64_t> last_quarantined(const appservice_id& of) override {
    return inner_.last_quarantined(of);
  }
  expected<uint64_t> remove_quarantined(const appservice_id& of,
                                        std::span<const int64_t> ids) override {
    return inner_.remove_quarantined(of, ids);
  }
  expected<uint64_t> dead_letter_bytes() override {
    WEIR_TRY(const auto held, inner_.dead_letter_bytes());
    return by_.letters_held(held);
  }
  expected<uint64_t> quarantine_bytes() override {
    return inner_.quarantine_bytes();
  }
  expected<kept_bytes> held_by(const appservice_id& of) override {
    return inner_.held_by(of);
  }

private:
  static batch_content::burial seen(const dead_letter_row& row, int64_t id) {
    return {row.appservice, row.item.bytes, row.reason,
            row.seq,        row.item.kind,  id};
  }

  keep_store& inner_;
  batch_content& content_;
  store_watch& by_;
};

class watched_outcomes final : public outcome_store {
public:
  watched_outcomes(outcome_store& inner, batch_content& content)
    : inner_{inner},
      content_{content} {
  }

  expected<void> record(const outcome_row& row) override {
    content_.ends.push_back({row.queue, row.subject, row.result});
    return inner_.record(row);
  }
  expected<void> put_status(const queue_status_row& row) override {
    return inner_.put_status(row);
  }
  expected<std::optional<queue_status_row>>
  find_status(const std::string& queue) override {
    return inner_.find_status(queue);
  }
  expected<uint64_t> forget_outcomes(stored_time before, size_t keep_max,
                                     size_t rows_max) override {
    return inner_.forget_outcomes(before, keep_max, rows_max);
  }

private:
  outcome_store& inner_;
  batch_content& content_;
};

class watched_removals final : public removal_store {
public:
  watched_removals(store& inner, batch_content& content)
    : inner_{inner.removals()},
      keep_{inner.keep()},
      content_{content} {
  }

  expected<std::vector<held_queue>> queues(const appservice_id& after,
                                           size_t rows_max) override {
    return inner_.queues(after, rows_max);
  }
  expected<kept_counts> count_kept(const appservice_id& of) override {
    return inner_.count_kept(of);
  }
  expected<void> begin(const removal_row& row) override {
    content_.removed.push_back(row.appservice);
    return inner_.begin(row);
  }
  expected<std::optional<removal_row>>
  unfinished(const std::optional<appservice_id>& of) override {
    return inner_.unfinished(of);
  }
  expected<uint64_t> remove_some(const removal_row& row,
                                 size_t rows_max) override {
    return inner_.remove_some(row, rows_max);
  }
  expected<void> finish(const removal_row& row) override {
    WEIR_TRY(inner_.finish(row));
    WEIR_TRY(const auto there,
             keep_.read_letters(row.appservice, 0, INT64_MAX, SIZE_MAX / 2,
                                SIZE_MAX / 2));
    auto& letters = content_.removal_ended[row.appservice.value];
    for (const auto& letter : there)
      letters.push_back(letter.id);
    return ok();
  }

private:
  removal_store& inner_;
  keep_store& keep_;
  batch_content& content_;
};

class watched_store final : public store {
public:
  watched_store(std::unique_ptr<store> inner, std::shared_ptr<store_watch> by)
    : inner_{std::move(inner)},
      by_{std::move(by)},
      outbox_{inner_->outbox(), content_},
      keep_{inner_->keep(), content_, *by_},
      outcomes_{inner_->outcomes(), content_},
      removals_{*inner_, content_} {
  }

  expected<slot_lease> take_slot(uint32_t slot, const std::string& owner,
                                 uint64_t run) override {
    WEIR_TRY(there());
    WEIR_TRY(auto lease, inner_->take_slot(slot, owner, run));
    by_->found(lease.pos);
    return lease;
  }
  expected<std::vector<slot_row>> slots() override {
    WEIR_TRY(there());
    return inner_->slots();
  }
  expected<void> begin(const slot_lease& lease, uint64_t positions) override {
    content_ = {};
    position_ = lease.pos + positions;
    WEIR_TRY(there());
    return inner_->begin(lease, positions);
  }
  expected<stored_time> now() override {
    WEIR_TRY(there());
    return inner_->now();
  }
  expected<void> add_clock_offset(milliseconds by) override {
    return inner_->add_clock_offset(by);
  }
  expected<void> commit() override;
  void rollback() noexcept override {
    inner_->rollback();
  }
  expected<void> reconnect() override {
    WEIR_TRY(there());
    return inner_->reconnect();
  }
  expected<std::optional<slot_row>> read_slot(uint32_t slot) override {
    WEIR_TRY(there());
    WEIR_TRY(auto row, inner_->read_slot(slot));
    if (row)
      by_->found(row->pos);
    return row;
  }
  expected<void> tidy(size_t pages_max) override {
    WEIR_TRY(there());
    return inner_->tidy(pages_max);
  }
  outbox_store& outbox() override {
    return outbox_;
  }
  waiting_store& waiting() override {
    return inner_->waiting();
  }
  ordering_store& orderings() override {
    return inner_->orderings();
  }
  inbox_store& inbox() override {
    return inner_->inbox();
  }
  keep_store& keep() override {
    return keep_;
  }
  outcome_store& outcomes() override {
    return outcomes_;
  }
  command_store& commands() override {
    return inner_->commands();
  }
  removal_store& removals() override {
    return removals_;
  }
  realm_stores realms() override {
    return inner_->realms();
  }

private:
  expected<void> there() {
    if (by_->is_away())
      return fail(ec::unavailable, "the database is away");
    return ok();
  }
  expected<void> commit_inside();
  expected<void> lose(const char* when);

  std::unique_ptr<store> inner_;
  std::shared_ptr<store_watch> by_;
  batch_content content_;
  uint64_t position_ = 0; ///< That the open batch would leave.
  watched_outbox outbox_;
  watched_keep keep_;
  watched_outcomes outcomes_;
  watched_removals removals_;
};

expected<void> watched_store::commit_inside() {
  auto done = inner_->commit();
  if (done)
    by_->committed(content_);
  else if (done.error().code == ec::in_doubt)
    by_->doubted(content_, position_);
  return done;
}

expected<void> watched_store::lose(const char* when) {
  WEIR_TRY(inner_->reconnect());
  return fail(ec::in_doubt, when);
}

expected<void> watched_store::commit() {
  WEIR_TRY(there());
  if (!content_.burials.empty()) {
    WEIR_TRY(content_.letter_bytes, inner_->keep().dead_letter_bytes());
  }
  switch (by_->before_commit(content_)) {
  case commit_fate::commits: break;
  case commit_fate::node_ends_before:
    by_->end_node();
    return fail(ec::unavailable, "the node has ended");
  case commit_fate::node_ends_after: {
    auto done = commit_inside();
    by_->end_node();
    return done;
  }
  case commit_fate::lost: return lose("the connection was lost");
  case commit_fate::answer_lost:
    WEIR_TRY(commit_inside());
    return lose("the answer was lost");
  }
  return commit_inside();
}

} // namespace

std::unique_ptr<store> watch_store(std::unique_ptr<store> inner,
                                   std::shared_ptr<store_watch> by) {
  return std::make_unique<watched_store>(std::move(inner), std::move(by));
}

} // namespace weir::sim
