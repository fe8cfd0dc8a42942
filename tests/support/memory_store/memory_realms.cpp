#include "tests/support/memory_store/memory_realms.hpp"

#include "persistence/text_check.hpp"

#include <algorithm>
#include <utility>

namespace weir::test {

namespace {

using room_key = memory_tables::realm_room_key;

bool holds_in(const realm_room_row& row, uint64_t version) {
  return row.added_in <= version
    && (row.removed_in == 0 || row.removed_in > version);
}

/// Keys of a realm's subscriptions that `wanted` picks.
template <class Wanted>
std::vector<room_key> rooms_that(const memory_tables& tables, realm_no realm,
                                 size_t rows_max, Wanted wanted) {
  std::vector<room_key> keys;
  for (auto each = tables.realm_rooms.lower_bound({realm, "", 0});
       each != tables.realm_rooms.end() && std::get<0>(each->first) == realm
       && keys.size() < rows_max;
       ++each)
    if (wanted(each->second))
      keys.push_back(each->first);
  return keys;
}

} // namespace

std::vector<realm_room_row> audience_of(const memory_tables& tables,
                                        realm_no realm, uint64_t version,
                                        const std::string& after,
                                        size_t rows_max) {
  std::vector<realm_room_row> rows;
  for (auto each = tables.realm_rooms.upper_bound({realm, after, UINT64_MAX});
       each != tables.realm_rooms.end() && std::get<0>(each->first) == realm
       && rows.size() < rows_max;
       ++each)
    if (holds_in(each->second, version))
      rows.push_back(each->second);
  return rows;
}

expected<std::optional<realm_row>> memory_realms::lock(const realm_id& id) {
  WEIR_TRY(const auto statement, on_.run("lock realm"));
  if (!storable_as_text(id.value))
    return fail(on_.failed(ec::rejected, "lock realm: text"));
  const auto& tables = on_.tables();
  const auto found = tables.realm_ids.find(id.value);
  if (found == tables.realm_ids.end())
    return std::optional<realm_row>{};
  return std::optional{tables.realms.at(found->second)};
}

expected<realm_row> memory_realms::adopt(const realm_id& id,
                                         const std::string& account) {
  WEIR_TRY(auto known, lock(id));
  if (known)
    return std::move(*known);
  WEIR_TRY(const auto statement, on_.run("adopt realm", true));
  if (!storable_as_text(account))
    return fail(on_.failed(ec::rejected, "adopt realm: text"));
  realm_row row;
  row.no = on_.tables().last_realm + 1;
  row.id = id;
  row.account = account;
  on_.set<&memory_tables::last_realm>(row.no);
  on_.put<&memory_tables::realms>(row.no, row);
  on_.put<&memory_tables::realm_ids>(id.value, row.no);
  return row;
}

expected<void> memory_realms::save(const realm_row& row) {
  WEIR_TRY(const auto statement, on_.run("save realm"));
  if (!on_.tables().realms.contains(row.no))
    return fail(on_.failed(ec::rejected, "save realm: no such row"));
  if (!storable_as_text(row.account) || !storable_as_text(row.stage_mark)
      || (row.halted
          && !(storable_as_text(row.halted->by)
               && storable_as_text(row.halted->reason))))
    return fail(on_.failed(ec::rejected, "save realm: text"));
  on_.put<&memory_tables::realms>(row.no, row);
  return ok();
}

expected<void> memory_realms::remove(realm_no realm) {
  WEIR_TRY(const auto statement, on_.run("remove realm"));
  const auto found = on_.tables().realms.find(realm);
  if (found != on_.tables().realms.end())
    on_.erase<&memory_tables::realm_ids>(std::string{found->second.id.value});
  on_.erase<&memory_tables::realms>(realm);
  std::vector<std::pair<realm_no, std::string>> open;
  for (const auto& [key, none] : on_.tables().realm_open)
    if (key.first == realm)
      open.push_back(key);
  for (const auto& key : open)
    on_.erase<&memory_tables::realm_open>(key);
  return ok();
}

expected<std::vector<realm_row>>
memory_realms::list(realm_no after, bool with_work, size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("list realms"));
  const auto& realms = on_.tables().realms;
  std::vector<realm_row> rows;
  for (auto each = realms.upper_bound(after);
       each != realms.end() && rows.size() < rows_max; ++each)
    if (!with_work || each->second.open_events > 0)
      rows.push_back(each->second);
  return rows;
}

expected<void> memory_realms::count_bytes(uint32_t slot, int64_t by) {
  WEIR_TRY(const auto statement, on_.run("count realm bytes"));
  const auto found = on_.tables().realm_bytes.find(slot);
  const auto before
    = found == on_.tables().realm_bytes.end() ? int64_t{0} : found->second;
  on_.put<&memory_tables::realm_bytes>(slot, before + by);
  return ok();
}

expected<uint64_t> memory_realms::queued_bytes() {
  WEIR_TRY(const auto statement, on_.run("realm bytes"));
  int64_t sum = 0;
  for (const auto& [slot, bytes] : on_.tables().realm_bytes)
    sum += bytes;
  return static_cast<uint64_t>(sum);
}

