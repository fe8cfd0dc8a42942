#include "persistence/sql/realm_events.hpp"

#include "persistence/sql/realm_columns.hpp"
#include "persistence/text_list.hpp"

#include <utility>

namespace weir::sql {

namespace {

std::string select(std::string_view which) {
  return "SELECT " + std::string{realm_event_columns}
  + " FROM realm_event WHERE realm = :realm " + std::string{which};
}

/// The index of open events is known by its own words.
std::string select_queued(std::string_view which) {
  return select("AND state = 0 AND state < 3 " + std::string{which});
}

std::string of_state(std::string_view number) {
  return select("AND state = " + std::string{number}
                + " AND state < 3 AND seq > :after "
                  "ORDER BY seq LIMIT :rows_max");
}

const std::string_view append_text
  = "INSERT INTO realm_event (realm, seq, event_id, key, part, parts, "
    "request, type, class, mode, rule_key, fields, size, own_rooms, "
    "accepted_at, expires_at, state, how, audience_version, bound_at, "
    "bound_after, targets, written, unsettled, delivered, failed, over_at, "
    "merged_into) VALUES (:realm, :seq, :event_id, :key, :part, :parts, "
    ":request, :type, :class, :mode, :rule_key, :fields, :size, :own_rooms, "
    ":accepted_at, :expires_at, :state, :how, :audience_version, :bound_at, "
    ":bound_after, :targets, :written, :unsettled, :delivered, :failed, "
    ":over_at, :merged_into)";

const std::string_view save_text
  = "UPDATE realm_event SET size = :size, expires_at = :expires_at, "
    "state = :state, how = :how, audience_version = :audience_version, "
    "bound_at = :bound_at, bound_after = :bound_after, targets = :targets, "
    "written = :written, unsettled = :unsettled, delivered = :delivered, "
    "failed = :failed, over_at = :over_at, merged_into = :merged_into "
    "WHERE realm = :realm AND seq = :seq";

std::optional<std::string> packed_rooms(const realm_content_row& content) {
  if (!content.rooms)
    return {};
  std::vector<std::string> ids;
  ids.reserve(content.rooms->size());
  for (const auto& room : *content.rooms)
    ids.push_back(room.value);
  return pack_texts(ids);
}

} // namespace

realm_events::realm_events(connection& on)
  : append_{on, "append realm event", std::string{append_text}},
    save_{on, "save realm event", std::string{save_text}},
    read_{on, "realm event", select("AND seq = :seq"), realm_event_types},
    key_{on, "realm key", select("AND key = :key ORDER BY part"),
         realm_event_types},
    id_{on, "realm event by id", select("AND event_id = :event_id"),
        realm_event_types},
    head_{on, "realm head", select_queued("ORDER BY seq LIMIT 1"),
          realm_event_types},
    tail_{on, "realm tail", select_queued("ORDER BY seq DESC LIMIT 1"),
          realm_event_types},
    queued_{on, "queued events", of_state("0"), realm_event_types},
    binding_{on, "events being bound", of_state("1"), realm_event_types},
    bound_{on, "bound events", of_state("2"), realm_event_types},
    due_{on, "realm events due",
         select("AND state = 0 AND expires_at > 0 AND class > 0 "
                "AND expires_at <= :now ORDER BY expires_at, seq "
                "LIMIT :rows_max"),
         realm_event_types},
    lossy_{on, "lossy events",
           select("AND state = 0 AND class = 2 ORDER BY seq "
                  "LIMIT :rows_max"),
           realm_event_types},
    over_{on, "events over",
          select("AND over_at > 0 AND over_at < :before "
                 "AND (failed = 0 OR CAST(:dead_letters AS BIGINT) = 1) "
                 "ORDER BY over_at, seq LIMIT :rows_max"),
          realm_event_types},
    content_{on, "realm content",
             "SELECT content, rooms FROM realm_content "
             "WHERE realm = :realm AND seq = :seq",
             "tt"},
    put_content_{on, "put realm content",
                 "INSERT INTO realm_content (realm, seq, content, rooms) "
                 "VALUES (:realm, :seq, :content, :rooms) "
                 "ON CONFLICT (realm, seq) DO UPDATE "
                 "SET content = excluded.content, rooms = excluded.rooms"},
    drop_content_{on, "drop realm content",
                  "DELETE FROM realm_content "
                  "WHERE realm = :realm AND seq = :seq"},
    remove_{on, "remove realm event",
            "DELETE FROM realm_event WHERE realm = :realm AND seq = :seq"} {
}

expected<void> realm_events::append(realm_no realm, const realm_event_row& row,
                                    const realm_content_row& content) {
  WEIR_TRY(append(realm, row));
  return put_content(realm, row.seq, content);
}

expected<void> realm_events::append(realm_no realm,
                                    const realm_event_row& row) {
  return append_.run(
    realm, row.seq, row.event_id, row.key, row.part, row.parts, row.request,
    row.type, static_cast<int64_t>(row.importance),
    static_cast<int64_t>(row.rule.mode), row.rule.key,
    pack_texts(row.rule.fields), row.size, row.own_rooms, row.accepted_at,
    row.expires_at, static_cast<int64_t>(row.state),
    static_cast<int64_t>(row.how), row.audience_version, row.bound_at,
    row.bound_after, row.targets, row.written, row.unsettled, row.delivered,
    row.failed, row.over_at, row.merged_into);
}

expected<void> realm_events::save(realm_no realm, const realm_event_row& row) {
  WEIR_TRY(save_.run(row.size, row.expires_at, static_cast<int64_t>(row.state),
                     static_cast<int64_t>(row.how), row.audience_version,
                     row.bound_at, row.bound_after, row.targets, row.written,
                     row.unsettled, row.delivered, row.failed, row.over_at,
                     row.merged_into, realm, row.seq));
  if (save_.changed() != 1)
    return fail(ec::rejected, "save realm event: no such row");
  return ok();
}

expected<std::optional<realm_event_row>> realm_events::read(realm_no realm,
                                                            uint64_t seq) {
  WEIR_TRY(read_.run(realm, as_count(seq)));
  return read_first_realm_event(read_);
}

expected<std::vector<realm_event_row>>
realm_events::find_key(realm_no realm, std::string_view key) {
  WEIR_TRY(key_.run(realm, key));
  return read_realm_events(key_);
}

expected<std::optional<realm_event_row>>
realm_events::find_id(realm_no realm, std::string_view event_id) {
  WEIR_TRY(id_.run(realm, event_id));
  return read_first_realm_event(id_);
}

expected<std::optional<realm_event_row>> realm_events::head(realm_no realm) {
  WEIR_TRY(head_.run(realm));
  return read_first_realm_event(head_);
}

expected<std::optional<realm_event_row>> realm_events::tail(realm_no realm) {
  WEIR_TRY(tail_.run(realm));
  return read_first_realm_event(tail_);
}

expected<std::vector<realm_event_row>>
realm_events::in_state(realm_no realm, realm_event_state state, uint64_t after,
                       size_t rows_max) {
  WEIR_ASSERT(state != realm_event_state::over);
  auto& listing = state == realm_event_state::queued ? queued_
    : state == realm_event_state::binding            ? binding_
                                                     : bound_;
  WEIR_TRY(listing.run(realm, as_count(after), as_count(rows_max)));
  return read_realm_events(listing);
}

expected<std::vector<realm_event_row>>
realm_events::due(realm_no realm, stored_time now, size_t rows_max) {
  WEIR_TRY(due_.run(realm, now, as_count(rows_max)));
  return read_realm_events(due_);
}

expected<std::vector<realm_event_row>> realm_events::lossy(realm_no realm,
                                                           size_t rows_max) {
  WEIR_TRY(lossy_.run(realm, as_count(rows_max)));
  return read_realm_events(lossy_);
}

expected<std::vector<realm_event_row>> realm_events::over(realm_no realm,
                                                          stored_time before,
                                                          bool dead_letters,
                                                          size_t rows_max) {
  WEIR_TRY(over_.run(realm, before, dead_letters, as_count(rows_max)));
  return read_realm_events(over_);
}

expected<std::optional<realm_content_row>> realm_events::content(realm_no realm,
                                                                 uint64_t seq) {
  WEIR_TRY(content_.run(realm, as_count(seq)));
  WEIR_TRY(const auto found, content_.next());
  std::optional<realm_content_row> row;
  if (found) {
    row.emplace();
    row->content = content_.text(0);
    if (!content_.null(1)) {
      auto ids = unpack_texts(content_.text(1));
      if (!ids)
        return fail(ec::corrupt, "realm content: unreadable rooms");
      row->rooms.emplace();
      for (auto& id : *ids)
        row->rooms->push_back({std::move(id)});
    }
  }
  content_.done();
  return row;
}

expected<void> realm_events::put_content(realm_no realm, uint64_t seq,
                                         const realm_content_row& content) {
  return put_content_.run(realm, seq, content.content, packed_rooms(content));
}

expected<void> realm_events::drop_content(realm_no realm, uint64_t seq) {
  return drop_content_.run(realm, seq);
}

expected<void> realm_events::remove(realm_no realm, uint64_t seq) {
  WEIR_TRY(drop_content_.run(realm, seq));
  return remove_.run(realm, seq);
}

} // namespace weir::sql
