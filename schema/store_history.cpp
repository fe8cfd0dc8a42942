#include "schema/store_history.hpp"

#include <algorithm>

namespace weir {

namespace {

std::optional<token_refusal> refusal_of(const store_history& store,
                                        const slot_position& seen) {
  const auto slot = store.slots.find(seen.slot);
  if (slot == store.slots.end())
    return token_refusal::unknown_slot;
  if (slot->second.run == seen.run)
    return {};
  const auto run = store.ended_runs.find({seen.slot, seen.run});
  if (run == store.ended_runs.end())
    return token_refusal::unknown_run;
  if (seen.pos > run->second)
    return token_refusal::beyond_run;
  return {};
}

} // namespace

position_vector store_history::now() const {
  position_vector at;
  for (const auto& [slot, state] : slots)
    at.raise({slot, state.run, state.pos});
  return at;
}

token_standing standing_of(const store_history& store,
                           const position_vector& seen) {
  token_standing found;
  for (const auto& each : seen.positions()) {
    found.refused = refusal_of(store, each);
    if (found.refused) {
      found.behind.reset();
      return found;
    }
    const auto here = store.slots.at(each.slot).pos;
    if (here >= each.pos)
      continue;
    const auto behind = each.pos - here;
    if (!found.behind || found.behind->behind < behind)
      found.behind = slot_lag{each.slot, behind};
  }
  return found;
}

bool has_forgotten(const store_history& store, const position_vector& seen) {
  return std::ranges::any_of(store.forgotten, [&](const auto& each) {
    return seen.pos_of(each.first) < each.second;
  });
}

} // namespace weir
