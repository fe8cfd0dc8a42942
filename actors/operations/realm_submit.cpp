#include "actors/operations/realm_submit.hpp"

#include "actors/operations/realm_ledger.hpp"
#include "actors/policy/coalesce.hpp"
#include "actors/policy/realm_content.hpp"
#include "actors/policy/realm_store_rules.hpp"
#include "persistence/text_list.hpp"
#include "schema/hash.hpp"

#include <algorithm>
#include <utility>

namespace weir::operations {

namespace {

/// What an offer asks for, but the key: equal only for equal requests.
std::string mark_of(const realm_offer& offer) {
  std::vector<std::string> texts{
    offer.type,
    std::to_string(static_cast<int>(offer.importance)),
    std::to_string(static_cast<int>(offer.rule.mode)),
    offer.rule.key,
    pack_texts(offer.rule.fields),
    offer.content,
    std::to_string(offer.expires_in.count()),
    offer.split,
    offer.rooms ? "these" : "audience"};
  if (offer.rooms)
    for (const auto& room : *offer.rooms)
      texts.push_back(room.value);
  return sha256_hex(pack_texts(texts));
}

/// Each room once, in the order in which rows are written (E10).
std::optional<std::vector<room_id>> rooms_of(const realm_offer& offer) {
  auto rooms = offer.rooms;
  if (rooms) {
    std::sort(rooms->begin(), rooms->end());
    rooms->erase(std::unique(rooms->begin(), rooms->end()), rooms->end());
  }
  return rooms;
}

std::optional<stored_time> maybe(stored_time at) {
  return at == stored_time{} ? std::optional<stored_time>{} : at;
}

offer_taken refusal(offer_result why) {
  offer_taken taken;
  taken.result = why;
  return taken;
}

/// Takes the offers of one request, one after the other.
class taking {
public:
  taking(store& db, realm_ledger& ledger, const submit_realm_events& request)
    : db_{db},
      ledger_{ledger},
      request_{request},
      bytes_before_{ledger.row.open_bytes} {
    if (request.held)
      order_.refused(request.realm);
  }

  expected<offer_taken> take(const realm_offer& offer);

private:
  expected<std::optional<offer_taken>> known(const realm_offer& offer,
                                             const std::string& mark);
  expected<std::optional<offer_taken>> merged(const realm_offer& offer,
                                              realm_event_row event,
                                              realm_content_row content);
  expected<offer_result> make_room(realm_class of, uint64_t bytes);
  expected<offer_taken> store_parts(realm_event_row event,
                                    std::vector<std::string> contents,
                                    realm_content_row content);
  realm_event_row event_of(const realm_offer& offer, std::string mark,
                           const realm_content_row& content) const;

