#include "persistence/text_check.hpp"
#include "tests/support/memory_store/memory_realms.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace weir::test {

namespace {

bool is_storable(const realm_event_row& row) {
  const auto& fields = row.rule.fields;
  return storable_as_text(row.event_id) && storable_as_text(row.key)
    && storable_as_text(row.request) && storable_as_text(row.type)
    && storable_as_text(row.rule.key) && storable_as_text(row.merged_into)
    && std::all_of(fields.begin(), fields.end(),
                   [](const auto& each) { return storable_as_text(each); });
}

bool is_storable(const realm_content_row& row) {
  return storable_as_text(row.content)
    && (!row.rooms
        || std::all_of(
          row.rooms->begin(), row.rooms->end(),
          [](const auto& each) { return storable_as_text(each.value); }));
}

std::optional<realm_event_row> first_of(std::vector<realm_event_row> rows) {
  if (rows.empty())
    return {};
  return std::move(rows.front());
}

constexpr auto any_row = [](const realm_event_row&) { return true; };

} // namespace

void memory_realm_events::put(realm_no realm, const realm_event_row& row) {
  const std::pair key{realm, row.seq};
  const auto known = on_.tables().realm_events.find(key);
  if (known != on_.tables().realm_events.end())
    on_.erase<&memory_tables::realm_open_events>(
      std::tuple{realm, known->second.state, row.seq});
  if (row.state != realm_event_state::over)
    on_.put<&memory_tables::realm_open_events>(
      std::tuple{realm, row.state, row.seq}, memory_tables::nothing{});
  on_.put<&memory_tables::realm_events>(key, row);
}

expected<void> memory_realm_events::append(realm_no realm,
                                           const realm_event_row& row,
                                           const realm_content_row& content) {
  WEIR_TRY(append(realm, row));
  return put_content(realm, row.seq, content);
}

expected<void> memory_realm_events::append(realm_no realm,
                                           const realm_event_row& row) {
  WEIR_TRY(const auto statement, on_.run("append realm event", true));
  const auto& tables = on_.tables();
  const std::tuple key{realm, row.key, row.part};
  if (!is_storable(row) || tables.realm_keys.contains(key)
      || tables.realm_event_ids.contains(row.event_id)
      || tables.realm_events.contains({realm, row.seq}))
    return fail(on_.failed(ec::rejected, "append realm event"));
  put(realm, row);
  on_.put<&memory_tables::realm_keys>(key, row.seq);
  on_.put<&memory_tables::realm_event_ids>(row.event_id,
                                           std::pair{realm, row.seq});
  return ok();
}

expected<void> memory_realm_events::save(realm_no realm,
                                         const realm_event_row& row) {
  WEIR_TRY(const auto statement, on_.run("save realm event"));
  const auto found = on_.tables().realm_events.find({realm, row.seq});
  if (found == on_.tables().realm_events.end() || !is_storable(row))
    return fail(on_.failed(ec::rejected, "save realm event"));
  auto kept = found->second;
  kept.size = row.size;
  kept.expires_at = row.expires_at;
  kept.state = row.state;
  kept.how = row.how;
  kept.audience_version = row.audience_version;
  kept.bound_at = row.bound_at;
  kept.bound_after = row.bound_after;
  kept.targets = row.targets;
  kept.written = row.written;
  kept.unsettled = row.unsettled;
  kept.delivered = row.delivered;
  kept.failed = row.failed;
  kept.over_at = row.over_at;
  kept.merged_into = row.merged_into;
  put(realm, kept);
  return ok();
}

expected<std::optional<realm_event_row>>
memory_realm_events::read(realm_no realm, uint64_t seq) {
  WEIR_TRY(const auto statement, on_.run("realm event"));
  const auto found = on_.tables().realm_events.find({realm, seq});
  if (found == on_.tables().realm_events.end())
    return std::optional<realm_event_row>{};
  return std::optional{found->second};
}

expected<std::vector<realm_event_row>>
memory_realm_events::find_key(realm_no realm, std::string_view key) {
  WEIR_TRY(const auto statement, on_.run("realm key"));
  if (!storable_as_text(key))
    return fail(on_.failed(ec::rejected, "realm key: text"));
  const auto& tables = on_.tables();
  std::vector<realm_event_row> rows;
  for (auto each = tables.realm_keys.lower_bound({realm, std::string{key}, 0});
       each != tables.realm_keys.end() && std::get<0>(each->first) == realm
       && std::get<1>(each->first) == key;
       ++each)
    rows.push_back(tables.realm_events.at({realm, each->second}));
  return rows;
}

expected<std::optional<realm_event_row>>
memory_realm_events::find_id(realm_no realm, std::string_view event_id) {
  WEIR_TRY(const auto statement, on_.run("realm event by id"));
  if (!storable_as_text(event_id))
    return fail(on_.failed(ec::rejected, "realm event by id: text"));
  const auto& tables = on_.tables();
  const auto found = tables.realm_event_ids.find(std::string{event_id});
  if (found == tables.realm_event_ids.end() || found->second.first != realm)
    return std::optional<realm_event_row>{};
  return std::optional{tables.realm_events.at(found->second)};
}

