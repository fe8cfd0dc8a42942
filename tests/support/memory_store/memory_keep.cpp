#include "persistence/letter_digest.hpp"
#include "persistence/text_check.hpp"
#include "tests/support/memory_store/memory_ports.hpp"

#include <algorithm>

namespace weir::test {

expected<int64_t> memory_keep::bury(const dead_letter_row& row) {
  WEIR_TRY(const auto statement, on_.run("bury", true));
  if (!storable_as_text(row.item.bytes) || !storable_as_text(row.item.keys)
      || !storable_as_text(row.reason)
      || !storable_as_text(row.appservice.value))
    return fail(on_.failed(ec::rejected, "bury: text"));
  std::optional<int64_t> known;
  for (const auto& [id, letter] : on_.tables().letters)
    if (letter.appservice == row.appservice
        && letter_digest(letter) == letter_digest(row))
      known = id;
  if (known && !is_going(row.appservice, *known, &removal_row::last_letter))
    return *known;
  if (known)
    on_.erase<&memory_tables::letters>(*known);
  auto kept = row;
  kept.id = on_.tables().last_letter + 1;
  on_.set<&memory_tables::last_letter>(kept.id);
  on_.put<&memory_tables::letters>(kept.id, kept);
  return kept.id;
}

expected<std::vector<dead_letter_row>>
memory_keep::read_letters(const appservice_id& of, int64_t after, int64_t until,
                          size_t rows_max, size_t bytes_max) {
  WEIR_TRY(const auto statement, on_.run("read letters"));
  if (!storable_as_text(of.value))
    return fail(on_.failed(ec::rejected, "read letters: text"));
  std::vector<dead_letter_row> rows;
  size_t bytes = 0;
  for (const auto& [id, letter] : on_.tables().letters) {
    if (id <= after || id > until || letter.appservice != of)
      continue;
    if (rows.size() == rows_max || bytes > bytes_max)
      break;
    rows.push_back(letter);
    bytes += letter.item.bytes.size();
  }
  return rows;
}

expected<int64_t> memory_keep::last_letter(const appservice_id& of) {
  WEIR_TRY(const auto statement, on_.run("last letter"));
  if (!storable_as_text(of.value))
    return fail(on_.failed(ec::rejected, "last letter: text"));
  int64_t last = 0;
  for (const auto& [id, letter] : on_.tables().letters)
    if (letter.appservice == of)
      last = id;
  return last;
}

expected<uint64_t> memory_keep::remove_letters(const appservice_id& of,
                                               std::span<const int64_t> ids) {
  WEIR_TRY(const auto statement, on_.run("remove letters"));
  if (!storable_as_text(of.value))
    return fail(on_.failed(ec::rejected, "remove letters: text"));
  uint64_t removed = 0;
  for (const auto id : ids) {
    const auto found = on_.tables().letters.find(id);
    if (found == on_.tables().letters.end() || found->second.appservice != of)
      continue;
    on_.erase<&memory_tables::letters>(id);
    ++removed;
  }
  return removed;
}

/// Whether a row goes with a removed appservice.
bool memory_keep::is_going(const appservice_id& of, int64_t id,
                           int64_t removal_row::*last) {
  const auto& all = on_.tables().removals;
  return std::ranges::any_of(all, [&](const auto& each) {
    return each.second.appservice == of && !each.second.done
      && id <= each.second.*last;
  });
}

std::optional<int64_t> memory_keep::count_again(const quarantine_row& row) {
  for (auto [id, known] : on_.tables().quarantine) {
    if (known.appservice == row.appservice && known.body == row.body
        && !is_going(row.appservice, id, &removal_row::last_body)) {
      ++known.times;
      known.last_at = row.last_at;
      on_.put<&memory_tables::quarantine>(id, known);
      return id;
    }
  }
  return std::nullopt;
}

expected<bool> memory_keep::count_quarantined(const quarantine_row& row) {
  WEIR_TRY(const auto statement, on_.run("count quarantined"));
  if (!storable_as_text(row.appservice.value))
    return fail(on_.failed(ec::rejected, "count quarantined: text"));
  return count_again(row).has_value();
}

expected<int64_t> memory_keep::quarantine(const quarantine_row& row) {
  WEIR_TRY(const auto statement, on_.run("quarantine", true));
  if (!storable_as_text(row.reason) || !storable_as_text(row.appservice.value))
    return fail(on_.failed(ec::rejected, "quarantine: text"));
  if (const auto known = count_again(row))
    return *known;
  const auto& bodies = on_.tables().quarantine;
  const auto going = std::ranges::find_if(bodies, [&](const auto& each) {
    return each.second.appservice == row.appservice
      && each.second.body == row.body;
  });
  if (going != bodies.end())
    on_.erase<&memory_tables::quarantine>(int64_t{going->first});
  auto kept = row;
  kept.id = on_.tables().last_quarantine + 1;
  on_.set<&memory_tables::last_quarantine>(kept.id);
  on_.put<&memory_tables::quarantine>(kept.id, kept);
  return kept.id;
}

expected<std::vector<keep_store::kept_size>>
memory_keep::next_quarantined(const appservice_id& of, int64_t after,
                              int64_t until, size_t rows_max,
                              size_t bytes_max) {
  WEIR_TRY(const auto statement, on_.run("next quarantined"));
  if (!storable_as_text(of.value))
    return fail(on_.failed(ec::rejected, "next quarantined: text"));
  std::vector<kept_size> rows;
  uint64_t bytes = 0;
  for (const auto& [id, body] : on_.tables().quarantine) {
    if (id <= after || id > until || body.appservice != of)
      continue;
    if (rows.size() == rows_max || bytes > bytes_max)
      break;
    rows.push_back({id, body.body.size()});
    bytes += body.body.size();
  }
  return rows;
}

expected<int64_t> memory_keep::last_quarantined(const appservice_id& of) {
  WEIR_TRY(const auto statement, on_.run("last quarantined"));
  if (!storable_as_text(of.value))
    return fail(on_.failed(ec::rejected, "last quarantined: text"));
  int64_t last = 0;
  for (const auto& [id, body] : on_.tables().quarantine)
    if (body.appservice == of)
      last = id;
  return last;
}

expected<uint64_t>
memory_keep::remove_quarantined(const appservice_id& of,
                                std::span<const int64_t> ids) {
  WEIR_TRY(const auto statement, on_.run("remove quarantined"));
  if (!storable_as_text(of.value))
    return fail(on_.failed(ec::rejected, "remove quarantined: text"));
  uint64_t removed = 0;
  for (const auto id : ids) {
    const auto found = on_.tables().quarantine.find(id);
    if (found == on_.tables().quarantine.end()
        || found->second.appservice != of)
      continue;
    on_.erase<&memory_tables::quarantine>(id);
    ++removed;
  }
  return removed;
}

expected<uint64_t> memory_keep::dead_letter_bytes() {
  WEIR_TRY(const auto statement, on_.run("dead letter bytes"));
  uint64_t bytes = 0;
  for (const auto& [id, letter] : on_.tables().letters)
    bytes += letter.item.bytes.size();
  return bytes;
}

expected<uint64_t> memory_keep::quarantine_bytes() {
  WEIR_TRY(const auto statement, on_.run("quarantine bytes"));
  uint64_t bytes = 0;
  for (const auto& [id, kept] : on_.tables().quarantine)
    bytes += kept.body.size();
  return bytes;
}

expected<keep_store::kept_bytes> memory_keep::held_by(const appservice_id& of) {
  WEIR_TRY(const auto statement, on_.run("held by appservice"));
  if (!storable_as_text(of.value))
    return fail(on_.failed(ec::rejected, "held by appservice: text"));
  kept_bytes held;
  for (const auto& [id, letter] : on_.tables().letters)
    if (letter.appservice == of)
      held.letters += letter.item.bytes.size();
  for (const auto& [id, kept] : on_.tables().quarantine)
    if (kept.appservice == of)
      held.bodies += kept.body.size();
  return held;
}

expected<void> memory_outcomes::record(const outcome_row& row) {
  WEIR_TRY(const auto statement, on_.run("record outcome", true));
  const std::pair key{row.slot, row.pos};
  if (on_.tables().outcomes.contains(key))
    return fail(on_.failed(ec::rejected, "record outcome: position in use"));
  if (!storable_as_text(row.queue) || !storable_as_text(row.subject)
      || !storable_as_text(row.result) || !storable_as_text(row.detail))
    return fail(on_.failed(ec::rejected, "record outcome: text"));
  on_.put<&memory_tables::outcomes>(key, row);
  return ok();
}

expected<void> memory_outcomes::put_status(const queue_status_row& row) {
  WEIR_TRY(const auto statement, on_.run("put status", true));
  if (!storable_as_text(row.queue) || !storable_as_text(row.state)
      || !storable_as_text(row.cause) || !storable_as_text(row.last_error)
      || !storable_as_text(row.subject)
      || !storable_as_text(row.last_error_text))
    return fail(on_.failed(ec::rejected, "put status: text"));
  on_.put<&memory_tables::statuses>(row.queue, row);
  return ok();
}

expected<std::optional<queue_status_row>>
memory_outcomes::find_status(const std::string& queue) {
  WEIR_TRY(const auto statement, on_.run("find status"));
  if (!storable_as_text(queue))
    return fail(on_.failed(ec::rejected, "find status: text"));
  const auto& statuses = on_.tables().statuses;
  const auto found = statuses.find(queue);
  std::optional<queue_status_row> row;
  if (found != statuses.end())
    row = found->second;
  return row;
}

expected<uint64_t> memory_outcomes::forget_outcomes(stored_time before,
                                                    size_t keep_max,
                                                    size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("forget outcomes"));
  const auto& rows = on_.tables().outcomes;
  const size_t too_many = rows.size() > keep_max ? rows.size() - keep_max : 0;
  uint64_t forgotten = 0;
  while (forgotten < rows_max && !rows.empty()) {
    // The first row of each slot; of these the oldest.
    auto oldest = rows.begin();
    for (auto each = rows.begin(); each != rows.end();
         each = rows.lower_bound({each->first.first + 1, 0})) {
      if (each->second.at < oldest->second.at)
        oldest = each;
    }
    if (forgotten >= too_many && oldest->second.at >= before)
      break;
    const auto [slot, pos] = oldest->first;
    on_.put<&memory_tables::forgotten_outcomes>(slot, pos);
    on_.erase<&memory_tables::outcomes>(std::pair{slot, pos});
    ++forgotten;
  }
  return forgotten;
}

} // namespace weir::test
