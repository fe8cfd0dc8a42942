#include "actors/operations/accept.hpp"

#include "actors/operations/lanes.hpp"
#include "actors/operations/overflow.hpp"
#include "actors/operations/pin_next.hpp"
#include "actors/policy/repeats.hpp"

#include <algorithm>
#include <unordered_set>

namespace weir::operations {

namespace {

accept_result result_of(policy::repeat_kind kind) {
  switch (kind) {
  case policy::repeat_kind::first_seen: return accept_result::stored;
  case policy::repeat_kind::duplicate: return accept_result::duplicate;
  case policy::repeat_kind::non_event_part_only:
    return accept_result::non_event_part;
  case policy::repeat_kind::new_generation: return accept_result::id_reused;
  }
  return accept_result::stored;
}

policy::repeat_decision compare(std::span<const inbound_row> past,
                                const incoming_transaction& content) {
  std::vector<policy::remembered_transaction> remembered;
  remembered.reserve(past.size());
  for (const auto& row : past)
    remembered.push_back(
      {row.generation, row.event_hashes, row.non_event_hashes});
  return policy::compare_with_past(remembered, content.event_hashes,
                                   content.non_event_hash);
}

/// Writes down what this id now stands for: a new generation, or one more
/// non-event part of a known one.
expected<void> remember(store& db, const batch_context& batch, queue_no queue,
                        std::vector<inbound_row> past,
                        const accept_transaction& request,
                        const policy::repeat_decision& decision) {
  const auto& content = *request.content;
  inbound_row row{request.hs_txn_id,
                  decision.generation,
                  content.event_hashes,
                  {},
                  batch.now};
  const auto known
    = std::find_if(past.begin(), past.end(), [&](const auto& other) {
        return other.generation == decision.generation;
      });
  if (known != past.end())
    row = std::move(*known);
  if (content.non_event_hash != 0)
    row.non_event_hashes.push_back(content.non_event_hash);
  return db.inbox().remember_inbound(queue, row);
}

/// Events that have an id: equal bytes without one are not the same event.
std::vector<uint64_t> identified(const incoming_transaction& content) {
  std::vector<uint64_t> hashes;
  hashes.reserve(content.event_hashes.size());
  for (const auto& item : content.elements)
    if (item.kind == lane::event && !item.event_id.empty())
      hashes.push_back(item.id_hash);
  return hashes;
}

/// Which of the elements are to be stored: not the events of a repetition, and
/// not those that came before under another id.
expected<std::vector<const element*>>
choose(store& db, const batch_context& batch, queue_no queue,
       const accept_transaction& request, policy::repeat_kind kind) {
  const auto& content = *request.content;
  std::unordered_set<uint64_t> seen;
  const bool with_events = kind != policy::repeat_kind::non_event_part_only;
  if (with_events && request.dedupe_events) {
    const auto hashes = identified(content);
    WEIR_TRY(auto known, db.inbox().find_seen(queue, hashes));
    seen.insert(known.begin(), known.end());
    WEIR_TRY(db.inbox().remember_seen(queue, hashes, batch.now));
  }
  std::vector<const element*> chosen;
  chosen.reserve(content.elements.size());
  for (const auto& item : content.elements)
    if (item.kind != lane::event
        || (with_events && !seen.contains(item.id_hash)))
      chosen.push_back(&item);
  return chosen;
}

/// Makes room if it may. False: the queue is full, and its row is saved when
/// something became of it.
expected<bool> find_room(store& db, const batch_context& batch,
                         queue_row& queue, const accept_transaction& request,
                         transaction_stored& reply) {
  const auto before = queue;
  WEIR_TRY(make_room(db, batch, queue, request.bounds.queue));
  reply.bounds = note_bounds(before, queue, request.bounds.queue);
  if (!is_full(queue, request.bounds.queue))
    return true;
  reply.result = accept_result::full;
  if (queue != before) {
    WEIR_TRY(db.outbox().save_queue(queue));
  }
  return false;
}

/// Takes in what was chosen and pins.
expected<void> store_chosen(store& db, const batch_context& batch,
                            queue_row& queue, const accept_transaction& request,
                            std::span<const element* const> chosen,
                            transaction_stored& reply) {
  const auto overflowed = queue.overflowed;
  WEIR_TRY(auto fresh, take_in(db, batch, queue, chosen));
  reply.elements = chosen.size();
  WEIR_TRY(auto pinned, pin_next(db, batch, queue, request.bounds, fresh));
  WEIR_TRY(keep_waiting(db, queue, std::move(fresh), request.bounds.lanes));
  // A queue that must rest first reads its pause and its pin from the store.
  if (queue.not_before <= batch.now)
    reply.pinned = std::move(pinned);
  auto& news = reply.bounds;
  news.overflowed += queue.overflowed - overflowed;
  news.near_now = note_bounds(queue, queue, request.bounds.queue).near_now;
  return db.outbox().save_queue(queue);
}

} // namespace

expected<transaction_stored> accept(store& db, const batch_context& batch,
                                    const accept_transaction& request) {
  WEIR_TRY(auto queue, db.outbox().adopt_queue(request.appservice));
  WEIR_TRY(auto past, db.inbox().find_inbound(queue.no, request.hs_txn_id));
  const auto decision = compare(past, *request.content);
  transaction_stored reply;
  reply.result = result_of(decision.kind);
  if (decision.kind == policy::repeat_kind::duplicate)
    return reply;
  WEIR_TRY(const bool has_room, find_room(db, batch, queue, request, reply));
  if (!has_room)
    return reply;
  WEIR_TRY(remember(db, batch, queue.no, std::move(past), request, decision));
  WEIR_TRY(auto chosen, choose(db, batch, queue.no, request, decision.kind));
  if (decision.kind != policy::repeat_kind::non_event_part_only)
    reply.events_repeated = request.content->elements.size() - chosen.size();
  WEIR_TRY(store_chosen(db, batch, queue, request, chosen, reply));
  return reply;
}

expected<transaction_stored> submit(store& db, const batch_context& batch,
                                    const accept_transaction& request) {
  const auto& content = *request.content;
  WEIR_TRY(auto queue, db.outbox().adopt_queue(request.appservice));
  WEIR_TRY(auto known, db.orderings().find(queue.no, content.orderings));
  const std::unordered_set<uint64_t> before{known.begin(), known.end()};
  std::vector<const element*> chosen;
  std::vector<ordering_row> rows;
  for (size_t i = 0; i < content.orderings.size(); ++i) {
    if (before.contains(content.orderings[i]))
      continue;
    rows.push_back(
      {content.orderings[i], queue.next_seq + chosen.size(), batch.now});
    chosen.push_back(&content.elements[i]);
  }
  transaction_stored reply;
  reply.events_repeated = content.repeated + known.size();
  if (chosen.empty()) {
    reply.result = accept_result::duplicate;
    return reply;
  }
  WEIR_TRY(const bool has_room, find_room(db, batch, queue, request, reply));
  if (!has_room)
    return reply;
  WEIR_TRY(db.orderings().add(queue.no, rows));
  queue.orderings += rows.size();
  queue.ordered_seq = rows.back().seq;
  WEIR_TRY(store_chosen(db, batch, queue, request, chosen, reply));
  return reply;
}

} // namespace weir::operations
