#include "persistence/snapshot.hpp"

namespace weir {

namespace {

expected<void> read_slots(store_snapshot& from, store_history& to) {
  WEIR_TRY(const auto slots, from.slots());
  for (const auto& row : slots)
    to.slots[row.slot] = {row.run, row.pos};
  return ok();
}

/// The runs of `seen` that are over, one by one: a store has one more of them
/// for every start.
expected<void> read_ended_runs(store_snapshot& from,
                               const position_vector& seen, store_history& to) {
  for (const auto& each : seen.positions()) {
    const auto slot = to.slots.find(each.slot);
    if (slot == to.slots.end() || slot->second.run == each.run)
      continue;
    WEIR_TRY(const auto end, from.run_end(each.slot, each.run));
    if (end)
      to.ended_runs[{each.slot, each.run}] = *end;
  }
  return ok();
}

expected<void> read_forgotten(store_snapshot& from, store_history& to) {
  WEIR_TRY(const auto rows, from.forgotten_outcomes());
  for (const auto& row : rows)
    to.forgotten[row.slot] = row.pos;
  return ok();
}

/// What stands for both: a refusal, else the greater lag.
token_standing worse_of(const token_standing& a, const token_standing& b) {
  if (a.refused || !b.behind)
    return b.refused && !a.refused ? b : a;
  return b.refused || !a.behind || a.behind->behind < b.behind->behind ? b : a;
}

} // namespace

expected<snapshot_opener::looked>
snapshot_opener::look(store_reader& from, const read_demand& demand,
                      bool forgets) {
  looked found;
  WEIR_TRY(found.open, from.open_snapshot(snapshot_access{}));
  store_history store;
  WEIR_TRY(read_slots(*found.open, store));
  found.at = store.now();
  // Each token is judged by itself: joined, the one with the higher position
  // would hide the history of the other.
  for (const known_token* token :
       {demand.since ? static_cast<const known_token*>(&*demand.since)
                     : nullptr,
        demand.after ? &*demand.after : nullptr}) {
    if (token == nullptr)
      continue;
    WEIR_TRY(read_ended_runs(*found.open, token->at(), store));
    found.how = worse_of(found.how, standing_of(store, token->at()));
  }
  if (forgets && demand.since && !found.how.refused) {
    WEIR_TRY(read_forgotten(*found.open, store));
    if (has_forgotten(store, demand.since->at()))
      found.how = {token_refusal::expired, {}};
  }
  return found;
}

} // namespace weir