expected<std::optional<realm_room_row>>
memory_realms::subscription(realm_no realm, const room_id& room,
                            uint64_t version) {
  WEIR_TRY(const auto statement, on_.run("subscription"));
  const auto& rooms = on_.tables().realm_rooms;
  for (auto each = rooms.lower_bound({realm, room.value, 0});
       each != rooms.end() && std::get<0>(each->first) == realm
       && std::get<1>(each->first) == room.value;
       ++each)
    if (holds_in(each->second, version))
      return std::optional{each->second};
  return std::optional<realm_room_row>{};
}

expected<std::vector<realm_room_row>>
memory_realms::audience(realm_no realm, uint64_t version,
                        const std::string& after, size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("audience"));
  return audience_of(on_.tables(), realm, version, after, rows_max);
}

expected<void> memory_realms::subscribe(realm_no realm,
                                        std::span<const room_id> rooms,
                                        uint64_t added_in) {
  if (rooms.empty())
    return ok();
  WEIR_TRY(const auto statement, on_.run("subscribe", true));
  for (const auto& room : rooms) {
    const room_key key{realm, room.value, added_in};
    if (!storable_as_text(room.value) || on_.tables().realm_rooms.contains(key))
      return fail(on_.failed(ec::rejected, "subscribe"));
    on_.put<&memory_tables::realm_rooms>(key,
                                         realm_room_row{room, added_in, 0, {}});
  }
  return ok();
}

expected<uint64_t> memory_realms::unsubscribe(realm_no realm,
                                              std::span<const room_id> rooms,
                                              uint64_t removed_in) {
  WEIR_TRY(const auto statement, on_.run("unsubscribe"));
  uint64_t ended = 0;
  for (const auto& room : rooms) {
    const auto keys
      = rooms_that(on_.tables(), realm, SIZE_MAX, [&](const auto& row) {
          return row.room == room && row.removed_in == 0
            && row.added_in < removed_in;
        });
    for (const auto& key : keys) {
      auto row = on_.tables().realm_rooms.at(key);
      row.removed_in = removed_in;
      on_.put<&memory_tables::realm_rooms>(key, row);
      ++ended;
    }
  }
  return ended;
}

expected<void> memory_realms::suspend(realm_no realm, const room_id& room,
                                      uint64_t added_in, stored_time since) {
  WEIR_TRY(const auto statement, on_.run("suspend subscription"));
  const room_key key{realm, room.value, added_in};
  const auto found = on_.tables().realm_rooms.find(key);
  if (found == on_.tables().realm_rooms.end())
    return ok();
  auto row = found->second;
  row.suspended_at = since;
  on_.put<&memory_tables::realm_rooms>(key, row);
  return ok();
}

expected<uint64_t> memory_realms::unstage(realm_no realm, uint64_t version,
                                          size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("unstage"));
  const auto added
    = rooms_that(on_.tables(), realm, rows_max, [&](const realm_room_row& row) {
        return row.added_in == version;
      });
  for (const auto& key : added)
    on_.erase<&memory_tables::realm_rooms>(key);
  const auto removed = rooms_that(
    on_.tables(), realm, rows_max - added.size(), [&](const auto& row) {
      return row.removed_in == version && row.removed_in > 0;
    });
  for (const auto& key : removed) {
    auto row = on_.tables().realm_rooms.at(key);
    row.removed_in = 0;
    on_.put<&memory_tables::realm_rooms>(key, row);
  }
  return added.size() + removed.size();
}

expected<uint64_t> memory_realms::forget_rooms(realm_no realm, uint64_t version,
                                               size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("forget subscriptions"));
  const auto gone
    = rooms_that(on_.tables(), realm, rows_max, [&](const auto& row) {
        return row.removed_in > 0 && row.removed_in <= version;
      });
  for (const auto& key : gone)
    on_.erase<&memory_tables::realm_rooms>(key);
  return gone.size();
}

expected<bool> memory_realms::is_left_open(realm_no realm,
                                           const room_id& room) {
  WEIR_TRY(const auto statement, on_.run("is left open"));
  return on_.tables().realm_open.contains({realm, room.value});
}

expected<void> memory_realms::leave_open(realm_no realm, const room_id& room,
                                         bool open) {
  WEIR_TRY(const auto statement, on_.run("leave open", open));
  const std::pair key{realm, room.value};
  if (open)
    on_.put<&memory_tables::realm_open>(key, memory_tables::nothing{});
  else
    on_.erase<&memory_tables::realm_open>(key);
  return ok();
}

expected<bool> memory_realms::is_any_left_open(realm_no realm) {
  WEIR_TRY(const auto statement, on_.run("any left open"));
  const auto& open = on_.tables().realm_open;
  const auto first = open.lower_bound({realm, ""});
  return first != open.end() && first->first.first == realm;
}

expected<std::optional<account_row>>
memory_realms::lock_account(const std::string& id) {
  WEIR_TRY(const auto statement, on_.run("lock account"));
  const auto found = on_.tables().accounts.find(id);
  if (found == on_.tables().accounts.end())
    return std::optional<account_row>{};
  return std::optional{found->second};
}

expected<void> memory_realms::save_account(const account_row& row) {
  WEIR_TRY(const auto statement, on_.run("save account", true));
  for (const auto* text : {&row.id, &row.held_cause, &row.device})
    if (!storable_as_text(*text))
      return fail(on_.failed(ec::rejected, "save account: text"));
  on_.put<&memory_tables::accounts>(row.id, row);
  return ok();
}

} // namespace weir::test
