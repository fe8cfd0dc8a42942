#include "tests/support/memory_store/memory_ports.hpp"
#include "tests/support/memory_store/memory_realms.hpp"

#include <algorithm>

namespace weir::test {

namespace {

queue_view view_of(const memory_tables& tables, const queue_row& row) {
  queue_view view;
  view.row = row;
  if (const auto status = tables.statuses.find("appservice/" + row.id.value);
      status != tables.statuses.end())
    view.status = status->second;
  if (const auto oldest = tables.outbox.lower_bound({row.no, 0});
      oldest != tables.outbox.end() && oldest->first.first == row.no)
    view.oldest_accepted_at = oldest->second.accepted_at;
  for (const auto& [id, letter] : tables.letters) {
    if (letter.appservice != row.id)
      continue;
    ++view.dead_letters;
    view.dead_letter_bytes += letter.item.bytes.size();
  }
  for (const auto& [id, kept] : tables.quarantine) {
    if (kept.appservice != row.id)
      continue;
    ++view.quarantined;
    view.quarantine_bytes += kept.body.size();
  }
  return view;
}

/// A copy of what was committed when it was opened.
class memory_snapshot final : public store_snapshot {
public:
  explicit memory_snapshot(const memory_tables& tables)
    : state_{std::make_shared<memory_state>()},
      tables_{state_->tables},
      realms_{make_memory_realm_reader(state_)} {
    tables_ = tables;
  }

  expected<std::vector<slot_row>> slots() override {
    std::vector<slot_row> rows;
    for (const auto& [slot, row] : tables_.slots)
      rows.push_back(row);
    return rows;
  }
  expected<std::optional<uint64_t>> run_end(uint32_t slot,
                                            uint64_t run) override {
    const auto found = tables_.runs.find({slot, run});
    return found == tables_.runs.end() ? std::optional<uint64_t>{}
                                       : found->second.last_pos;
  }
  expected<std::vector<forgotten_row>> forgotten_outcomes() override {
    std::vector<forgotten_row> rows;
    for (const auto& [slot, pos] : tables_.forgotten_outcomes)
      rows.push_back({slot, pos});
    return rows;
  }
  expected<std::vector<outcome_row>> outcomes(uint32_t slot, uint64_t after,
                                              uint64_t until,
                                              size_t rows_max) override {
    std::vector<outcome_row> rows;
    for (auto each = tables_.outcomes.upper_bound({slot, after});
         each != tables_.outcomes.end() && each->first <= std::pair{slot, until}
         && rows.size() < rows_max;
         ++each)
      rows.push_back(each->second);
    return rows;
  }
  realm_reader& realms() override {
    return *realms_;
  }

private:
  std::shared_ptr<memory_state> state_; ///< Of its own; nobody writes to it.
  memory_tables& tables_;
  std::unique_ptr<realm_reader> realms_;
};

class memory_reader final : public store_reader {
public:
  explicit memory_reader(std::shared_ptr<memory_state> state)
    : state_{std::move(state)},
      realms_{make_memory_realm_reader(state_)} {
  }

  expected<store_identity> identity() override {
    return look([](const auto& tables) { return tables.identity; });
  }
  expected<stored_time> now() override {
    return look([this](const auto& tables) {
      return state_->clock() - milliseconds{tables.clock_offset};
    });
  }
  expected<std::vector<queue_view>> queues(page_request page) override;
  expected<std::optional<queue_view>> queue(const appservice_id& id) override;
  expected<std::vector<dead_letter_row>>
  dead_letters(const std::optional<appservice_id>& of,
               page_request page) override;
  expected<std::optional<dead_letter_row>> dead_letter(int64_t id) override;
  expected<std::vector<quarantine_row>>
  quarantined(const std::optional<appservice_id>& of,
              page_request page) override;
  expected<std::optional<quarantine_row>> quarantined_body(int64_t id) override;
  expected<std::vector<owed_row>> owed(const appservice_id& of, uint64_t after,
                                       size_t rows_max,
                                       size_t bytes_max) override;
  expected<kept_counts> kept_by(const appservice_id& of) override {
    return look([&](const auto& tables) { return kept_counts_of(tables, of); });
  }
  expected<std::vector<command_row>> commands(int64_t before,
                                              size_t rows_max) override;
  expected<kept_totals> kept() override {
    return look([](const memory_tables& tables) {
      kept_totals totals;
      for (const auto& [id, letter] : tables.letters)
        totals.dead_letter_bytes += letter.item.bytes.size();
      for (const auto& [id, body] : tables.quarantine)
        totals.quarantine_bytes += body.body.size();
      return totals;
    });
  }
  /// Nothing of it is in files; what its rows take.
  expected<uint64_t> database_bytes() override {
    return look([](const memory_tables& tables) {
      uint64_t bytes = 1;
      for (const auto& [place, row] : tables.outbox)
        bytes += row.item.bytes.size();
      return bytes;
    });
  }
  expected<std::unique_ptr<store_snapshot>>
  open_snapshot(snapshot_access) override {
    WEIR_TRY(const auto tables,
             look([](const memory_tables& all) { return all; }));
    return std::make_unique<memory_snapshot>(tables);
  }
  realm_reader& realms() override {
    return *realms_;
  }

private:
  /// Runs `reading` on what is committed.
  template <class Reading>
  auto look(Reading reading)
    -> expected<decltype(reading(std::declval<const memory_tables&>()))> {
    const std::lock_guard lock{state_->mutex};
    if (state_->away)
      return fail(ec::unavailable, "read: no database");
    if (state_->writer == nullptr)
      return reading(state_->tables);
    return reading(state_->committed_copy());
  }

