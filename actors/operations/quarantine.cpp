#include "actors/operations/quarantine.hpp"

#include "actors/policy/replay.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weir::operations {

namespace {

/// Those that are named, up to the bounds of a commit.
expected<std::vector<int64_t>>
choose_named(store& db, const drop_quarantined& request, kept_changed& reply) {
  std::vector<int64_t> ids;
  uint64_t bytes = 0;
  for (const auto id : policy::next_letters(
         request.which.ids, request.which.after, limits::kept_changed_max)) {
    if (bytes > limits::kept_changed_bytes_max)
      break;
    reply.after = id;
    WEIR_TRY(auto found,
             db.keep().next_quarantined(request.appservice, id - 1, id, 1, 1));
    if (found.empty()) {
      ++reply.missing;
      continue;
    }
    bytes += found.front().bytes;
    ids.push_back(id);
  }
  reply.more = reply.after < std::ranges::max(request.which.ids);
  return ids;
}

expected<std::vector<int64_t>>
choose(store& db, const drop_quarantined& request, kept_changed& reply) {
  const auto& which = request.which;
  reply.after = which.after;
  reply.until = which.until;
  if (!which.ids.empty())
    return choose_named(db, request, reply);
  if (reply.until == 0) {
    WEIR_TRY(reply.until, db.keep().last_quarantined(request.appservice));
  }
  WEIR_TRY(auto next,
           db.keep().next_quarantined(request.appservice, which.after,
                                      reply.until, limits::kept_changed_max,
                                      limits::kept_changed_bytes_max));
  std::vector<int64_t> ids;
  for (const auto& each : next)
    ids.push_back(each.id);
  reply.after = ids.empty() ? reply.until : ids.back();
  reply.more = reply.after < reply.until;
  return ids;
}

} // namespace

expected<kept_changed> drop_bodies(store& db, const batch_context& batch,
                                   const drop_quarantined& request) {
  kept_changed reply;
  WEIR_TRY(const auto ids, choose(db, request, reply));
  if (ids.empty())
    return reply;
  WEIR_TRY(reply.done, db.keep().remove_quarantined(request.appservice, ids));
  if (reply.done != ids.size())
    return fail(ec::corrupt,
                "appservice " + request.appservice.value
                  + ": quarantined bodies are missing");
  WEIR_TRY(
    db.commands().record({0, "appservice/" + request.appservice.value,
                          "drop quarantined", request.by, batch.now,
                          fmt::format("{} bodies, ids {} to {}", ids.size(),
                                      ids.front(), ids.back())}));
  return reply;
}

} // namespace weir::operations
