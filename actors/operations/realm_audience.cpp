#include "actors/operations/realm_audience.hpp"

#include "actors/operations/realm_ledger.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace weir::operations {

namespace {

/// What a change comes to, room by room.
struct difference {
  std::vector<room_id> add;
  std::vector<room_id> end; ///< Subscriptions that hold now.
  uint64_t resumed = 0;     ///< In both: they rested.
};

std::vector<room_id> once_each(std::vector<room_id> rooms) {
  std::sort(rooms.begin(), rooms.end());
  rooms.erase(std::unique(rooms.begin(), rooms.end()), rooms.end());
  return rooms;
}

expected<difference> compare(store& db, const realm_row& realm,
                             const change_realm_audience& request) {
  difference what;
  const auto held = [&](const room_id& room) {
    return db.realms().rows.subscription(realm.no, room,
                                         realm.audience_version);
  };
  for (auto& room : once_each(request.add)) {
    WEIR_TRY(const auto known, held(room));
    if (known && known->suspended_at == stored_time{})
      continue;
    if (known) {
      what.end.push_back(room);
      what.resumed += 1;
    }
    what.add.push_back(std::move(room));
  }
  for (auto& room : once_each(request.remove)) {
    WEIR_TRY(const auto known, held(room));
    if (known)
      what.end.push_back(std::move(room));
  }
  return what;
}

realm_audience_changed reply_of(const realm_row& realm,
                                audience_result result) {
  realm_audience_changed reply;
  reply.result = result;
  reply.version = realm.audience_version;
  reply.rooms = realm.audience;
  return reply;
}

/// A stretch of the old and the new audience, by rooms.
class stretch {
public:
  stretch(const std::vector<realm_room_row>& old,
          const std::vector<room_id>& wanted, const std::string& after) {
    constexpr auto most = limits::realm_audience_change_max;
    const auto first
      = std::upper_bound(wanted.begin(), wanted.end(), room_id{after});
    const auto left = static_cast<size_t>(wanted.end() - first);
    // Up to the last room that is surely known of both.
    std::optional<room_id> end;
    if (old.size() == most)
      end = old.back().room;
    if (left > most && (!end || first[most - 1] < *end))
      end = first[most - 1];
    is_last_ = !end;
    if (end)
      last_ = end->value;
    auto mine = old.begin();
    for (auto room = first; room != wanted.end() && (!end || *room <= *end);
         ++room) {
      for (; mine != old.end() && mine->room < *room; ++mine)
        what_.end.push_back(mine->room);
      const bool is_known = mine != old.end() && mine->room == *room;
      const bool rests = is_known && mine->suspended_at != stored_time{};
      if (is_known)
        ++mine;
      if (is_known && !rests)
        continue;
      if (rests) {
        what_.end.push_back(*room);
        what_.resumed += 1;
      }
      what_.add.push_back(*room);
    }
    for (; mine != old.end() && (!end || mine->room <= *end); ++mine)
      what_.end.push_back(mine->room);
  }

  [[nodiscard]] const difference& what() const {
    return what_;
  }
  [[nodiscard]] bool is_last() const {
    return is_last_;
  }
  [[nodiscard]] const std::string& last() const {
    return last_;
  }

private:
  difference what_;
  bool is_last_ = true;
  std::string last_;
};

} // namespace

expected<bool> give_up_stage(store& db, realm_row& realm) {
  if (realm.staged == 0)
    return true;
  WEIR_TRY(const auto changed,
           db.realms().rows.unstage(realm.no, realm.staged,
                                    limits::realm_audience_change_max));
  if (changed == limits::realm_audience_change_max)
    return false;
  realm.staged = 0;
  realm.stage_mark.clear();
  return true;
}

expected<realm_audience_changed>
replace_audience(store& db, batch_context& batch,
                 const replace_realm_audience& request) {
  const slot_position at{batch.slot, batch.run, batch.pos + 1};
  auto& rows = db.realms().rows;
  WEIR_TRY(const auto found, rows.lock(request.realm));
  realm_ledger ledger{db, batch, found};
  auto& realm = ledger.row;
  if (request.begins && request.if_version
      && *request.if_version != realm.audience_version)
    return reply_of(realm, audience_result::version_conflict);
  if (!request.begins
      && (realm.staged == 0 || realm.stage_mark != request.mark))
    return reply_of(realm, audience_result::busy);
  WEIR_TRY(ledger.ensure(request.realm, request.account));
  if (request.begins) {
    WEIR_TRY(const bool is_free, give_up_stage(db, realm));
    if (!is_free)
      return reply_of(realm, audience_result::more);
  }
  const auto version = realm.audience_version + 1;
  WEIR_TRY(const auto old,
           rows.audience(realm.no, realm.audience_version, request.after,
                         limits::realm_audience_change_max));
  const stretch some{old, *request.rooms, request.after};
  const auto& what = some.what();
  WEIR_TRY(rows.unsubscribe(realm.no, what.end, version));
  WEIR_TRY(rows.subscribe(realm.no, what.add, version));
  const bool is_same
    = request.begins && some.is_last() && what.add.empty() && what.end.empty();
  realm.staged = some.is_last() ? 0 : version;
  realm.stage_mark = some.is_last() ? "" : request.mark;
  if (some.is_last() && !is_same) {
    realm.audience_version = version;
    realm.audience = request.rooms->size();
  }
  WEIR_TRY(ledger.save());
  auto reply = reply_of(
    realm, some.is_last() ? audience_result::done : audience_result::more);
  reply.added = what.add.size() - what.resumed;
  reply.removed = what.end.size() - what.resumed;
  reply.last = some.last();
  reply.at = at;
  return reply;
}

expected<realm_audience_changed>
change_audience(store& db, batch_context& batch,
                const change_realm_audience& request) {
  WEIR_ASSERT(request.add.size() + request.remove.size()
              <= limits::realm_audience_change_max);
  const slot_position at{batch.slot, batch.run, batch.pos + 1};
  WEIR_TRY(const auto found, db.realms().rows.lock(request.realm));
  realm_ledger ledger{db, batch, found};
  auto& realm = ledger.row;
  if (request.if_version && *request.if_version != realm.audience_version)
    return reply_of(realm, audience_result::version_conflict);
  if (!found && request.add.empty())
    return reply_of(realm, audience_result::unknown);
  WEIR_TRY(ledger.ensure(request.realm, request.account));
  WEIR_TRY(const bool is_free, give_up_stage(db, realm));
  if (!is_free)
    return reply_of(realm, audience_result::more);
  WEIR_TRY(const auto what, compare(db, realm, request));
  if (!what.add.empty() || !what.end.empty()) {
    const auto version = realm.audience_version + 1;
    WEIR_TRY(const auto ended,
             db.realms().rows.unsubscribe(realm.no, what.end, version));
    WEIR_TRY(db.realms().rows.subscribe(realm.no, what.add, version));
    realm.audience_version = version;
    realm.audience = realm.audience + what.add.size() - ended;
  }
  WEIR_TRY(ledger.save());
  auto reply = reply_of(realm, audience_result::done);
  reply.added = what.add.size() - what.resumed;
  reply.removed = what.end.size() - what.resumed;
  reply.at = at;
  return reply;
}

} // namespace weir::operations