  std::shared_ptr<memory_state> state_;
  std::unique_ptr<realm_reader> realms_;
};

expected<std::vector<queue_view>> memory_reader::queues(page_request page) {
  return look([&](const memory_tables& tables) {
    std::vector<queue_view> views;
    for (auto each = tables.queues.upper_bound(page.after);
         each != tables.queues.end() && views.size() < page.rows_max; ++each)
      views.push_back(view_of(tables, each->second));
    return views;
  });
}

expected<std::optional<queue_view>>
memory_reader::queue(const appservice_id& id) {
  return look([&](const memory_tables& tables) {
    const auto found = tables.queue_ids.find(id.value);
    return found == tables.queue_ids.end()
      ? std::optional<queue_view>{}
      : view_of(tables, tables.queues.at(found->second));
  });
}

expected<std::vector<dead_letter_row>>
memory_reader::dead_letters(const std::optional<appservice_id>& of,
                            page_request page) {
  return look([&](const memory_tables& tables) {
    std::vector<dead_letter_row> rows;
    for (auto each = tables.letters.upper_bound(page.after);
         each != tables.letters.end() && rows.size() < page.rows_max; ++each) {
      if (of && each->second.appservice != *of)
        continue;
      rows.push_back(each->second);
      rows.back().size = rows.back().item.bytes.size();
      rows.back().item.bytes.clear();
    }
    return rows;
  });
}

expected<std::optional<dead_letter_row>>
memory_reader::dead_letter(int64_t id) {
  return look([&](const memory_tables& tables) {
    const auto found = tables.letters.find(id);
    return found == tables.letters.end() ? std::optional<dead_letter_row>{}
                                         : found->second;
  });
}

expected<std::vector<quarantine_row>>
memory_reader::quarantined(const std::optional<appservice_id>& of,
                           page_request page) {
  return look([&](const memory_tables& tables) {
    std::vector<quarantine_row> rows;
    for (auto each = tables.quarantine.upper_bound(page.after);
         each != tables.quarantine.end() && rows.size() < page.rows_max;
         ++each) {
      if (of && each->second.appservice != *of)
        continue;
      rows.push_back(each->second);
      rows.back().size = rows.back().body.size();
      rows.back().body.clear();
    }
    return rows;
  });
}

expected<std::optional<quarantine_row>>
memory_reader::quarantined_body(int64_t id) {
  return look([&](const memory_tables& tables) {
    const auto found = tables.quarantine.find(id);
    return found == tables.quarantine.end() ? std::optional<quarantine_row>{}
                                            : found->second;
  });
}

expected<std::vector<owed_row>> memory_reader::owed(const appservice_id& of,
                                                    uint64_t after,
                                                    size_t rows_max,
                                                    size_t bytes_max) {
  return look([&](const memory_tables& tables) {
    std::vector<owed_row> rows;
    const auto no = tables.queue_ids.find(of.value);
    if (no == tables.queue_ids.end())
      return rows;
    size_t bytes = 0;
    for (auto each = tables.outbox.upper_bound({no->second, after});
         each != tables.outbox.end() && each->first.first == no->second
         && rows.size() < rows_max && bytes <= bytes_max;
         ++each) {
      rows.push_back(each->second);
      bytes += rows.back().item.bytes.size();
    }
    return rows;
  });
}

expected<std::vector<command_row>> memory_reader::commands(int64_t before,
                                                           size_t rows_max) {
  return look([&](const memory_tables& tables) {
    std::vector<command_row> rows;
    auto each = tables.commands.lower_bound(before);
    while (each != tables.commands.begin() && rows.size() < rows_max)
      rows.push_back((--each)->second);
    std::ranges::reverse(rows);
    return rows;
  });
}

} // namespace

std::unique_ptr<store_reader>
make_memory_reader(std::shared_ptr<memory_state> state) {
  return std::make_unique<memory_reader>(std::move(state));
}

} // namespace weir::test
