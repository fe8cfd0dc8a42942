#pragma once

#include "persistence/realm_store.hpp"
#include "persistence/sql/statement.hpp"

namespace weir::sql {

/// Sends of realms on SQL. Belongs to one connection.
class realm_sends final : public realm_send_store {
public:
  explicit realm_sends(connection& on);

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
  expected<void> append_at_once(realm_no realm,
                                std::span<const realm_send_row> rows);

  dialect speaks_;
  statement append_;
  statement save_;
  statement read_;
  statement lane_;
  statement lanes_;
  statement progress_;
  statement free_;
  statement all_;
  statement unsettled_;
  statement remove_;
};

} // namespace weir::sql
