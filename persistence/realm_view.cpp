#include "persistence/realm_view.hpp"

#include "persistence/realm_store.hpp"

namespace weir {

namespace {

/// One row more than was asked for tells whether there are more.
template <class Row>
void cut(std::vector<Row>& rows, size_t rows_max, bool& more) {
  more = rows.size() > rows_max;
  if (more)
    rows.resize(rows_max);
}

expected<void> read_event(realm_reader& from, const realm_question& what,
                          realm_facts& into) {
  const auto realm = into.realm->no;
  WEIR_TRY(into.event, from.event(realm, what.event_id));
  if (!into.event || !what.with_sends)
    return ok();
  WEIR_TRY(into.sends,
           from.sends(realm, into.event->seq, what.after, what.rows_max + 1));
  cut(into.sends, what.rows_max, into.more);
  return ok();
}

expected<void> read_rooms(realm_reader& from, const realm_question& what,
                          realm_facts& into) {
  WEIR_TRY(into.rooms,
           from.audience(into.realm->no, into.realm->audience_version,
                         what.after, what.rows_max + 1));
  cut(into.rooms, what.rows_max, into.more);
  return ok();
}

expected<void> read_status(realm_reader& from, realm_facts& into) {
  WEIR_TRY(into.oldest_accepted_at, from.oldest_open(into.realm->no));
  WEIR_TRY(into.account, from.account(into.realm->account));
  WEIR_TRY(into.status, from.status("realm/" + into.realm->id.value));
  return ok();
}

} // namespace

expected<realm_view::page>
realm_view::read(const caught_up_snapshot<realm_view>& from,
                 const realm_question& what) {
  page made;
  made.seen_ = from.at();
  made.read_to_ = from.at();
  auto& rows = from.rows().realms();
  auto& facts = made.facts;
  WEIR_TRY(facts.realm, rows.realm(what.realm));
  if (!facts.realm)
    return made;
  if (!what.event_id.empty()) {
    WEIR_TRY(read_event(rows, what, facts));
  }
  if (what.with_rooms) {
    WEIR_TRY(read_rooms(rows, what, facts));
  }
  if (what.with_letters) {
    WEIR_TRY(facts.letters,
             rows.with_dead_letters(facts.realm->no, what.after_seq,
                                    what.rows_max + 1));
    cut(facts.letters, what.rows_max, facts.more);
  }
  if (what.with_status) {
    WEIR_TRY(read_status(rows, facts));
  }
  return made;
}

} // namespace weir
