#include "persistence/text_check.hpp"
#include "tests/support/memory_store/memory_realms.hpp"

#include <tuple>
#include <utility>

namespace weir::test {

namespace {

using lane_iterator = decltype(memory_tables::realm_lanes)::const_iterator;

realm_lane_row lane_at(const memory_tables& tables, lane_iterator first) {
  const auto& [realm, room, seq] = first->first;
  const auto next = std::next(first);
  const bool has_more = next != tables.realm_lanes.end()
    && std::get<0>(next->first) == realm && std::get<1>(next->first) == room;
  return {{room}, seq, has_more};
}

} // namespace

std::vector<realm_send_row> sends_of(const memory_tables& tables,
                                     realm_no realm, uint64_t seq,
                                     bool unsettled, const std::string& after,
                                     size_t rows_max) {
  std::vector<realm_send_row> rows;
  for (auto each = tables.realm_sends.upper_bound({realm, seq, after});
       each != tables.realm_sends.end() && std::get<0>(each->first) == realm
       && std::get<1>(each->first) == seq && rows.size() < rows_max;
       ++each)
    if (!unsettled || each->second.outcome == send_outcome::none)
      rows.push_back(each->second);
  return rows;
}

void memory_realm_sends::put(realm_no realm, const realm_send_row& row) {
  const std::tuple lane{realm, row.room.value, row.seq};
  if (row.outcome == send_outcome::none)
    on_.put<&memory_tables::realm_lanes>(lane, memory_tables::nothing{});
  else
    on_.erase<&memory_tables::realm_lanes>(lane);
  on_.put<&memory_tables::realm_sends>(
    std::tuple{realm, row.seq, row.room.value}, row);
}

expected<void>
memory_realm_sends::append(realm_no realm,
                           std::span<const realm_send_row> rows) {
  if (rows.empty())
    return ok();
  WEIR_TRY(const auto statement, on_.run("append sends", true));
  for (const auto& row : rows) {
    if (!storable_as_text(row.room.value) || !storable_as_text(row.txn)
        || on_.tables().realm_sends.contains({realm, row.seq, row.room.value}))
      return fail(on_.failed(ec::rejected, "append sends"));
    auto fresh = row;
    fresh.attempts = 0;
    fresh.tries = 0;
    fresh.may_be_stored = false;
    fresh.cause.clear();
    fresh.not_before = {};
    fresh.remote_id.clear();
    put(realm, fresh);
  }
  return ok();
}

expected<void> memory_realm_sends::save(realm_no realm,
                                        const realm_send_row& row) {
  WEIR_TRY(const auto statement, on_.run("save send"));
  const auto found
    = on_.tables().realm_sends.find({realm, row.seq, row.room.value});
  if (found == on_.tables().realm_sends.end() || !storable_as_text(row.txn)
      || !storable_as_text(row.cause) || !storable_as_text(row.remote_id))
    return fail(on_.failed(ec::rejected, "save send"));
  auto kept = row;
  kept.version = found->second.version;
  kept.importance = found->second.importance;
  put(realm, kept);
  return ok();
}

expected<std::optional<realm_send_row>>
memory_realm_sends::read(realm_no realm, uint64_t seq, const room_id& room) {
  WEIR_TRY(const auto statement, on_.run("send"));
  const auto found = on_.tables().realm_sends.find({realm, seq, room.value});
  if (found == on_.tables().realm_sends.end())
    return std::optional<realm_send_row>{};
  return std::optional{found->second};
}

expected<std::optional<realm_lane_row>>
memory_realm_sends::lane(realm_no realm, const room_id& room) {
  WEIR_TRY(const auto statement, on_.run("lane"));
  const auto& lanes = on_.tables().realm_lanes;
  const auto first = lanes.lower_bound({realm, room.value, 0});
  if (first == lanes.end() || std::get<0>(first->first) != realm
      || std::get<1>(first->first) != room.value)
    return std::optional<realm_lane_row>{};
  return std::optional{lane_at(on_.tables(), first)};
}

expected<std::vector<realm_lane_row>>
memory_realm_sends::lanes(realm_no realm, const std::string& after,
                          size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("lanes"));
  const auto& lanes = on_.tables().realm_lanes;
  std::vector<realm_lane_row> rows;
  auto each = lanes.upper_bound({realm, after, UINT64_MAX});
  while (each != lanes.end() && std::get<0>(each->first) == realm
         && rows.size() < rows_max) {
    rows.push_back(lane_at(on_.tables(), each));
    each = lanes.upper_bound({realm, rows.back().room.value, UINT64_MAX});
  }
  return rows;
}

expected<bool> memory_realm_sends::has_open_progress(realm_no realm,
                                                     const room_id& room) {
  WEIR_TRY(const auto statement, on_.run("open progress"));
  const auto& tables = on_.tables();
  for (auto each = tables.realm_lanes.lower_bound({realm, room.value, 0});
       each != tables.realm_lanes.end() && std::get<0>(each->first) == realm
       && std::get<1>(each->first) == room.value;
       ++each)
    if (tables.realm_sends.at({realm, std::get<2>(each->first), room.value})
          .importance
        == realm_class::progress)
      return true;
  return false;
}

expected<bool> memory_realm_sends::has_free_room(realm_no realm,
                                                 uint64_t version) {
  WEIR_TRY(const auto statement, on_.run("free room"));
  const auto& lanes = on_.tables().realm_lanes;
  for (const auto& row :
       audience_of(on_.tables(), realm, version, {}, SIZE_MAX)) {
    const auto first = lanes.lower_bound({realm, row.room.value, 0});
    if (first == lanes.end() || std::get<0>(first->first) != realm
        || std::get<1>(first->first) != row.room.value)
      return true;
  }
  return false;
}

expected<std::vector<realm_send_row>>
memory_realm_sends::of_event(realm_no realm, uint64_t seq, bool unsettled,
                             const std::string& after, size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("sends of an event"));
  return sends_of(on_.tables(), realm, seq, unsettled, after, rows_max);
}

expected<uint64_t> memory_realm_sends::remove(realm_no realm, uint64_t seq,
                                              size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("remove sends"));
  const auto gone = sends_of(on_.tables(), realm, seq, false, {}, rows_max);
  for (const auto& row : gone) {
    on_.erase<&memory_tables::realm_lanes>(
      std::tuple{realm, row.room.value, seq});
    on_.erase<&memory_tables::realm_sends>(
      std::tuple{realm, seq, row.room.value});
  }
  return gone.size();
}

} // namespace weir::test
