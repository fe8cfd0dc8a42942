#pragma once

#include "persistence/realm_store.hpp"
#include "persistence/store.hpp"
#include "tests/support/memory_store/memory_store.hpp"

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <tuple>

namespace weir::test {

/// Everything that is stored. Each map is a table, ordered by its key.
struct memory_tables {
  struct inbound_entry {
    inbound_row row;
    uint64_t arrival = 0;
  };
  struct seen_entry {
    uint64_t arrival = 0;
    stored_time at;
  };
  struct run_entry {
    uint64_t first_pos = 0;
    std::optional<uint64_t> last_pos;
  };
  using arrival_key = std::pair<queue_no, uint64_t>;
  using inbound_key = std::tuple<queue_no, std::string, uint32_t>;
  using seen_key = std::pair<queue_no, uint64_t>;
  using realm_room_key = std::tuple<realm_no, std::string, uint64_t>;
  using realm_event_key = std::pair<realm_no, uint64_t>;
  using realm_send_key = std::tuple<realm_no, uint64_t, std::string>;
  /// An index has no values.
  struct nothing {
    friend bool operator==(const nothing&, const nothing&) = default;
  };

  store_identity identity;
  int64_t clock_offset = 0;
  queue_no last_queue = 0;
  int64_t last_letter = 0;
  int64_t last_quarantine = 0;
  int64_t last_command = 0;
  std::map<uint32_t, slot_row> slots;
  std::map<std::pair<uint32_t, uint64_t>, run_entry> runs;
  std::map<queue_no, queue_row> queues;
  std::map<std::string, queue_no> queue_ids;
  std::map<std::pair<queue_no, uint64_t>, owed_row> outbox;
  std::map<std::pair<queue_no, uint64_t>, waiting_row> waiting;
  std::map<std::pair<queue_no, uint64_t>, ordering_row> orderings;
  std::map<inbound_key, inbound_entry> inbound;
  std::map<arrival_key, inbound_key> inbound_order;
  std::map<seen_key, seen_entry> seen;
  std::map<arrival_key, seen_key> seen_order;
  std::map<int64_t, dead_letter_row> letters;
  std::map<int64_t, quarantine_row> quarantine;
  std::map<std::pair<uint32_t, uint64_t>, outcome_row> outcomes;
  std::map<uint32_t, uint64_t> forgotten_outcomes;
  std::map<std::string, queue_status_row> statuses;
  std::map<int64_t, command_row> commands;
  std::map<queue_no, removal_row> removals;
  realm_no last_realm = 0;
  std::map<realm_no, realm_row> realms;
  std::map<std::string, realm_no> realm_ids;
  std::map<uint32_t, int64_t> realm_bytes;
  std::map<realm_room_key, realm_room_row> realm_rooms;
  std::map<realm_event_key, realm_event_row> realm_events;
  std::map<realm_event_key, realm_content_row> realm_contents;
  std::map<realm_send_key, realm_send_row> realm_sends;
  std::map<std::pair<realm_no, std::string>, nothing> realm_open;
  std::map<std::string, account_row> accounts;
  // As SQL's indexes.
  std::map<std::string, realm_event_key> realm_event_ids;
  std::map<std::tuple<realm_no, std::string, uint32_t>, uint64_t> realm_keys;
  std::map<std::tuple<realm_no, realm_event_state, uint64_t>, nothing>
    realm_open_events;
  std::map<std::tuple<realm_no, std::string, uint64_t>, nothing> realm_lanes;
};

class memory_session;

/// The shared half of a memory database: tables, the open transaction's undo
/// log, faults and the clock. All members are guarded by `mutex`.
class memory_state {
public:
  std::mutex mutex;
  std::condition_variable transaction_ended;
  memory_tables tables;
  /// Takes back, last first, what the open transaction did.
  std::vector<std::function<void(memory_tables&)>> undo;
  const memory_session* writer = nullptr;

  std::optional<uint64_t> failing_statement;
  ec failing_with = ec::rejected;
  std::optional<connection_loss> loss;
  bool away = false;
  bool away_after_commit = false;
  bool disk_full = false;
  std::function<stored_time()> clock;
  uint64_t commits = 0;
  uint64_t statements = 0;

  void roll_back();
  /// What a reader sees: the tables without the open transaction.
  [[nodiscard]] memory_tables committed_copy() const;
};

/// One connection. Its methods take the state's lock themselves; `tables`,
/// `put`, `erase` and `set` want it held and a transaction open.
class memory_session {
public:
  explicit memory_session(std::shared_ptr<memory_state> state);
  ~memory_session();

  expected<void> begin();
  expected<void> commit();
  void roll_back() noexcept;
  expected<void> reconnect();

  /// Held while one statement runs.
  using statement = std::unique_lock<std::mutex>;
  /// Begins a statement: counts it, and fails as it was told to.
  expected<statement> run(std::string_view doing, bool adds_rows = false);
  /// What a broken statement leaves behind.
  error failed(ec code, std::string context);

  memory_tables& tables() {
    return state_->tables;
  }
  memory_state& state() {
    return *state_;
  }

  template <auto Table, class Key, class Value>
  void put(const Key& key, Value value) {
    auto& table = tables().*Table;
    const auto found = table.find(key);
    std::optional<Value> before;
    if (found != table.end())
      before = found->second;
    state_->undo.push_back([key, before](memory_tables& of) {
      if (before)
        (of.*Table).insert_or_assign(key, *before);
      else
        (of.*Table).erase(key);
    });
    table.insert_or_assign(key, std::move(value));
  }

  template <auto Table, class Key>
  void erase(const Key& key) {
    auto node = (tables().*Table).extract(key);
    if (node.empty())
      return;
    state_->undo.push_back([key, before = node.mapped()](memory_tables& of) {
      (of.*Table).insert_or_assign(key, before);
    });
  }

  template <auto Member, class Value>
  void set(Value value) {
    state_->undo.push_back(
      [before = tables().*Member](memory_tables& of) { of.*Member = before; });
    tables().*Member = value;
  }

private:
  std::shared_ptr<memory_state> state_;
  bool connected_ = true;
  bool open_ = false;
  bool failed_ = false;
};

} // namespace weir::test
