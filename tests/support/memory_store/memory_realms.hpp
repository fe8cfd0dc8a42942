#pragma once

#include "persistence/realm_store.hpp"
#include "tests/support/memory_store/memory_state.hpp"

namespace weir::test {

/// Port `realm_store` in memory.
class memory_realms final : public realm_store {
public:
  explicit memory_realms(memory_session& on) : on_{on} {
  }
  expected<std::optional<realm_row>> lock(const realm_id& id) override;
  expected<realm_row> adopt(const realm_id& id,
                            const std::string& account) override;
  expected<void> save(const realm_row& row) override;
  expected<void> remove(realm_no realm) override;
  expected<std::vector<realm_row>> list(realm_no after, bool with_work,
                                        size_t rows_max) override;
  expected<void> count_bytes(uint32_t slot, int64_t by) override;
  expected<uint64_t> queued_bytes() override;
  expected<std::optional<realm_room_row>>
  subscription(realm_no realm, const room_id& room, uint64_t version) override;
  expected<std::vector<realm_room_row>> audience(realm_no realm,
                                                 uint64_t version,
                                                 const std::string& after,
                                                 size_t rows_max) override;
  expected<void> subscribe(realm_no realm, std::span<const room_id> rooms,
                           uint64_t added_in) override;
  expected<uint64_t> unsubscribe(realm_no realm, std::span<const room_id> rooms,
                                 uint64_t removed_in) override;
  expected<void> suspend(realm_no realm, const room_id& room, uint64_t added_in,
                         stored_time since) override;
  expected<uint64_t> unstage(realm_no realm, uint64_t version,
                             size_t rows_max) override;
  expected<uint64_t> forget_rooms(realm_no realm, uint64_t version,
                                  size_t rows_max) override;
  expected<bool> is_left_open(realm_no realm, const room_id& room) override;
  expected<void> leave_open(realm_no realm, const room_id& room,
                            bool open) override;
  expected<bool> is_any_left_open(realm_no realm) override;
  expected<std::optional<account_row>>
  lock_account(const std::string& id) override;
  expected<void> save_account(const account_row& row) override;

private:
  memory_session& on_;
};

/// Port `realm_event_store` in memory.
class memory_realm_events final : public realm_event_store {
public:
  explicit memory_realm_events(memory_session& on) : on_{on} {
  }
  expected<void> append(realm_no realm, const realm_event_row& row,
                        const realm_content_row& content) override;
  expected<void> append(realm_no realm, const realm_event_row& row) override;
  expected<void> save(realm_no realm, const realm_event_row& row) override;
  expected<std::optional<realm_event_row>> read(realm_no realm,
                                                uint64_t seq) override;
  expected<std::vector<realm_event_row>>
  find_key(realm_no realm, std::string_view key) override;
  expected<std::optional<realm_event_row>>
  find_id(realm_no realm, std::string_view event_id) override;
  expected<std::optional<realm_event_row>> head(realm_no realm) override;
  expected<std::optional<realm_event_row>> tail(realm_no realm) override;
  expected<std::vector<realm_event_row>> in_state(realm_no realm,
                                                  realm_event_state state,
                                                  uint64_t after,
                                                  size_t rows_max) override;
  expected<std::vector<realm_event_row>> due(realm_no realm, stored_time now,
                                             size_t rows_max) override;
  expected<std::vector<realm_event_row>> lossy(realm_no realm,
                                               size_t rows_max) override;
  expected<std::vector<realm_event_row>> over(realm_no realm,
                                              stored_time before,
                                              bool dead_letters,
                                              size_t rows_max) override;
  expected<std::optional<realm_content_row>> content(realm_no realm,
                                                     uint64_t seq) override;
  expected<void> put_content(realm_no realm, uint64_t seq,
                             const realm_content_row& content) override;
  expected<void> drop_content(realm_no realm, uint64_t seq) override;
  expected<void> remove(realm_no realm, uint64_t seq) override;

private:
  /// Rows of one state that `wanted` picks, in order of seq.
  template <class Wanted>
  std::vector<realm_event_row> pick(realm_no realm, realm_event_state state,
                                    uint64_t after, size_t rows_max,
                                    Wanted wanted);
  void put(realm_no realm, const realm_event_row& row);

  memory_session& on_;
};

/// Port `realm_send_store` in memory.
class memory_realm_sends final : public realm_send_store {
public:
  explicit memory_realm_sends(memory_session& on) : on_{on} {
  }
  expected<void> append(realm_no realm,
                        std::span<const realm_send_row> rows) override;
  expected<void> save(realm_no realm, const realm_send_row& row) override;
  expected<std::optional<realm_send_row>> read(realm_no realm, uint64_t seq,
                                               const room_id& room) override;
  expected<std::optional<realm_lane_row>> lane(realm_no realm,
                                               const room_id& room) override;
  expected<std::vector<realm_lane_row>>
  lanes(realm_no realm, const std::string& after, size_t rows_max) override;
  expected<bool> has_open_progress(realm_no realm,
                                   const room_id& room) override;
  expected<bool> has_free_room(realm_no realm, uint64_t version) override;
  expected<std::vector<realm_send_row>> of_event(realm_no realm, uint64_t seq,
                                                 bool unsettled,
                                                 const std::string& after,
                                                 size_t rows_max) override;
  expected<uint64_t> remove(realm_no realm, uint64_t seq,
                            size_t rows_max) override;

private:
  void put(realm_no realm, const realm_send_row& row);

  memory_session& on_;
};

/// The reading side: what is committed.
std::unique_ptr<realm_reader>
make_memory_realm_reader(std::shared_ptr<memory_state> state);

/// Subscriptions of one version, for either side.
std::vector<realm_room_row> audience_of(const memory_tables& tables,
                                        realm_no realm, uint64_t version,
                                        const std::string& after,
                                        size_t rows_max);
/// Sends of one event, likewise.
std::vector<realm_send_row> sends_of(const memory_tables& tables,
                                     realm_no realm, uint64_t seq,
                                     bool unsettled, const std::string& after,
                                     size_t rows_max);

} // namespace weir::test
