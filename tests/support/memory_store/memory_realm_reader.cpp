#include "tests/support/memory_store/memory_realms.hpp"

#include <utility>

namespace weir::test {

namespace {

class memory_realm_reader final : public realm_reader {
public:
  explicit memory_realm_reader(std::shared_ptr<memory_state> state)
    : state_{std::move(state)} {
  }

  expected<std::optional<realm_row>> realm(const realm_id& id) override {
    return look([&](const memory_tables& tables) {
      const auto found = tables.realm_ids.find(id.value);
      return found == tables.realm_ids.end()
        ? std::optional<realm_row>{}
        : std::optional{tables.realms.at(found->second)};
    });
  }
  expected<std::vector<realm_row>> realms(realm_no after,
                                          size_t rows_max) override {
    return look([&](const memory_tables& tables) {
      std::vector<realm_row> rows;
      for (auto each = tables.realms.upper_bound(after);
           each != tables.realms.end() && rows.size() < rows_max; ++each)
        rows.push_back(each->second);
      return rows;
    });
  }
  expected<stored_time> oldest_open(realm_no realm) override {
    return look([&](const memory_tables& tables) {
      stored_time oldest;
      for (const auto& [key, row] : tables.realm_events)
        if (key.first == realm && row.state != realm_event_state::over
            && (oldest == stored_time{} || row.accepted_at < oldest))
          oldest = row.accepted_at;
      return oldest;
    });
  }
  expected<std::optional<realm_event_row>>
  event(realm_no realm, std::string_view event_id) override {
    return look([&](const memory_tables& tables) {
      const auto found = tables.realm_event_ids.find(std::string{event_id});
      return found == tables.realm_event_ids.end()
          || found->second.first != realm
        ? std::optional<realm_event_row>{}
        : std::optional{tables.realm_events.at(found->second)};
    });
  }
  expected<std::vector<realm_send_row>> sends(realm_no realm, uint64_t seq,
                                              const std::string& after,
                                              size_t rows_max) override {
    return look([&](const memory_tables& tables) {
      return sends_of(tables, realm, seq, false, after, rows_max);
    });
  }
  expected<std::vector<realm_room_row>> audience(realm_no realm,
                                                 uint64_t version,
                                                 const std::string& after,
                                                 size_t rows_max) override {
    return look([&](const memory_tables& tables) {
      return audience_of(tables, realm, version, after, rows_max);
    });
  }
  expected<std::optional<account_row>> account(const std::string& id) override {
    return look([&](const memory_tables& tables) {
      const auto found = tables.accounts.find(id);
      return found == tables.accounts.end() ? std::optional<account_row>{}
                                            : std::optional{found->second};
    });
  }
  expected<std::vector<realm_event_row>>
  with_dead_letters(realm_no realm, uint64_t after, size_t rows_max) override {
    return look([&](const memory_tables& tables) {
      std::vector<realm_event_row> rows;
      for (auto each = tables.realm_events.upper_bound({realm, after});
           each != tables.realm_events.end() && each->first.first == realm
           && rows.size() < rows_max;
           ++each)
        if (each->second.failed > 0)
          rows.push_back(each->second);
      return rows;
    });
  }
  expected<realm_totals> totals() override {
    return look([](const memory_tables& tables) {
      realm_totals all;
      for (const auto& [no, row] : tables.realms) {
        all.realms += 1;
        all.halted += row.halted ? 1 : 0;
        all.open_events += row.open_events;
        all.open_bytes += row.open_bytes;
        all.unsettled += row.unsettled;
        all.dead_letters += row.dead_letters;
      }
      auto& oldest = all.oldest_accepted_at;
      for (const auto& [key, row] : tables.realm_events)
        if (row.state != realm_event_state::over
            && (oldest == stored_time{} || row.accepted_at < oldest))
          oldest = row.accepted_at;
      return all;
    });
  }
  expected<std::optional<queue_status_row>>
  status(const std::string& queue) override {
    return look([&](const memory_tables& tables) {
      const auto found = tables.statuses.find(queue);
      return found == tables.statuses.end() ? std::optional<queue_status_row>{}
                                            : std::optional{found->second};
    });
  }

private:
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
};

} // namespace

std::unique_ptr<realm_reader>
make_memory_realm_reader(std::shared_ptr<memory_state> state) {
  return std::make_unique<memory_realm_reader>(std::move(state));
}

} // namespace weir::test
