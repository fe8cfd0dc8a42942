#pragma once

#include "persistence/realm_store.hpp"
#include "persistence/sql/statement.hpp"

namespace weir::sql {

/// Events of realms on SQL. Belongs to one connection.
class realm_events final : public realm_event_store {
public:
  explicit realm_events(connection& on);

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
  statement append_;
  statement save_;
  statement read_;
  statement key_;
  statement id_;
  statement head_;
  statement tail_;
  statement queued_;
  statement binding_;
  statement bound_;
  statement due_;
  statement lossy_;
  statement over_;
  statement content_;
  statement put_content_;
  statement drop_content_;
  statement remove_;
};

} // namespace weir::sql