template <class Wanted>
std::vector<realm_event_row>
memory_realm_events::pick(realm_no realm, realm_event_state state,
                          uint64_t after, size_t rows_max, Wanted wanted) {
  const auto& tables = on_.tables();
  std::vector<realm_event_row> rows;
  for (auto each = tables.realm_open_events.upper_bound({realm, state, after});
       each != tables.realm_open_events.end()
       && std::get<0>(each->first) == realm && std::get<1>(each->first) == state
       && rows.size() < rows_max;
       ++each) {
    const auto& row = tables.realm_events.at({realm, std::get<2>(each->first)});
    if (wanted(row))
      rows.push_back(row);
  }
  return rows;
}

expected<std::optional<realm_event_row>>
memory_realm_events::head(realm_no realm) {
  WEIR_TRY(const auto statement, on_.run("realm head"));
  return first_of(pick(realm, realm_event_state::queued, 0, 1, any_row));
}

expected<std::optional<realm_event_row>>
memory_realm_events::tail(realm_no realm) {
  WEIR_TRY(const auto statement, on_.run("realm tail"));
  const auto& tables = on_.tables();
  auto each = tables.realm_open_events.upper_bound(
    {realm, realm_event_state::queued, UINT64_MAX});
  if (each == tables.realm_open_events.begin())
    return std::optional<realm_event_row>{};
  --each;
  if (std::get<0>(each->first) != realm
      || std::get<1>(each->first) != realm_event_state::queued)
    return std::optional<realm_event_row>{};
  return std::optional{
    tables.realm_events.at({realm, std::get<2>(each->first)})};
}

expected<std::vector<realm_event_row>>
memory_realm_events::in_state(realm_no realm, realm_event_state state,
                              uint64_t after, size_t rows_max) {
  WEIR_ASSERT(state != realm_event_state::over);
  WEIR_TRY(const auto statement, on_.run("realm events by state"));
  return pick(realm, state, after, rows_max, any_row);
}

expected<std::vector<realm_event_row>>
memory_realm_events::due(realm_no realm, stored_time now, size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("realm events due"));
  auto rows = pick(realm, realm_event_state::queued, 0, SIZE_MAX,
                   [&](const realm_event_row& row) {
                     return row.expires_at != stored_time{}
                     && row.expires_at <= now
                       && row.importance != realm_class::completion;
                   });
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.expires_at < b.expires_at;
  });
  rows.resize(std::min(rows.size(), rows_max));
  return rows;
}

expected<std::vector<realm_event_row>>
memory_realm_events::lossy(realm_no realm, size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("lossy events"));
  return pick(realm, realm_event_state::queued, 0, rows_max,
              [](const realm_event_row& row) {
                return row.importance == realm_class::lossy;
              });
}

expected<std::vector<realm_event_row>>
memory_realm_events::over(realm_no realm, stored_time before, bool dead_letters,
                          size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("events over"));
  const auto& events = on_.tables().realm_events;
  std::vector<realm_event_row> rows;
  for (auto each = events.lower_bound({realm, 0});
       each != events.end() && each->first.first == realm; ++each)
    if (each->second.over_at != stored_time{} && each->second.over_at < before
        && (dead_letters || each->second.failed == 0))
      rows.push_back(each->second);
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.over_at < b.over_at;
  });
  rows.resize(std::min(rows.size(), rows_max));
  return rows;
}

expected<std::optional<realm_content_row>>
memory_realm_events::content(realm_no realm, uint64_t seq) {
  WEIR_TRY(const auto statement, on_.run("realm content"));
  const auto found = on_.tables().realm_contents.find({realm, seq});
  if (found == on_.tables().realm_contents.end())
    return std::optional<realm_content_row>{};
  return std::optional{found->second};
}

expected<void>
memory_realm_events::put_content(realm_no realm, uint64_t seq,
                                 const realm_content_row& content) {
  WEIR_TRY(const auto statement, on_.run("put realm content", true));
  if (!is_storable(content))
    return fail(on_.failed(ec::rejected, "put realm content: text"));
  on_.put<&memory_tables::realm_contents>(std::pair{realm, seq}, content);
  return ok();
}

expected<void> memory_realm_events::drop_content(realm_no realm, uint64_t seq) {
  WEIR_TRY(const auto statement, on_.run("drop realm content"));
  on_.erase<&memory_tables::realm_contents>(std::pair{realm, seq});
  return ok();
}

expected<void> memory_realm_events::remove(realm_no realm, uint64_t seq) {
  WEIR_TRY(const auto statement, on_.run("remove realm event"));
  const std::pair key{realm, seq};
  on_.erase<&memory_tables::realm_contents>(key);
  const auto found = on_.tables().realm_events.find(key);
  if (found == on_.tables().realm_events.end())
    return ok();
  const auto row = found->second;
  on_.erase<&memory_tables::realm_open_events>(
    std::tuple{realm, row.state, seq});
  on_.erase<&memory_tables::realm_keys>(std::tuple{realm, row.key, row.part});
  on_.erase<&memory_tables::realm_event_ids>(row.event_id);
  on_.erase<&memory_tables::realm_events>(key);
  return ok();
}

} // namespace weir::test
