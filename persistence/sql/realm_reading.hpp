#pragma once

#include "persistence/realm_store.hpp"
#include "persistence/sql/statement.hpp"

namespace weir::sql {

/// The reading side of realms. Belongs to one connection; a lost connection is
/// made anew once, but for one with a snapshot open: another connection would
/// be another snapshot.
class realm_reading final : public realm_reader {
public:
  explicit realm_reading(connection& on);

  expected<std::optional<realm_row>> realm(const realm_id& id) override;
  expected<std::vector<realm_row>> realms(realm_no after,
                                          size_t rows_max) override;
  expected<stored_time> oldest_open(realm_no realm) override;
  expected<std::optional<realm_event_row>>
  event(realm_no realm, std::string_view event_id) override;
  expected<std::vector<realm_send_row>> sends(realm_no realm, uint64_t seq,
                                              const std::string& after,
                                              size_t rows_max) override;
  expected<std::vector<realm_room_row>> audience(realm_no realm,
                                                 uint64_t version,
                                                 const std::string& after,
                                                 size_t rows_max) override;
  expected<std::optional<account_row>> account(const std::string& id) override;
  expected<std::vector<realm_event_row>>
  with_dead_letters(realm_no realm, uint64_t after, size_t rows_max) override;
  expected<realm_totals> totals() override;
  expected<std::optional<queue_status_row>>
  status(const std::string& queue) override;

private:
  template <class... Arguments>
  expected<void> ask(statement& which, const Arguments&... arguments);

  connection& on_;
  statement realm_;
  statement realms_;
  statement oldest_;
  statement event_;
  statement sends_;
  statement audience_;
  statement account_;
  statement dead_letters_;
  statement status_;
  statement totals_;
};

} // namespace weir::sql