  store& db_;
  realm_ledger& ledger_;
  const submit_realm_events& request_;
  policy::bulk_order order_;
  uint64_t bytes_before_;
  std::optional<uint64_t> all_before_; ///< Of all realms.
  size_t dropped_ = 0;
};

expected<std::optional<offer_taken>> taking::known(const realm_offer& offer,
                                                   const std::string& mark) {
  using maybe_taken = std::optional<offer_taken>;
  if (ledger_.row.no == 0)
    return maybe_taken{};
  WEIR_TRY(const auto parts,
           db_.realms().events.find_key(ledger_.row.no, offer.key));
  if (parts.empty())
    return maybe_taken{};
  const auto& first = parts.front();
  if (first.request != mark)
    return maybe_taken{refusal(offer_result::key_reused)};
  return maybe_taken{offer_taken{offer_result::replayed, first.event_id,
                                 first.seq, first.parts, first.state,
                                 first.merged_into, 0}};
}

realm_event_row taking::event_of(const realm_offer& offer, std::string mark,
                                 const realm_content_row& content) const {
  realm_event_row event;
  event.event_id = offer.event_id;
  event.key = offer.key;
  event.request = std::move(mark);
  event.type = offer.type;
  event.importance = offer.importance;
  event.rule = offer.rule;
  event.own_rooms = content.rooms.has_value();
  event.targets = content.rooms ? content.rooms->size() : 0;
  event.accepted_at = ledger_.now();
  if (offer.expires_in.count() > 0)
    event.expires_at = ledger_.now() + offer.expires_in;
  return event;
}

expected<std::optional<offer_taken>> taking::merged(const realm_offer& offer,
                                                    realm_event_row event,
                                                    realm_content_row content) {
  using maybe_taken = std::optional<offer_taken>;
  if (ledger_.row.unbound == 0 || offer.rule.mode == coalesce_mode::never)
    return maybe_taken{};
  auto& events = db_.realms().events;
  WEIR_TRY(auto tail, events.tail(ledger_.row.no));
  if (!tail)
    return maybe_taken{};
  WEIR_TRY(const auto last, events.content(ledger_.row.no, tail->seq));
  if (!last)
    return fail(ec::corrupt, "realm: a queued event has lost its content");
  // Of an event that was cut the parts tell one thing together.
  const policy::queued_tail queued{
    {tail->type, tail->importance, tail->rule, last->content, last->rooms,
     maybe(tail->expires_at)},
    tail->parts == 1 && !ledger_.is_cancelled(tail->seq)};
  auto into = policy::merge_into(queued,
                                 {event.type, event.importance, event.rule,
                                  content.content, content.rooms,
                                  maybe(event.expires_at)});
  if (!into)
    return maybe_taken{};
  tail->expires_at = into->expires_at.value_or(stored_time{});
  event.seq = ledger_.row.next_seq++;
  event.state = realm_event_state::over;
  event.how = send_outcome::merged;
  event.over_at = ledger_.now();
  event.merged_into = tail->event_id;
  const auto size = policy::queued_bytes(into->content);
  const auto grown = static_cast<int64_t>(size - tail->size);
  content.content = std::move(into->content);
  WEIR_TRY(ledger_.merge(*tail, content, size, event));
  return maybe_taken{offer_taken{offer_result::merged, event.event_id,
                                 event.seq, 1, event.state, event.merged_into,
                                 grown}};
}

/// `queued` when there is room.
expected<offer_result> taking::make_room(realm_class of, uint64_t bytes) {
  const auto& bounds = request_.bounds;
  const auto held = ledger_.row.open_bytes;
  if (!all_before_) {
    WEIR_TRY(all_before_, db_.realms().rows.queued_bytes());
  }
  // What this request did is not counted there yet.
  const auto passed = policy::passes_bound(
    of, bytes, {held, *all_before_ + held - bytes_before_}, bounds);
  if (passed == policy::bound_passed::none)
    return offer_result::queued;
  if (passed == policy::bound_passed::all)
    return offer_result::all_full;
  const auto over = policy::bytes_over(of, bytes, held, bounds);
  if (of == realm_class::lossy)
    return offer_result::realm_full;
  WEIR_TRY(const auto dropped,
           ledger_.drop_lossy(over, limits::realm_ends_max - dropped_));
  dropped_ += dropped;
  return dropped > 0 ? offer_result::queued : offer_result::realm_full;
}

expected<offer_taken> taking::store_parts(realm_event_row event,
                                          std::vector<std::string> contents,
                                          realm_content_row content) {
  WEIR_TRY(ledger_.ensure(request_.realm, request_.account));
  event.parts = static_cast<uint32_t>(contents.size());
  const auto id = event.event_id;
  const auto first_seq = ledger_.row.next_seq;
  const auto held = ledger_.row.open_bytes;
  for (size_t i = 0; i < contents.size(); ++i) {
    event.part = static_cast<uint32_t>(i + 1);
    event.seq = ledger_.row.next_seq++;
    if (i > 0)
      event.event_id = id + "." + std::to_string(event.part);
    event.size = policy::queued_bytes(contents[i]);
    content.content = std::move(contents[i]);
    WEIR_TRY(ledger_.accept(event, content));
  }
  const auto grown = static_cast<int64_t>(ledger_.row.open_bytes - held);
  return offer_taken{offer_result::queued, id, first_seq, event.parts,
                     event.state,          {}, grown};
}

expected<offer_taken> taking::take(const realm_offer& offer) {
  const auto refused = [&](offer_result why) {
    order_.refused(request_.realm);
    return refusal(why);
  };
  auto mark = mark_of(offer);
  WEIR_TRY(auto before, known(offer, mark));
  if (before && before->result == offer_result::key_reused)
    return refused(offer_result::key_reused);
  if (before)
    return std::move(*before);
  if (order_.is_held(request_.realm))
    return refused(offer_result::held);
  realm_content_row content{{}, rooms_of(offer)};
  std::vector<std::string> contents{offer.content};
  if (offer.content.size() > limits::realm_content_bytes_max) {
    auto parts = policy::split_content(offer.content, offer.split);
    if (offer.split.empty() || !parts)
      return refused(offer_result::too_large);
    contents = std::move(*parts);
  }
  if (content.rooms && content.rooms->size() > limits::realm_own_rooms_max)
    return refused(offer_result::too_large);
  auto event = event_of(offer, std::move(mark), content);
  if (contents.size() == 1) {
    content.content = contents.front();
    WEIR_TRY(auto into, merged(offer, event, content));
    if (into)
      return std::move(*into);
  }
  uint64_t bytes = 0;
  for (const auto& each : contents)
    bytes += policy::queued_bytes(each);
  WEIR_TRY(const auto room, make_room(offer.importance, bytes));
  if (room != offer_result::queued)
    return refused(room);
  return store_parts(std::move(event), std::move(contents), std::move(content));
}

} // namespace

uint64_t feed_rows_of(const submit_realm_events& request) {
  return request.offers.size() + limits::realm_ends_max;
}

expected<realm_events_taken> submit_events(store& db, batch_context& batch,
                                           const submit_realm_events& request) {
  WEIR_ASSERT(request.offers.size() <= limits::realm_submit_events_max);
  realm_events_taken reply;
  reply.at = {batch.slot, batch.run, batch.pos + 1};
  WEIR_TRY(const auto found, db.realms().rows.lock(request.realm));
  realm_ledger ledger{db, batch, found};
  taking all{db, ledger, request};
  for (const auto& offer : request.offers) {
    WEIR_TRY(auto taken, all.take(offer));
    reply.offers.push_back(std::move(taken));
  }
  if (ledger.row.no != 0) {
    WEIR_TRY(ledger.save());
  }
  reply.news = ledger.news();
  return reply;
}

} // namespace weir::operations
