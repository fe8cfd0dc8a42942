#pragma once

#include "persistence/realm_store.hpp"
#include "persistence/sql/statement.hpp"

namespace weir::sql {

/// Realms, their audiences and accounts on SQL. Belongs to one connection.
class realms final : public realm_store {
public:
  explicit realms(connection& on);

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
  dialect speaks_;
  statement lock_;
  statement adopt_;
  statement save_;
  statement remove_;
  statement forget_open_;
  statement list_;
  statement list_working_;
  statement count_bytes_;
  statement queued_bytes_;
  statement subscription_;
  statement audience_;
  statement subscribe_;
  statement unsubscribe_;
  statement suspend_;
  statement unstage_added_;
  statement unstage_removed_;
  statement forget_rooms_;
  statement is_open_;
  statement open_;
  statement close_;
  statement any_open_;
  statement lock_account_;
  statement save_account_;
};

} // namespace weir::sql
