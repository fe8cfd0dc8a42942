#include "actors/operations/letters.hpp"

#include "actors/operations/lanes.hpp"
#include "actors/operations/overflow.hpp"
#include "actors/operations/pin_next.hpp"
#include "actors/policy/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace weir::operations {

namespace {

/// What is next of a selection.
struct chosen_letters {
  std::vector<dead_letter_row> rows; ///< In order of id.
  std::vector<int64_t> missing;      ///< Named, and not there.
  int64_t after = 0; ///< How far the selection has come with all of them.
  int64_t last = 0;  ///< Its end.
};

/// Those that are named. It stops with the one with which their bytes pass the
/// bound of a commit.
expected<chosen_letters> choose_named(store& db, const appservice_id& of,
                                      const kept_selection& which) {
  chosen_letters chosen{{}, {}, which.after, std::ranges::max(which.ids)};
  uint64_t bytes = 0;
  for (const auto id :
       policy::next_letters(which.ids, which.after, limits::kept_changed_max)) {
    if (bytes > limits::kept_changed_bytes_max)
      break;
    chosen.after = id;
    WEIR_TRY(auto found, db.keep().read_letters(of, id - 1, id, 1, 1));
    if (found.empty()) {
      chosen.missing.push_back(id);
      continue;
    }
    bytes += found.front().item.bytes.size();
    chosen.rows.push_back(std::move(found.front()));
  }
  return chosen;
}

expected<chosen_letters> choose(store& db, const appservice_id& of,
                                const kept_selection& which) {
  if (!which.ids.empty())
    return choose_named(db, of, which);
  chosen_letters chosen;
  chosen.last = which.until;
  if (chosen.last == 0) {
    WEIR_TRY(chosen.last, db.keep().last_letter(of));
  }
  WEIR_TRY(chosen.rows,
           db.keep().read_letters(of, which.after, chosen.last,
                                  limits::kept_changed_max,
                                  limits::kept_changed_bytes_max));
  chosen.after = chosen.rows.empty() ? chosen.last : chosen.rows.back().id;
  return chosen;
}

/// Leaves all but the first `count` rows for another commit.
void cut(chosen_letters& chosen, size_t count, int64_t begun_after) {
  if (count == chosen.rows.size())
    return;
  const auto first_left = chosen.rows[count].id;
  chosen.rows.resize(count);
  std::erase_if(chosen.missing, [&](int64_t id) { return id > first_left; });
  chosen.after = begun_after;
  for (const auto& row : chosen.rows)
    chosen.after = std::max(chosen.after, row.id);
  for (const auto id : chosen.missing)
    chosen.after = std::max(chosen.after, id);
}

kept_changed reply_of(const chosen_letters& chosen,
                      const kept_selection& which) {
  kept_changed reply;
  reply.done = chosen.rows.size();
  reply.missing = chosen.missing.size();
  reply.after = chosen.after;
  reply.until = which.ids.empty() ? chosen.last : which.until;
  reply.more = chosen.after < chosen.last;
  return reply;
}

expected<void> remove_rows(store& db, const appservice_id& of,
                           const std::vector<dead_letter_row>& rows) {
  std::vector<int64_t> ids;
  ids.reserve(rows.size());
  for (const auto& row : rows)
    ids.push_back(row.id);
  WEIR_TRY(auto removed, db.keep().remove_letters(of, ids));
  if (removed != rows.size())
    return fail(ec::corrupt,
                "appservice " + of.value + ": dead letters are missing");
  return ok();
}

/// Tells of it, in the same commit.
expected<void> note(store& db, const batch_context& batch,
                    const appservice_id& of, const char* verb,
                    const std::string& by,
                    const std::vector<dead_letter_row>& rows) {
  WEIR_TRY(
    db.commands().record({0, "appservice/" + of.value, verb, by, batch.now,
                          fmt::format("{} letters, ids {} to {}", rows.size(),
                                      rows.front().id, rows.back().id)}));
  return ok();
}

/// Whether it shares no transaction with what came apart from it: see
/// actors/policy/batcher.hpp.
bool stands_apart(const element& item) {
  return item.kind == lane::other || item.keys.find('\\') != std::string::npos;
}

/// Back into the lanes, in their order. Returns what is left of the ephemeral
/// lane.
expected<std::vector<waiting_row>>
take_back(store& db, const batch_context& batch, queue_row& queue,
          const std::vector<dead_letter_row>& rows) {
  std::vector<waiting_row> fresh;
  std::vector<const element*> run;
  const auto take_run = [&]() -> expected<void> {
    if (run.empty())
      return ok();
    WEIR_TRY(auto left, take_in(db, batch, queue, run));
    std::ranges::move(left, std::back_inserter(fresh));
    run.clear();
    return ok();
  };
  for (const auto& row : rows) {
    const bool apart = stands_apart(row.item);
    if (apart) {
      WEIR_TRY(take_run());
    }
    run.push_back(&row.item);
    if (apart) {
      WEIR_TRY(take_run());
    }
  }
  WEIR_TRY(take_run());
  return fresh;
}

size_t taken_of(const chosen_letters& chosen, const queue_row& queue,
                const queue_bounds& bounds) {
  std::vector<uint64_t> sizes;
  for (const auto& row : chosen.rows)
    sizes.push_back(row.item.bytes.size());
  return policy::letters_taken(
    sizes, {queue.owed_events + queue.owed_others, queue.owed_bytes}, bounds);
}

} // namespace

expected<kept_changed> replay(store& db, const batch_context& batch,
                              const replay_letters& request) {
  const auto& id = request.appservice;
  WEIR_TRY(auto queue, db.outbox().adopt_queue(id));
  WEIR_TRY(auto chosen, choose(db, id, request.which));
  const auto taken = taken_of(chosen, queue, request.bounds.queue);
  const bool full = taken < chosen.rows.size();
  cut(chosen, taken, request.which.after);
  auto reply = reply_of(chosen, request.which);
  reply.full = full;
  if (chosen.rows.empty())
    return reply;
  const auto before = queue;
  WEIR_TRY(auto fresh, take_back(db, batch, queue, chosen.rows));
  WEIR_TRY(remove_rows(db, id, chosen.rows));
  WEIR_TRY(auto pinned, pin_next(db, batch, queue, request.bounds, fresh));
  WEIR_TRY(keep_waiting(db, queue, std::move(fresh), request.bounds.lanes));
  // A queue that must rest first reads its pause and its pin from the store.
  if (queue.not_before <= batch.now)
    reply.pinned = std::move(pinned);
  reply.bounds = note_bounds(before, queue, request.bounds.queue);
  WEIR_TRY(db.outbox().save_queue(queue));
  WEIR_TRY(note(db, batch, id, "replay dead letters", request.by, chosen.rows));
  return reply;
}

expected<kept_changed> drop(store& db, const batch_context& batch,
                            const drop_letters& request) {
  const auto& id = request.appservice;
  // Letters come and go under the lock of their queue alone.
  WEIR_TRY(const auto locked, db.outbox().lock_queue(id));
  static_cast<void>(locked);
  WEIR_TRY(auto chosen, choose(db, id, request.which));
  const auto reply = reply_of(chosen, request.which);
  if (chosen.rows.empty())
    return reply;
  WEIR_TRY(remove_rows(db, id, chosen.rows));
  WEIR_TRY(note(db, batch, id, "drop dead letters", request.by, chosen.rows));
  return reply;
}

} // namespace weir::operations
